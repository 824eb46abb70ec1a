// Trace: what the app did for each turn of a thread. The app's side says it in titles, notes and tables.

import { draw } from "./keep.js";
import { get } from "./server.js";
import { make, milliseconds } from "./tools.js";

function table({ columns, rows }) {
  const head = make("tr", {}, ...columns.map((text) => {
    const cell = make("th", { textContent: text });
    cell.scope = "col";
    return cell;
  }));
  const body = rows.map(({ cells, marked }) => {
    const row = make("tr", {}, ...cells.map((text) => make("td", { textContent: text })));
    row.classList.toggle("marked", marked);
    return row;
  });
  const element = make("table", {}, make("thead", {}, head), make("tbody", {}, ...body));
  const box = make("div", { className: "wide", tabIndex: 0 }, element);
  box.setAttribute("role", "region");
  box.setAttribute("aria-label", "Candidates");
  return box;
}

function step({ title, milliseconds: took, notes, table: content }) {
  const head = make("h4", { textContent: title });
  if (took !== null) head.append(make("span", { className: "ms", textContent: milliseconds(took) }));
  const element = make("li", {}, head);
  if (notes.length) element.append(make("ul", {}, ...notes.map((text) => make("li", { textContent: text }))));
  if (content) element.append(table(content));
  return element;
}

function turn({ title, outcome, milliseconds: took, steps }) {
  const end = [outcome, milliseconds(took)].filter(Boolean).join(" · ");
  const head = make("h3", { textContent: title }, make("span", { className: "outcome", textContent: end }));
  return make("article", { className: "turn" }, head, make("ol", {}, ...steps.map(step)));
}

export class Trace {
  // `thread()` returns the { channel, ts } to show, or null.
  constructor(thread) {
    this.name = "trace";
    this.label = "Trace";
    this.thread = thread;
    this.element = make("div", { className: "trace" });
    this.element.setAttribute("aria-live", "polite");
    this.visible = false;
  }

  show() {
    this.visible = true;
    this.update();
  }

  hide() {
    this.visible = false;
  }

  async update() {
    if (!this.visible) return;
    const thread = this.thread();
    const { turns } = thread ? await get(`trace?${new URLSearchParams(thread)}`) : { turns: [] };
    const text = thread ? "The bot did nothing for this thread." : "Ask something, or open a thread, to see what the bot did for it.";
    const shown = turns.length ? turns.toReversed().map(turn) : [make("p", { className: "about", textContent: text })];
    draw(this.element, ...shown);
  }
}
