// The file that goes along with what is written: chosen, shown with its size, and taken away again.

import { iconButton, make } from "./tools.js";

const KINDS = { attach: "Attach a file", audio: "Attach an audio clip from a file" };

function size(bytes) {
  if (bytes < 1000) return `${bytes} bytes`;
  return bytes < 1e6 ? `${Math.round(bytes / 1000)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}

export class Attachment {
  // `changed(chosen)` is told of each { file, clip }, or null once there is none.
  constructor(changed) {
    this.changed = changed;
    this.chosen = null;
    this.chip = make("div", { className: "chip", hidden: true });
    this.choosers = Object.keys(KINDS).flatMap((kind) => this.chooser(kind));
  }

  chooser(kind) {
    const clip = kind === "audio";
    const input = make("input", { type: "file", hidden: true, accept: clip ? "audio/*" : "" });
    input.setAttribute("aria-label", KINDS[kind]);
    input.addEventListener("change", () => {
      const [file] = input.files;
      if (file) this.set({ file, clip });
      input.value = "";
    });
    return [iconButton(kind, KINDS[kind], () => input.click()), input];
  }

  set(chosen) {
    this.chosen = chosen;
    this.chip.hidden = !chosen;
    this.changed(chosen);
    if (!chosen) return;
    const { file, clip } = chosen;
    const name = make("span", { textContent: `${clip ? "Audio clip: " : ""}${file.name} · ${size(file.size)}` });
    this.chip.replaceChildren(name, iconButton("close", `Remove ${file.name}`, () => this.set(null), "remove"));
  }
}
