// A list of messages in order. Elements are kept, so that neither typing nor reading is interrupted.

import { composer } from "./composer.js";
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
    this.items = new Map(); // ts → { item, element, message }
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
    const element = messageElement(message, this.hands);
    const known = this.items.get(message.ts);
    const item = known?.item || make("div", { className: "item" });
    const held = known?.element.contains(document.activeElement) && focusPath(known.element);
    item.dataset.ts = message.ts;
    item.replaceChildren(element);
    this.items.set(message.ts, { item, element, message });
    this.refresh(message.ts);
    if (!known) this.insert(item);
    if (held) (find(element, held) || element).focus();
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
    const below = this.below(known.message);
    const held = known.item.querySelector(".below")?.contains(document.activeElement);
    known.item.replaceChildren(...[known.item.firstElementChild, below].filter(Boolean));
    if (held) known.item.querySelector(".below button")?.focus();
  }

  remove(ts) {
    this.item(ts)?.remove();
    this.items.delete(ts);
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
    const element = this.items.get(message.ts)?.element;
    const body = element?.querySelector(".body");
    if (!body) return;
    const close = () => {
      form.replaceWith(body);
      element.focus();
    };
    const form = composer({
      placeholder: "Edit this message", label: "Save", text: message.typed, offers, cancel: close,
      send: (text) => {
        close();
        return done(text);
      },
    });
    body.replaceWith(form);
    form.querySelector("textarea").focus();
  }
}

function focusPath(element) {
  const { activeElement } = document;
  const like = [...element.querySelectorAll(activeElement.tagName)];
  return { tag: activeElement.tagName, index: like.indexOf(activeElement), text: activeElement.textContent };
}

function find(element, { tag, index, text }) {
  const like = [...element.querySelectorAll(tag)];
  return like.find((each) => each.textContent === text) || like[index];
}
