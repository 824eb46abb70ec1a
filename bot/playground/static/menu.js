// The menu of a message: react, the app's shortcuts, and for one's own messages edit and delete.

import { icon } from "./icons.js";
import { button, make } from "./tools.js";

const REACTIONS = { "👍": "+1", "👎": "-1", "👀": "eyes", "✅": "white_check_mark" };

// One menu is open at a time; Escape and a click elsewhere close it.
document.addEventListener("click", (event) => {
  for (const menu of document.querySelectorAll("details.menu[open]")) {
    if (!menu.contains(event.target)) menu.open = false;
  }
});
document.addEventListener("keydown", (event) => {
  const menu = event.key === "Escape" && document.querySelector("details.menu[open]");
  if (!menu) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  menu.open = false;
  menu.querySelector("summary").focus();
}, { capture: true });

// A menu opens upwards where there is room for it only above; in a low window one scrolls to it.
function place(menu) {
  menu.classList.remove("up");
  if (!menu.open) return;
  const items = menu.querySelector(".items");
  const room = menu.closest(".messages").getBoundingClientRect();
  const { bottom, height } = items.getBoundingClientRect();
  const above = menu.getBoundingClientRect().top - room.top;
  menu.classList.toggle("up", bottom > room.bottom && above >= height);
  items.scrollIntoView({ block: "nearest" });
}

// `act` has react(message, name), shortcut(message, id), trace(message), edit and remove.
export function messageMenu(message, { mine, shortcuts, act }) {
  const summary = make("summary", { title: "More" }, icon("dots"));
  summary.setAttribute("aria-label", `Actions for the message of ${message.name}`);
  const menu = make("details", { className: "menu" }, summary);
  menu.addEventListener("toggle", () => place(menu));
  const item = (label, action) => button(label, () => {
    menu.open = false;
    action(message);
  });
  const reactions = Object.entries(REACTIONS).map(([emoji, name]) => {
    const element = item(emoji, () => act.react(message, name));
    element.setAttribute("aria-label", `React with ${name}`);
    return element;
  });
  const items = [
    make("div", { className: "row" }, ...reactions),
    item("Reply in thread", act.thread),
    ...shortcuts.map((each) => item(each.name, () => act.shortcut(message, each.callback_id))),
  ];
  if (act.traces()) items.push(item("Show the trace", act.trace));
  if (mine) items.push(item("Edit", act.edit), item("Delete", act.remove));
  menu.append(make("div", { className: "items" }, ...items));
  return menu;
}
