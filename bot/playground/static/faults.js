// Faults: what shall go wrong from now on.

import { keeping } from "./keep.js";
import { make } from "./tools.js";

export class Faults {
  // `flip(name, on)` throws a switch.
  constructor(flip) {
    this.name = "faults";
    this.label = "Faults";
    this.flip = flip;
    this.element = make("div", { className: "faults" });
    this.version = "";
  }

  show() {}

  hide() {}

  update(switches) {
    const version = JSON.stringify(switches);
    if (version === this.version) return;
    this.version = version;
    keeping(this.element, () => this.element.replaceChildren(
      make("p", { className: "about", textContent: "Break something, then ask again and see what the bot makes of it." }),
      ...switches.map(({ name, label, about, on }) => {
        const box = make("input", { type: "checkbox", id: `fault-${name}`, checked: on });
        box.setAttribute("role", "switch");
        box.dataset.key = name;
        box.setAttribute("aria-describedby", `about-${name}`);
        box.addEventListener("change", () => this.flip(name, box.checked));
        const text = make("label", { htmlFor: box.id, textContent: label });
        return make("div", { className: "fault" }, box, text, make("p", { id: `about-${name}`, textContent: about }));
      }),
    ));
  }
}
