// A box to write in: Enter sends, Shift+Enter starts a line, /word at the start is a command.

import { make } from "./tools.js";

function tool(text, label, action) {
  const button = make("button", { type: "button", className: "tool", textContent: text, title: label });
  button.setAttribute("aria-label", label);
  button.addEventListener("click", action);
  return button;
}

// `send(text)` and `attach(file, text)` return whether it worked; `cancel` shows a button for it.
export function composer({ placeholder, mention, label, send, attach, cancel, text = "" }) {
  const box = make("textarea", { placeholder, rows: 1, value: text });
  box.setAttribute("aria-label", placeholder);
  const form = make("form", { className: "composer" });
  const run = async (action) => {
    const typed = box.value;
    box.value = "";
    let done = false;
    try {
      done = await action(typed.trim());
    } finally {
      if (!done && !box.value) box.value = typed;
    }
  };
  if (mention) {
    form.append(tool("@", `Mention ${mention}`, () => {
      box.setRangeText(`@${mention} `, box.selectionStart, box.selectionEnd, "end");
      box.focus();
    }));
  }
  if (attach) {
    const chooser = make("input", { type: "file", hidden: true });
    chooser.addEventListener("change", () => {
      const [file] = chooser.files;
      if (file) run((typed) => attach(file, typed));
      chooser.value = "";
    });
    form.append(tool("📎", "Attach a file", () => chooser.click()), chooser);
  }
  form.append(box, make("button", { type: "submit", textContent: label }));
  if (cancel) form.append(tool("Cancel", "Cancel", cancel));
  const submit = () => box.value.trim() && run(send);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    submit();
  });
  box.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
      event.preventDefault();
      submit();
    } else if (event.key === "Escape" && cancel) {
      cancel();
    }
  });
  return form;
}
