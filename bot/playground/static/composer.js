// A box to write in: Enter sends, Shift+Enter starts a line, ↑ in an empty one edits the last message.

import { commandHint } from "./complete.js";
import { Suggestions } from "./suggestions.js";
import { button, iconButton, make } from "./tools.js";

function chooser(name, label, accept, chosen) {
  const input = make("input", { type: "file", hidden: true, accept });
  input.setAttribute("aria-label", label);
  input.addEventListener("change", () => {
    const [file] = input.files;
    if (file) chosen(file);
    input.value = "";
  });
  return [iconButton(name, label, () => input.click()), input];
}

// `send(text)` and `attach(file, text, clip)` return whether it worked; `offers()` is what
// complete.js offers; `cancel` shows a button for it; `editLast` edits one's last message.
export function composer({ placeholder, mention, label, send, attach, cancel, editLast, offers, text = "" }) {
  const box = make("textarea", { placeholder, rows: 1, value: text });
  box.setAttribute("aria-label", placeholder);
  const hint = make("p", { className: "hint", hidden: true });
  const suggestions = new Suggestions(box, offers);
  const form = make("form", { className: "composer" });
  const run = async (action) => {
    const typed = box.value;
    box.value = "";
    changed();
    let done = false;
    try {
      done = await action(typed.trim());
    } finally {
      if (!done && !box.value) box.value = typed;
      changed();
    }
  };
  const changed = () => {
    suggestions.update();
    hint.textContent = commandHint(box.value, offers());
    hint.hidden = !hint.textContent;
  };
  const submit = () => box.value.trim() && run(send);
  if (mention) {
    const element = button("@", () => {
      box.setRangeText(`@${mention} `, box.selectionStart, box.selectionEnd, "end");
      box.focus();
    }, { className: "tool", title: `Mention ${mention}` });
    element.setAttribute("aria-label", `Mention ${mention}`);
    form.append(element);
  }
  if (attach) {
    form.append(
      ...chooser("attach", "Attach a file", "", (file) => run((typed) => attach(file, typed, false))),
      ...chooser("audio", "Send an audio clip from a file", "audio/*", (file) =>
        run((typed) => attach(file, typed, true))),
    );
  }
  form.append(make("div", { className: "box" }, suggestions.list, hint, box));
  form.append(make("button", { type: "submit", className: "send", textContent: label }));
  if (cancel) form.append(button("Cancel", cancel, { className: "tool" }));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    submit();
  });
  box.addEventListener("input", changed);
  box.addEventListener("keydown", (event) => {
    if (suggestions.key(event)) return;
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
      event.preventDefault();
      submit();
    } else if (event.key === "Escape" && cancel) {
      event.stopPropagation();
      cancel();
    } else if (event.key === "ArrowUp" && !box.value && editLast) {
      event.preventDefault();
      editLast();
    }
  });
  return form;
}
