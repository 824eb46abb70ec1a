// The list above a box: arrows choose, Enter and Tab take, Escape closes.

import { completions } from "./complete.js";
import { make } from "./tools.js";

let numbers = 0;

export class Suggestions {
  constructor(box, offers) {
    this.box = box;
    this.offers = offers;
    this.found = null;
    this.chosen = 0;
    this.list = make("ul", { className: "suggestions", id: `suggestions-${++numbers}`, hidden: true });
    this.list.setAttribute("role", "listbox");
    this.list.setAttribute("aria-label", "Suggestions");
    box.setAttribute("aria-autocomplete", "list");
    box.setAttribute("aria-controls", this.list.id);
    box.addEventListener("blur", () => this.close());
  }

  update() {
    this.found = document.activeElement === this.box
      ? completions(this.box.value, this.box.selectionStart, this.offers()) : null;
    this.chosen = 0;
    this.render();
  }

  close() {
    this.found = null;
    this.render();
  }

  render() {
    this.list.hidden = !this.found;
    this.box.removeAttribute("aria-activedescendant");
    const items = this.found ? this.found.items : [];
    this.list.replaceChildren(...items.map(({ label, about }, index) => {
      const item = make("li", { id: `${this.list.id}-${index}` },
        make("b", { textContent: label }), make("span", { textContent: about }));
      item.setAttribute("role", "option");
      item.setAttribute("aria-selected", String(index === this.chosen));
      // Before the box loses the focus, which would close the list.
      item.addEventListener("mousedown", (event) => {
        event.preventDefault();
        this.take(index);
      });
      return item;
    }));
    if (items.length) this.box.setAttribute("aria-activedescendant", `${this.list.id}-${this.chosen}`);
  }

  take(index) {
    const { insert } = this.found.items[index];
    this.box.setRangeText(insert, this.found.from, this.box.selectionStart, "end");
    this.box.dispatchEvent(new Event("input"));
  }

  // Returns whether the key was one for the list.
  key(event) {
    if (!this.found) return false;
    const { items, from } = this.found;
    // What stands there in full already is sent, not taken.
    const complete = this.box.value.slice(from, this.box.selectionStart).trim() === items[this.chosen].insert.trim();
    const moves = { ArrowDown: 1, ArrowUp: -1 };
    if (event.key in moves) {
      this.chosen = (this.chosen + moves[event.key] + items.length) % items.length;
      this.render();
    } else if (event.key === "Tab" || (event.key === "Enter" && !complete)) {
      this.take(this.chosen);
    } else if (event.key === "Escape") {
      this.close();
    } else {
      return false;
    }
    event.preventDefault();
    event.stopPropagation();
    return true;
  }
}
