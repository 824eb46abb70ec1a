// One root message with its replies below it. Elements are kept, so that typing is not interrupted.

import { composer } from "./composer.js";
import { build } from "./dom.js";
import { messageMenu } from "./menu.js";
import { make } from "./tools.js";

const SHOWN_REPLIES = 8;
const EMOJI = { thumbsup: "👍", "+1": "👍", thumbsdown: "👎", "-1": "👎", eyes: "👀", white_check_mark: "✅" };

function moment(ts) {
  const date = new Date(Number(ts.split(".")[0]) * 1000);
  const time = date.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
  if (date.toDateString() === new Date().toDateString()) return time;
  return `${date.toLocaleDateString([], { day: "numeric", month: "short" })}, ${time}`;
}

function initials(name) {
  return name.split(/\s+/).map((word) => word[0]).join("").slice(0, 2).toUpperCase();
}

// `hands` has acting(message), mine(message), shortcuts() and what menu.js needs.
export function messageElement(message, hands) {
  const byline = make(
    "div", { className: "byline" },
    make("b", { textContent: message.name }),
    make("time", { textContent: moment(message.ts) }),
  );
  if (message.ephemeral_to) byline.append(make("span", { textContent: "only you can see this" }));
  if (message.edited && !message.is_bot) byline.append(make("span", { textContent: "edited" }));
  const avatar = make("div", { className: "avatar", textContent: initials(message.name) });
  avatar.setAttribute("aria-hidden", "true");
  const body = make("div", { className: "body" });
  const act = hands.acting(message);
  for (const node of message.nodes) body.append(build(node, act));
  if (message.reactions.length) {
    const shown = message.reactions.map(({ name, count }) =>
      make("span", { textContent: `${EMOJI[name] || `:${name}:`} ${count}` }));
    body.append(make("div", { className: "reactions" }, ...shown));
  }
  const element = make("article", { className: "message" }, avatar, byline, body);
  if (!message.ephemeral_to && !message.gone) {
    byline.append(messageMenu(message, { mine: hands.mine(message), shortcuts: hands.shortcuts(), act: hands }));
  }
  element.classList.toggle("bot", message.is_bot);
  element.classList.toggle("gone", message.gone);
  element.classList.toggle("only-you", Boolean(message.ephemeral_to));
  element.dataset.ts = message.ts;
  return element;
}

function insertByTs(container, element) {
  const after = [...container.children].find((other) => other.dataset.ts > element.dataset.ts);
  container.insertBefore(element, after || null);
}

export class Thread {
  constructor(ts, hands) {
    this.ts = ts;
    this.hands = hands;
    this.unfolded = false;
    this.root = make("div");
    this.replies = make("div", { className: "replies" });
    this.status = make("p", { className: "status", hidden: true });
    this.more = make("button", { type: "button", className: "plain more", hidden: true });
    this.more.addEventListener("click", () => {
      this.unfolded = true;
      this.fold();
    });
    this.reply = make("button", { type: "button", className: "plain reply", textContent: "Reply in thread" });
    this.reply.addEventListener("click", () => this.openComposer().querySelector("textarea").focus());
    this.element = make(
      "section", { className: "thread" }, this.root, this.more, this.replies, this.status, this.reply,
    );
    this.element.dataset.ts = ts;
  }

  show(message) {
    const element = messageElement(message, this.hands);
    if (message.ts === this.ts) {
      this.root.replaceWith(element);
      this.root = element;
      if (message.ephemeral_to) this.reply.hidden = true;
      return element;
    }
    this.remove(message.ts);
    insertByTs(this.replies, element);
    this.openComposer();
    this.fold();
    return element;
  }

  remove(ts) {
    [...this.replies.children].find((element) => element.dataset.ts === ts)?.remove();
  }

  fold() {
    const elements = [...this.replies.children];
    const hidden = this.unfolded ? 0 : Math.max(0, elements.length - SHOWN_REPLIES);
    elements.forEach((element, index) => { element.hidden = index < hidden; });
    this.more.hidden = hidden === 0;
    this.more.textContent = `Show ${hidden} earlier ${hidden === 1 ? "reply" : "replies"}`;
  }

  // Puts a composer in the place of a message's words until `done`.
  edit(message, done) {
    const element = [this.root, ...this.replies.children].find((each) => each.dataset.ts === message.ts);
    const body = element?.querySelector(".body");
    if (!body) return;
    const close = () => form.replaceWith(body);
    const form = composer({
      placeholder: "Edit this message", label: "Save", text: message.typed, cancel: close,
      send: async (text) => {
        close();
        return done(text);
      },
    });
    body.replaceWith(form);
    form.querySelector("textarea").focus();
  }

  setStatus(text) {
    this.status.hidden = !text;
    this.status.textContent = text;
  }

  openComposer() {
    if (!this.composer) {
      const send = (text) => this.hands.send(text, this.ts);
      const attach = (file, text) => this.hands.attach(file, text, this.ts);
      this.composer = composer({ placeholder: "Reply in this thread", label: "Reply", send, attach });
      this.reply.replaceWith(this.composer);
    }
    return this.composer;
  }
}
