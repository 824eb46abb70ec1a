// The drawer at the foot: what goes over the wire, what the bot did, what shall go wrong.

import { iconButton, make } from "./tools.js";

const $ = (id) => document.getElementById(id);

export class Drawer {
  // `panels` are objects with name, label, element, show() and hide().
  constructor(panels) {
    this.panels = panels;
    this.shown = null;
    this.opener = null;
    // Above the conversation, and above the thread that may cover it.
    this.toggles = [...document.querySelectorAll(".toggles")].flatMap((bar) => panels.map((panel) => {
      const toggle = iconButton(panel.name, panel.label, () => this.toggle(panel.name, toggle), "toggle");
      toggle.append(make("span", { textContent: panel.label }));
      toggle.dataset.panel = panel.name;
      toggle.setAttribute("aria-expanded", "false");
      toggle.setAttribute("aria-controls", "drawer");
      bar.append(toggle);
      return toggle;
    }));
    $("drawer-close").addEventListener("click", () => this.close());
  }

  // Hides the toggles of what isn't there.
  offer(names) {
    for (const toggle of this.toggles) toggle.hidden = !names.includes(toggle.dataset.panel);
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
    document.body.classList.add("in-drawer");
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
    document.body.classList.remove("in-drawer");
    this.mark();
    const opener = [this.opener, ...this.toggles].find((each) => each?.checkVisibility({ visibilityProperty: true }));
    opener?.focus({ preventScroll: true });
  }

  mark() {
    for (const toggle of this.toggles) {
      toggle.setAttribute("aria-expanded", String(this.shown?.name === toggle.dataset.panel));
    }
  }
}
