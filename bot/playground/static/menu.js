// The menu of a message: react, the app's shortcuts, and for one's own messages edit and delete.

import { make } from "./tools.js";

const REACTIONS = { "👍": "+1", "👎": "-1", "👀": "eyes", "✅": "white_check_mark" };

// `act` has react(message, name), shortcut(message, id), edit(message) and remove(message).
export function messageMenu(message, { mine, shortcuts, act }) {
  const summary = make("summary", { textContent: "⋯" });
  summary.setAttribute("aria-label", `Actions for the message of ${message.name}`);
  const menu = make("details", { className: "menu" }, summary);
  const item = (label, action) => {
    const button = make("button", { type: "button", textContent: label });
    button.addEventListener("click", () => {
      menu.open = false;
      action();
    });
    return button;
  };
  const reactions = Object.entries(REACTIONS).map(([emoji, name]) => {
    const button = item(emoji, () => act.react(message, name));
    button.setAttribute("aria-label", `React with ${name}`);
    return button;
  });
  const items = [
    make("div", { className: "row" }, ...reactions),
    ...shortcuts.map((each) => item(each.name, () => act.shortcut(message, each.callback_id))),
  ];
  if (mine) items.push(item("Edit", () => act.edit(message)), item("Delete", () => act.remove(message)));
  menu.append(make("div", { className: "items" }, ...items));
  return menu;
}
