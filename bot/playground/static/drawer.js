// The drawer at the foot: what goes over the wire, what the bot did, what shall go wrong.

import { iconButton, make } from "./tools.js";

const $ = (id) => document.getElementById(id);

export class Drawer {
  // `panels` are objects with name, label, element, show() and hide().
  constructor(panels) {
    this.panels = panels;
    this.shown = null;
    this.opener = null;
    this.buttons = new Map();
    for (const panel of panels) {
      const toggle = iconButton(panel.name, panel.label, () => this.toggle(panel.name, toggle), "toggle");
      toggle.append(make("span", { textContent: panel.label }));
      toggle.setAttribute("aria-expanded", "false");
      toggle.setAttribute("aria-controls", "drawer");
      this.buttons.set(panel.name, toggle);
    }
    $("toggles").replaceChildren(...this.buttons.values());
    $("drawer-close").addEventListener("click", () => this.close());
  }

  // Hides the toggles of what isn't there.
  offer(names) {
    for (const [name, toggle] of this.buttons) toggle.hidden = !names.includes(name);
  }

  toggle(name, opener) {
    if (this.shown?.name === name) this.close();
    else this.open(name, opener);
  }

  open(name, opener = document.activeElement) {
    this.shown?.hide();
    this.shown = this.panels.find((each) => each.name === name);
    this.opener = opener;
    $("drawer").hidden = false;
    $("drawer-title").textContent = this.shown.label;
    $("drawer-body").replaceChildren(this.shown.element);
    this.mark();
    this.shown.show();
    $("drawer-close").focus();
  }

  close() {
    this.shown?.hide();
    this.shown = null;
    $("drawer").hidden = true;
    this.mark();
    this.opener?.focus();
  }

  mark() {
    for (const [name, toggle] of this.buttons) {
      toggle.setAttribute("aria-expanded", String(this.shown?.name === name));
    }
  }
}
