// A list of messages in order. What didn't change is left as it stands, and nobody is interrupted.

import { composer } from "./composer.js";
import { draw, keeping } from "./keep.js";
import { messageElement } from "./message.js";
import { Reading } from "./reading.js";
import { make } from "./tools.js";

export class Messages {
  // `below(message)` returns an element to stand below a message, or nothing.
  constructor(list, hands, below = () => null) {
    this.list = list;
    this.hands = { ...hands, edit: (message) => this.edit(message) };
    this.below = below;
    this.items = new Map(); // ts → see newItem
    this.reading = new Reading(list);
  }

  clear() {
    this.items.clear();
    this.list.replaceChildren();
  }

  get size() {
    return this.items.size;
  }

  item(ts) {
    return this.items.get(ts)?.item;
  }

  show(message) {
    const known = this.items.get(message.ts) || newItem();
    const { item, shown } = known;
    const version = JSON.stringify(message);
    if (known.version !== version) {
      const element = messageElement(message, this.hands);
      Object.assign(known, { element, message, version, body: element.querySelector(".body") });
      keeping(shown, () => {
        if (known.form) known.body.replaceWith(known.form);
        shown.replaceChildren(element);
      });
    }
    if (!this.items.has(message.ts)) {
      item.dataset.ts = message.ts;
      this.items.set(message.ts, known);
      this.insert(item);
    }
    this.refresh(message.ts);
    return item;
  }

  insert(item) {
    const after = [...this.list.children].find((each) => (each.dataset.ts || "") > item.dataset.ts);
    this.list.insertBefore(item, after || null);
  }

  // Renews what stands below a message.
  refresh(ts) {
    const known = this.items.get(ts);
    if (!known) return;
    draw(known.below, ...[this.below(known.message)].filter(Boolean));
  }

  // Removes what isn't there any more.
  sweep(isThere) {
    for (const [ts, { item }] of this.items) {
      if (isThere(ts)) continue;
      item.remove();
      this.items.delete(ts);
    }
  }

  // Shows what came in. Whoever reads the newest goes on with it, from its beginning; whoever reads
  // something else is left there, unless they said it themselves.
  take(messages, isMine) {
    this.reading.note(); // what was scrolled just now is not told yet
    const follows = this.reading.atEnd || messages.some((each) => isMine(each) && !this.items.has(each.ts));
    const before = new Map(messages.map((each) => [each, this.item(each.ts)?.clientHeight || 0]));
    messages.forEach((each) => this.show(each));
    const news = messages.filter((each) => this.item(each.ts).clientHeight > before.get(each));
    if (follows && news.length) this.reading.from(this.item(news[0].ts));
    else if (!follows) this.reading.stay();
  }

  // Puts a composer in the place of a message's words, in this list: it may stand in another too.
  edit(message) {
    const { offers, change } = this.hands;
    const known = this.items.get(message.ts);
    if (!known || known.form) return;
    const close = () => {
      known.form.replaceWith(known.body);
      known.form = null;
      known.element.focus();
    };
    known.form = composer({
      placeholder: "Edit this message", label: "Save", text: message.typed, offers, cancel: close,
      send: async (text) => {
        const problem = await change(message, text);
        if (!problem) close();
        return problem;
      },
    });
    known.body.replaceWith(known.form);
    known.form.querySelector("textarea").focus();
  }
}

// The places of a message and of what stands below it. `show` adds what fills the first: `message`
// and its `version`, `element` and its `body`; `form` edits it in the place of the body.
function newItem() {
  const shown = make("div");
  const below = make("div");
  return { item: make("div", { className: "item" }, shown, below), shown, below, form: null };
}
