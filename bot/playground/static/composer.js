// A box to write in: Enter sends, Shift+Enter starts a line, ↑ in an empty one edits the last message.
// Nothing that was written is lost: it stays in the box until it was sent.

import { Attachment } from "./attachment.js";
import { commandHint } from "./complete.js";
import { drafts } from "./drafts.js";
import { Suggestions } from "./suggestions.js";
import { button, make } from "./tools.js";

// `send(text)` and `attach(chosen, text)` return why it was not sent, or nothing; `offers()` is what
// complete.js offers; `cancel` shows a button for it; `editLast` edits one's last message. `place`
// is where a draft belongs; without it `text` is what is written at first.
export function composer({ placeholder, mention, label, send, attach, cancel, editLast, offers, place, text = "" }) {
  const box = make("textarea", { placeholder, rows: 1, value: place ? drafts.text(place) : text });
  box.setAttribute("aria-label", placeholder);
  const hint = make("p", { className: "hint", hidden: true });
  const why = make("span");
  const failure = make("p", { className: "notice", hidden: true }, why, button("Send again", () => submit(), { className: "tool" }));
  failure.setAttribute("role", "alert");
  const suggestions = new Suggestions(box, offers);
  const attachment = new Attachment((chosen) => place && drafts.keepFile(place, chosen));
  const form = make("form", { className: "composer" });
  const changed = () => {
    suggestions.update();
    hint.textContent = commandHint(box.value, offers());
    hint.hidden = !hint.textContent;
  };
  const fail = (sentence) => {
    why.textContent = sentence;
    failure.hidden = !sentence;
  };
  const submit = async () => {
    const typed = box.value;
    const { chosen } = attachment;
    if (!typed.trim() && !chosen) return;
    box.value = "";
    attachment.set(null);
    fail("");
    changed();
    const problem = await (chosen ? attach(chosen, typed.trim()) : send(typed.trim()));
    if (problem) {
      box.value ||= typed;
      if (!attachment.chosen) attachment.set(chosen);
      fail(problem);
    }
    if (place) drafts.keep(place, box.value);
    changed();
  };
  const tools = make("div", { className: "tools" });
  if (mention) {
    const element = button("@", () => {
      box.setRangeText(`@${mention} `, box.selectionStart, box.selectionEnd, "end");
      box.focus();
      box.dispatchEvent(new Event("input"));
    }, { className: "tool", title: `Mention ${mention}` });
    element.setAttribute("aria-label", `Mention ${mention}`);
    tools.append(element);
  }
  if (attach) {
    tools.append(...attachment.choosers);
    attachment.set(place ? drafts.file(place) : null);
    form.addEventListener("dragover", (event) => event.preventDefault());
    form.addEventListener("drop", (event) => {
      event.preventDefault();
      const [file] = event.dataTransfer.files;
      if (file) attachment.set({ file, clip: false });
    });
  }
  if (cancel) tools.append(button("Cancel", cancel, { className: "tool" }));
  tools.append(make("button", { type: "submit", className: "send", textContent: label }));
  form.append(failure, suggestions.list, hint, attachment.chip, box, tools);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    submit();
  });
  box.addEventListener("input", () => {
    if (place) drafts.keep(place, box.value);
    changed();
  });
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
