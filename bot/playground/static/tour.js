// What to try first, above the box of every channel.

import { keeping } from "./keep.js";
import { button, make } from "./tools.js";

// `does` has ask(text), follow(text), alert(), document() and why(); `asked` is whether the tour's
// question was asked here and answered.
export function renderTour(container, state, { asked, does }) {
  const { tour, bot, shortcuts, trace } = state;
  const steps = [];
  const step = (label, action, { disabled = false, title = "" } = {}) => {
    const element = button(label, action, { title });
    if (disabled) element.setAttribute("aria-disabled", "true");
    steps.push(make("li", {}, element));
  };
  if (tour) {
    step(tour.question, () => does.ask(tour.question), { title: "Its answer is in the runbooks" });
    step(`↳ ${tour.follow_up}`, () => asked && does.follow(tour.follow_up), {
      disabled: !asked,
      title: asked ? "Asks on in the same thread" : "Ask the question before it first",
    });
    step(tour.unknown, () => does.ask(tour.unknown), { title: "The runbooks don't say: NO_MATCH" });
    if (tour.alert) step("Post an alert", does.alert, { title: "As a monitoring bot would" });
    if (tour.document) step(`Ingest ${tour.document}`, does.document, { title: "A file of its own" });
    if (tour.document && tour.about) step(tour.about, () => does.ask(tour.about), { title: "Once it is ingested" });
    if (trace) step("Why? Show the trace", does.why, { title: "What the bot did for the thread" });
  }
  for (const { name, callback_id } of shortcuts.filter((each) => each.type === "global")) {
    step(name, () => does.shortcut(callback_id), { title: `A shortcut of ${bot.name}` });
  }
  container.hidden = !steps.length;
  const version = JSON.stringify([tour, shortcuts, asked]);
  if (container.dataset.version === version) return;
  container.dataset.version = version;
  keeping(container, () => container.replaceChildren(
    make("h3", { textContent: "Try" }), make("ol", {}, ...steps), unfolding(container, steps.length)));
}

// Where room is scarce the steps stand in one row, and this shows all of them.
function unfolding(container, count) {
  const element = button("", () => {
    container.classList.toggle("unfolded");
    say();
  }, { className: "all" });
  const say = () => {
    const unfolded = container.classList.contains("unfolded");
    element.textContent = unfolded ? "Fewer" : `All ${count}`;
    element.setAttribute("aria-expanded", unfolded);
  };
  say();
  return element;
}
