// The side pane: one thread, its root first, with a box to write into it.

import { composer } from "./composer.js";
import { Messages } from "./messages.js";

const $ = (id) => document.getElementById(id);

export class Pane {
  constructor(person, hands, close) {
    this.element = $("thread");
    this.person = person;
    this.hands = hands;
    this.root = null; // { channel, ts }
    this.messages = new Messages($("thread-messages"), hands);
    $("thread-close").addEventListener("click", close);
  }

  get isOpen() {
    return this.root !== null;
  }

  has(message) {
    return this.root !== null && message.channel === this.root.channel
      && (message.thread_ts || message.ts) === this.root.ts;
  }

  open(root, messages) {
    this.root = root;
    this.element.hidden = false;
    document.body.classList.add("in-thread");
    this.messages.clear();
    messages.forEach((each) => this.messages.show(each));
    const { hands, person } = this;
    const mine = () => messages.length && hands.editLast(root.ts);
    $("thread-composer").replaceChildren(composer({
      placeholder: "Reply in this thread", label: "Reply", offers: hands.offers, editLast: mine,
      place: `${person()} ${root.channel} ${root.ts}`,
      send: (text) => hands.send(text, root.ts),
      attach: (chosen, text) => hands.attach(chosen, text, root.ts),
    }));
    // A long answer is read from its beginning, whether it came in one message or several.
    const { user } = messages.at(-1);
    const before = messages.findLastIndex((each) => each.user !== user);
    this.messages.reading.from(this.messages.item(messages[before + 1].ts));
  }

  // Shows what came in, or changed, in this thread.
  take(messages) {
    this.messages.take(messages.filter((each) => this.has(each)), (each) => each.user === this.person());
  }

  close() {
    this.root = null;
    this.element.hidden = true;
    document.body.classList.remove("in-thread");
    this.messages.clear();
  }

  focus() {
    this.element.querySelector("textarea").focus();
  }

  setStatus(text) {
    $("thread-status").textContent = text;
    $("thread-status").hidden = !text;
  }
}
