// Traffic: each event, command, click, call and answer, with its milliseconds.

import { get, wait } from "./server.js";
import { make, milliseconds } from "./tools.js";

const MOST = 300;
const KINDS = {
  event: "event →", command: "command →", interaction: "click →", call: "← call", response: "← response",
};

export class Traffic {
  constructor() {
    this.name = "traffic";
    this.label = "Traffic";
    this.list = make("div", { className: "traffic" });
    this.element = make("div", {}, make("p", {
      className: "about",
      textContent: "What the workspace sends to the bot (→) and what the bot calls (←), newest first.",
    }), this.list);
    this.last = 0;
    this.watch = null;
  }

  show() {
    const watch = new AbortController();
    this.watch = watch;
    this.follow(watch.signal);
  }

  hide() {
    this.watch?.abort();
  }

  async follow(signal) {
    let run = "";
    let seconds = 0;
    while (!signal.aborted) {
      try {
        const query = `since=${this.last}&run=${run}&wait=${seconds}`;
        const news = await get(`traffic?${query}`, { signal });
        if (run && news.run !== run) this.list.replaceChildren();
        news.exchanges.filter((each) => !this.list.querySelector(`[data-number="${each.number}"]`))
          .forEach((each) => this.add(each));
        this.last = news.exchanges.at(-1)?.number ?? this.last;
        run = news.run;
        seconds = 20;
      } catch {
        seconds = 0;
        this.last = 0;
        if (!signal.aborted) await wait(1000);
      }
    }
  }

  add(exchange) {
    const { number, kind, name, note, outcome } = exchange;
    const time = new Date(exchange.at * 1000).toLocaleTimeString([], { hour12: false });
    const summary = make("summary", {},
      make("span", { className: "faint", textContent: time }),
      make("span", { className: "kind", textContent: KINDS[kind] || kind }),
      make("span", { className: "name", textContent: note ? `${name} (${note})` : name }),
      make("span", { className: outcome === "ok" ? "faint" : "warn", textContent: outcome }),
      make("span", { className: "ms", textContent: milliseconds(exchange.milliseconds) }),
    );
    const row = make("details", {}, summary);
    row.dataset.number = number;
    row.addEventListener("toggle", () => row.open && this.fill(row, number), { once: true });
    this.list.prepend(row);
    while (this.list.children.length > MOST) this.list.lastElementChild.remove();
  }

  async fill(row, number) {
    const { sent, answered } = await get(`traffic/${number}`);
    for (const [label, text] of [["sent", sent], ["answered", answered]]) {
      if (!text) continue;
      const shown = make("pre", { textContent: text, tabIndex: 0 });
      shown.setAttribute("aria-label", label);
      row.append(make("p", { className: "faint", textContent: label }), shown);
    }
  }
}
