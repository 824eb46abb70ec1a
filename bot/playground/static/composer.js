// A box to write in: Enter sends, Shift+Enter starts a line, /word at the start is a command.

import { make } from "./dom.js";

export function composer({ placeholder, mention, label, send }) {
  const box = make("textarea", { placeholder, rows: 1 });
  box.setAttribute("aria-label", placeholder);
  const form = make("form", { className: "composer" });
  if (mention) {
    const at = make("button", { type: "button", className: "at", textContent: "@" });
    at.setAttribute("aria-label", `Mention ${mention}`);
    at.title = `Mention ${mention}`;
    at.addEventListener("click", () => {
      box.setRangeText(`@${mention} `, box.selectionStart, box.selectionEnd, "end");
      box.focus();
    });
    form.append(at);
  }
  form.append(box, make("button", { type: "submit", textContent: label }));
  const submit = async () => {
    const text = box.value.trim();
    if (!text) return;
    box.value = "";
    let sent = false;
    try {
      sent = await send(text);
    } finally {
      if (!sent && !box.value) box.value = text;
    }
  };
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    submit();
  });
  box.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
      event.preventDefault();
      submit();
    }
  });
  return form;
}
