// The conversations on the left.

import { draw } from "./keep.js";
import { button, make } from "./tools.js";

export function renderPlaces(container, store, { person, place, go }) {
  const { bot, home } = store.state;
  const direct = store.directMessages(person)?.id || "dm";
  const entry = (id, target, label) => {
    const element = button(label, () => go(target));
    element.dataset.key = id;
    if (id === place) element.setAttribute("aria-current", "page");
    if (id !== place && store.hasNews(id, person)) {
      element.classList.add("news");
      element.append(make("span", { className: "hidden", textContent: " (new messages)" }));
    }
    return make("li", {}, element);
  };
  const channels = store.channels(person).map((each) =>
    entry(each.id, each.id, `${each.kind === "group" ? "🔒" : "#"} ${each.name}`));
  const own = [entry(direct, "dm", bot.name)];
  if (home) own.push(entry("home", "home", `${bot.name} · Home`));
  draw(container,
    make("h2", { textContent: "Channels" }), make("ul", {}, ...channels),
    make("h2", { textContent: "Direct messages" }), make("ul", {}, ...own),
  );
}

export function renderPeople(select, people, person) {
  draw(select, ...people.map((each) => make("option", { value: each.id, textContent: each.name })));
  select.value = person;
}
