// The page put together: places on the left, a conversation, a thread beside it, a drawer below.

import { Drawer } from "./drawer.js";
import { Faults } from "./faults.js";
import { handsOf, offersOf, surfaceOf } from "./hands.js";
import { Main } from "./main.js";
import { Pane } from "./pane.js";
import { renderPeople, renderPlaces } from "./places.js";
import { follow, post, upload } from "./server.js";
import { standsAlone, Store, visible } from "./store.js";
import { renderTour } from "./tour.js";
import { Trace } from "./trace.js";
import { Traffic } from "./traffic.js";
import { Modal } from "./view.js";

const $ = (id) => document.getElementById(id);
const store = new Store();
let person = sessionStorage.getItem("person");
const DOWN = "Not sent, as the demo does not answer. Is it still running?";
let awaited = null; // { channel, since }: the thread that opens by itself once the app replies

// Says what went wrong where it is seen: a form or a thread may lie over the conversation.
function notice(text) {
  const [place] = ["view-form", "thread", "main"].map($).filter((each) => each.checkVisibility({ visibilityProperty: true }));
  place.querySelector(":scope > footer").before($("notice"));
  $("notice").textContent = text;
  $("notice").hidden = !text;
}

// Does something that the app may have to answer. Returns the answer, if it worked, and in `problem`
// what is to be said if it didn't.
async function attempt(name, body) {
  try {
    const answer = await post(name, body);
    const said = answer.ok || Object.keys(answer.problems || {}).length > 0;
    return { answer: answer.ok ? answer : null, problem: said ? "" : `That did not work: ${answer.error}` };
  } catch {
    return { answer: null, problem: DOWN };
  }
}

async function ask(name, body) {
  const { answer, problem } = await attempt(name, body);
  notice(problem);
  return answer;
}

const surface = surfaceOf(() => person, ask);
const hands = {
  ...handsOf(() => person, store, surface),
  offers: () => offersOf(store),
  thread: (message) => go(main.place.id, message.thread_ts || message.ts, true),
  trace: (message) => {
    go(main.place.id, message.thread_ts || message.ts);
    drawer.open("trace");
  },
  // These return what is to be said where something could not be sent.
  async send(text, thread_ts) {
    const where = { user: person, channel: main.place.id, thread_ts };
    const [, command, rest] = /^(\/\S+)\s*([\s\S]*)$/.exec(text) || [];
    if (!command) return sent(await attempt("post", { ...where, text }), thread_ts);
    awaitReply(main.place.id, newest());
    const { problem } = await attempt("command", { ...where, command, text: rest.trim() });
    return problem === DOWN ? problem : ""; // anything else the workspace says in the channel
  },
  async attach({ file, clip }, text, thread_ts) {
    const where = { user: person, channel: main.place.id, thread_ts };
    const id = await upload(person, file).catch(() => null);
    if (!id) return DOWN;
    return sent(await attempt("share", { ...where, file: id, text, clip }), thread_ts);
  },
  async change({ channel, ts }, text) {
    return (await attempt("edit", { user: person, channel, ts, text })).problem;
  },
  editLast(root) {
    const { id } = main.place;
    const there = root ? [store.get(id, root), ...store.replies(id, root, person)] : store.all(id, person).filter(standsAlone);
    const last = there.findLast((each) => each && each.user === person && !each.gone);
    if (last) (root ? pane : main).messages.edit(last);
  },
};
const does = {
  ask: async (text) => notice(await hands.send(main.place.kind === "im" ? text : `@${store.state.bot.name} ${text}`, null)),
  shortcut: (callback_id) => ask("shortcut", { user: person, callback_id }),
  why: () => drawer.open("trace"),
  async follow(text) {
    const root = answered();
    go(root.channel, root.ts);
    notice(await hands.send(text, root.ts));
  },
  async alert() {
    const sent = await ask("alert", { channel: main.place.id });
    if (sent) awaitReply(sent.channel, sent.ts);
  },
  async document() {
    const sent = await ask("document", { user: person, channel: main.place.id });
    if (sent) awaitReply(sent.channel, sent.ts);
  },
};

const main = new Main(store, () => person, hands, surface);
const pane = new Pane(() => person, hands, () => closeThread());
const modal = new Modal(surface);
const faults = new Faults((name, on) => ask("switch", { name, on }));
const trace = new Trace(() => pane.root || latest());
const drawer = new Drawer([new Traffic(), trace, faults]);

function sent({ answer, problem }, thread_ts) {
  if (answer && !thread_ts) awaitReply(answer.channel, answer.ts);
  return problem;
}

function newest() {
  return store.all(main.place.id, person).at(-1)?.ts || "";
}

function awaitReply(channel, since) {
  awaited = { channel, since };
}

// The thread of the tour's question here, once it was answered.
function answered() {
  const { tour, bot } = store.state;
  return tour && store.all(main.place.id, person).findLast((each) => !each.thread_ts
    && each.typed.endsWith(tour.question)
    && store.replies(each.channel, each.ts, person).some((reply) => reply.user === bot.id));
}

// The newest thread here that the app replied in.
function latest() {
  const reply = store.all(main.place.id, person).findLast((each) =>
    each.user === store.state.bot.id && each.thread_ts);
  return reply ? { channel: reply.channel, ts: reply.thread_ts } : null;
}

function address() {
  const [place, thread] = decodeURIComponent(location.hash.slice(1)).split("/");
  return { place, thread };
}

function go(place, thread = "", focus = false) {
  const hash = `#${place}${thread ? `/${thread}` : ""}`;
  if (location.hash !== hash) history.pushState(null, "", hash);
  followAddress();
  if (focus && pane.isOpen) pane.focus();
}

function closeThread() {
  const root = pane.root;
  go(main.place.id);
  const item = main.messages.item(root?.ts);
  (item?.querySelector(".replies") || item?.querySelector("summary"))?.focus();
}

// Shows what the address says.
function followAddress() {
  const { place: wanted, thread } = address();
  const place = store.place(wanted, person);
  const changed = place.id !== main.place?.id;
  if (changed) main.open(place);
  if (changed && place.kind === "home") post("home", { user: person });
  const known = thread && store.get(place.id, thread);
  // A link to a reply leads to its thread.
  const root = known?.thread_ts || thread;
  if (known && !pane.has({ channel: place.id, ts: root })) {
    pane.open({ channel: place.id, ts: root }, [store.get(place.id, root), ...store.replies(place.id, root, person)].filter(Boolean));
  } else if (!known && pane.isOpen) {
    pane.close();
  }
  trace.update();
  renderAround();
}

function renderAround() {
  const { state } = store;
  document.title = `${$("title").textContent} · Playground`;
  renderPlaces($("places"), store, { person, place: main.place.id, go });
  if (main.place.kind === "home") main.renderHome();
  else main.renderStatuses();
  if (pane.isOpen) pane.setStatus(store.status(pane.root.channel, pane.root.ts));
  renderTour($("tour"), state, { asked: Boolean(answered()), does });
  faults.update(state.switches);
  drawer.offer(["traffic", "faults", ...(state.trace ? ["trace"] : [])]);
  modal.show(shownView());
  const connected = state.connected > 0 || state.http;
  $("connection").textContent = connected ? `${state.bot.name} is connected` : `${state.bot.name} is not connected`;
  $("connection").classList.toggle("off", !connected);
}

function shownView() {
  return store.state.views.find((each) => each.user === person);
}

function restart() {
  if (!store.state.people.some((each) => each.id === person)) person = store.state.people[0]?.id;
  renderPeople($("person"), store.state.people, person);
  main.place = null;
  pane.close();
  modal.begin(shownView());
  followAddress();
}

function update(news, fresh) {
  const first = store.state === null;
  store.take(news, fresh);
  if (first || !news.people.some((each) => each.id === person)) {
    restart();
    return;
  }
  renderPeople($("person"), news.people, person);
  // One's first direct message gives that place its id.
  if (main.place.id === "dm") main.place = store.place("dm", person);
  const shown = news.messages.filter((each) => visible(each, person));
  main.messages.sweep((ts) => store.get(main.place.id, ts));
  if (pane.isOpen) pane.messages.sweep((ts) => store.get(pane.root.channel, ts));
  if (pane.isOpen && !store.get(pane.root.channel, pane.root.ts)) closeThread();
  const here = shown.filter((each) => each.channel === main.place.id);
  main.take(here);
  if (pane.isOpen) pane.take(shown);
  const reply = awaited && here.find((each) => each.channel === awaited.channel
    && each.user === news.bot.id && each.thread_ts && each.thread_ts >= awaited.since);
  if (reply) {
    awaited = null;
    go(reply.channel, reply.thread_ts);
    return;
  }
  if (shown.some((each) => pane.has(each))) trace.update();
  // The thread of the address may have come only now.
  if (fresh || (address().thread && !pane.isOpen)) followAddress();
  else renderAround();
}

function lost(isLost) {
  if (!isLost) return;
  $("connection").textContent = "The playground does not answer; trying again…";
  $("connection").classList.add("off");
}

$("person").addEventListener("change", (event) => {
  person = event.target.value;
  sessionStorage.setItem("person", person);
  restart();
});
addEventListener("hashchange", () => store.state && followAddress());
addEventListener("popstate", () => store.state && followAddress());
addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || event.defaultPrevented || $("view").open) return;
  if (drawer.shown) drawer.close();
  else if (pane.isOpen) closeThread();
});

follow(update, lost);
