// A list of messages in order. What didn't change is left as it stands, and nobody is interrupted.

import { composer } from "./composer.js";
import { draw, keeping } from "./keep.js";
import { messageElement } from "./message.js";
import { make } from "./tools.js";

const NEAR = 80; // pixels from the end that still count as reading the newest
const TALL = 0.8; // of the list's height: what is longer is read from its beginning

export class Messages {
  // `below(message)` returns an element to stand below a message, or nothing.
  constructor(list, hands, below = () => null) {
    this.list = list;
    this.hands = hands;
    this.below = below;
    this.items = new Map(); // ts → see newItem
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

  // Does something to the list, and keeps the reader at the end if that is where they were.
  keepingPlace(change) {
    const { list } = this;
    const atEnd = list.scrollHeight - list.scrollTop - list.clientHeight < NEAR;
    const last = change();
    if (last && last.clientHeight > list.clientHeight * TALL) last.scrollIntoView({ block: "start" });
    else if (atEnd) this.toEnd();
    else last?.scrollIntoView({ block: "nearest" });
  }

  toEnd() {
    this.list.scrollTop = this.list.scrollHeight;
  }

  // Puts a composer in the place of a message's words; `done(text)` returns whether it worked.
  edit(message, offers, done) {
    const known = this.items.get(message.ts);
    if (!known || known.form) return;
    const close = () => {
      known.form.replaceWith(known.body);
      known.form = null;
      known.element.focus();
    };
    known.form = composer({
      placeholder: "Edit this message", label: "Save", text: message.typed, offers, cancel: close,
      send: (text) => {
        close();
        return done(text);
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
