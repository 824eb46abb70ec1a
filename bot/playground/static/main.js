// The conversation in the middle: messages with the way into their threads, or the Home tab.

import { composer } from "./composer.js";
import { keeping } from "./keep.js";
import { Messages } from "./messages.js";
import { standsAlone } from "./store.js";
import { button, make, moment } from "./tools.js";
import { homeElement } from "./view.js";

const $ = (id) => document.getElementById(id);

export class Main {
  constructor(store, person, hands, surface) {
    Object.assign(this, { store, person, hands, surface });
    this.place = null;
    this.messages = new Messages($("messages"), hands, (message) => this.below(message));
  }

  open(place) {
    const { bot } = this.store.state;
    const direct = place.kind === "im";
    this.place = place;
    document.body.classList.toggle("at-home", place.kind === "home");
    this.messages.clear();
    if (place.kind === "home") {
      $("title").textContent = `${bot.name} · Home`;
      this.renderHome();
      $("messages").scrollTop = 0;
      this.messages.reading.note();
      return;
    }
    $("title").textContent = direct ? `Direct messages with ${bot.name}` : `#${place.name}`;
    $("composer").replaceChildren(composer({
      placeholder: direct ? `Message ${bot.name}` : `Message #${place.name}`,
      mention: direct ? null : bot.name, label: "Send", offers: this.hands.offers,
      place: `${this.person()} ${direct ? "dm" : place.id}`,
      send: (text) => this.hands.send(text, null),
      attach: (chosen, text) => this.hands.attach(chosen, text, null),
      editLast: () => this.hands.editLast(null),
    }));
    const messages = this.store.all(place.id, this.person());
    messages.forEach((each) => this.store.see(each));
    messages.filter(standsAlone).forEach((each) => this.messages.show(each));
    this.renderEmpty();
    this.messages.reading.toEnd();
  }

  // Shows messages that came in, or changed, while this place was open.
  take(messages) {
    messages.forEach((each) => this.store.see(each));
    this.messages.take(messages.filter(standsAlone), (each) => each.user === this.person());
    this.renderEmpty();
  }

  // The way into a message's thread, and what the app says it is doing there.
  below(message) {
    if (message.thread_ts) return null;
    const replies = this.store.replies(message.channel, message.ts, this.person());
    const status = this.store.status(message.channel, message.ts);
    if (!replies.length && !status) return null;
    const element = make("div", { className: "below" });
    if (replies.length) {
      const count = replies.length === 1 ? "1 reply" : `${replies.length} replies`;
      const label = `${count} · last ${moment(replies.at(-1).ts)}`;
      element.append(button(label, () => this.hands.thread(message), { className: "replies" }));
    }
    if (status) element.append(make("p", { className: "status", textContent: status }));
    return element;
  }

  renderStatuses() {
    for (const ts of this.messages.items.keys()) this.messages.refresh(ts);
  }

  renderEmpty() {
    const list = $("messages");
    list.querySelector(".empty")?.remove();
    if (this.messages.size || this.place.kind === "home") return;
    const text = "No messages here yet. Ask something below: the bot is the real one.";
    list.append(make("p", { className: "empty", textContent: text }));
  }

  renderHome() {
    const { homes, bot } = this.store.state;
    const view = homes.find((each) => each.user === this.person());
    const version = JSON.stringify([this.person(), view?.hash, view?.errors]);
    const list = $("messages");
    if (list.firstElementChild?.dataset.version === version) return;
    const element = homeElement(view, bot.name, this.surface);
    element.dataset.version = version;
    keeping(list, () => list.replaceChildren(element));
  }
}
