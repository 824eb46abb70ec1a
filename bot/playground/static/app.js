// The page: conversations on the left, the open one on the right, news as they come.

import { composer } from "./composer.js";
import { handsOf, surfaceOf } from "./hands.js";
import { follow, post, upload } from "./server.js";
import { Thread } from "./thread.js";
import { make } from "./tools.js";
import { homeElement, Modal } from "./view.js";

const $ = (id) => document.getElementById(id);
const messages = new Map(); // "channel ts" → message
const newest = new Map(); // channel → ts of the last message seen there
let state = null;
let person = sessionStorage.getItem("person");
let place = null;
let threads = new Map(); // root ts → Thread, of the open conversation

const bot = () => state.bot;
const visible = (message) => !message.ephemeral_to || message.ephemeral_to === person;
const directMessages = () =>
  state.channels.find((each) => each.kind === "im" && each.members.includes(person));

function openPlace() {
  if (place === "home") return { id: "home", kind: "home", name: bot().name };
  // A person's direct messages exist from the first message on; until then they go by "dm".
  if (place === "dm") return directMessages() || { id: "dm", kind: "im", name: bot().name };
  return state.channels.find((each) => each.id === place);
}

function notice(text) {
  $("notice").textContent = text || "";
  $("notice").hidden = !text;
}

async function send(text, threadTs = null) {
  const command = /^\/\S+/.exec(text);
  const where = { user: person, channel: openPlace().id, thread_ts: threadTs };
  let answer;
  try {
    answer = command
      ? await post("command", { ...where, command: command[0], text: text.slice(command[0].length).trim() })
      : await post("post", { ...where, text });
  } catch {
    notice("Not sent: the playground does not answer. Is the demo still running?");
    return false;
  }
  notice(answer.ok || command ? "" : answer.error);
  return answer.ok || Boolean(command);
}

async function attach(file, text, threadTs = null) {
  const id = await upload(person, file);
  const where = { user: person, channel: openPlace().id, thread_ts: threadTs };
  return ask("share", { ...where, file: id, text });
}

// Does something that the app may have to answer; says so when it doesn't.
async function ask(name, body) {
  const answer = await post(name, body);
  const said = Object.keys(answer.problems || {}).length > 0;
  notice(answer.ok || said ? "" : `That did not work: ${answer.error}`);
  return answer.ok;
}

const surface = surfaceOf(() => person, ask);
const hands = {
  ...handsOf(() => person, () => state, surface),
  send,
  attach,
  edit: (message) => {
    const { channel, ts } = message;
    const thread = threads.get(message.thread_ts || ts);
    thread.edit(message, (text) => ask("edit", { user: person, channel, ts, text }));
  },
};
const modal = new Modal(surface);

function go(where) {
  place = where;
  location.hash = where;
  if (where === "home") post("home", { user: person });
  render();
}

function render() {
  renderPlaces();
  const open = openPlace();
  const direct = open.kind === "im";
  document.body.classList.toggle("at-home", open.kind === "home");
  if (open.kind === "home") {
    renderHome();
    return;
  }
  $("title").textContent = direct ? `Direct messages with ${bot().name}` : `#${open.name}`;
  document.title = `${direct ? bot().name : `#${open.name}`} · Playground`;
  threads = new Map();
  $("messages").replaceChildren();
  const placeholder = direct
    ? `Message ${bot().name}`
    : `Message #${open.name}, or @${bot().name} …`;
  const mention = direct ? null : bot().name;
  $("composer").replaceChildren(composer({ placeholder, mention, label: "Send", send, attach }));
  $("suggestions").replaceChildren(...state.suggestions.map((text) => {
    const asked = direct || /^[/@]/.test(text) ? text : `@${bot().name} ${text}`;
    const button = make("button", { type: "button", textContent: text });
    button.addEventListener("click", () => send(asked));
    return button;
  }), ...globalShortcuts());
  const here = [...messages.values()].filter((each) => each.channel === open.id);
  here.sort((one, other) => (one.ts < other.ts ? -1 : 1)).forEach(show);
  renderStatuses();
  renderModal();
  renderEmpty();
  const list = $("messages");
  list.scrollTop = list.scrollHeight;
  const target = location.hash.split("/")[1];
  if (target && threads.has(target)) {
    threads.get(target).element.classList.add("target");
    threads.get(target).element.scrollIntoView();
  }
}

function globalShortcuts() {
  return state.shortcuts.filter((each) => each.type === "global").map(({ name, callback_id }) => {
    const button = make("button", { type: "button", textContent: `⚡ ${name}` });
    button.addEventListener("click", () => ask("shortcut", { user: person, callback_id }));
    return button;
  });
}

function renderHome() {
  const view = state.homes.find((each) => each.user === person);
  const version = JSON.stringify([person, view?.hash, view?.errors]);
  const list = $("messages");
  $("title").textContent = `${bot().name} · Home`;
  document.title = `${bot().name} · Playground`;
  threads = new Map();
  if (list.firstElementChild?.dataset.version !== version) {
    const element = homeElement(view, bot().name, surface);
    element.dataset.version = version;
    list.replaceChildren(element);
  }
  renderModal();
}

function renderPlaces() {
  const button = (id, label) => {
    const element = make("button", { type: "button", textContent: label });
    const isOpen = id === place;
    if (isOpen) element.setAttribute("aria-current", "page");
    const channel = id === "dm" ? directMessages()?.id : id;
    const last = newest.get(channel) || "";
    element.classList.toggle("news", !isOpen && [...messages.values()].some(
      (each) => each.channel === channel && each.ts > last && visible(each)));
    element.addEventListener("click", () => go(id));
    return element;
  };
  const mine = state.channels.filter((each) => each.kind !== "im"
    && (each.kind === "channel" || each.members.includes(person)));
  $("places").replaceChildren(
    make("h2", { textContent: "Channels" }),
    ...mine.map((each) => button(each.id, `${each.kind === "group" ? "🔒 " : "# "}${each.name}`)),
    make("h2", { textContent: "Direct messages" }),
    button("dm", bot().name),
    button("home", `${bot().name} · Home`),
  );
}

function renderStatuses() {
  const open = openPlace();
  for (const [ts, thread] of threads) {
    const status = state.statuses.find((each) => each.channel === open.id && each.thread_ts === ts);
    thread.setStatus(status ? `${bot().name} ${status.text}` : "");
  }
}

function renderModal() {
  modal.show(state.views.find((each) => each.user === person));
}

function renderEmpty() {
  const list = $("messages");
  list.querySelector(".empty")?.remove();
  if (!threads.size) {
    list.append(make("p", { className: "empty", textContent: "No messages here yet. Ask something below." }));
  }
}

function seen({ channel, ts }) {
  if (ts > (newest.get(channel) || "")) newest.set(channel, ts);
}

function show(message) {
  seen(message);
  if (!visible(message)) return null;
  const rootTs = message.thread_ts || message.ts;
  if (!threads.has(rootTs)) {
    const thread = new Thread(rootTs, hands);
    threads.set(rootTs, thread);
    const list = $("messages");
    const after = [...list.children].find((each) => each.dataset.ts > rootTs);
    list.insertBefore(thread.element, after || null);
  }
  return threads.get(rootTs).show(message);
}

function forget({ channel, ts }) {
  messages.delete(`${channel} ${ts}`);
  if (channel !== openPlace().id) return;
  if (threads.has(ts)) {
    threads.get(ts).element.remove();
    threads.delete(ts);
  }
  for (const thread of threads.values()) thread.remove(ts);
}

function renderPeople() {
  if (!state.people.some((each) => each.id === person)) person = state.people[0]?.id;
  $("person").replaceChildren(...state.people.map((each) =>
    make("option", { value: each.id, textContent: each.name, selected: each.id === person })));
}

function firstPlace() {
  const wanted = decodeURIComponent(location.hash.slice(1)).split("/")[0];
  const found = state.channels.find((each) => each.id === wanted || each.name === wanted);
  if (wanted === "home") return "home";
  if (wanted === "dm" || found?.kind === "im") return "dm";
  return (found || state.channels.find((each) => each.kind === "channel"))?.id || "dm";
}

function update(news, fresh) {
  if (fresh) messages.clear();
  state = news;
  for (const message of news.messages) {
    messages.set(`${message.channel} ${message.ts}`, message);
    if (fresh) seen(message);
  }
  const bar = $("connection");
  const connected = news.connected > 0 || news.http;
  bar.textContent = connected ? `${news.bot.name} is connected` : `${news.bot.name} is not connected`;
  bar.classList.toggle("off", !connected);
  if (fresh || $("person").options.length !== news.people.length) {
    renderPeople();
    place = firstPlace();
    render();
    return;
  }
  if (place === "home") {
    renderPlaces();
    renderHome();
    return;
  }
  const list = $("messages");
  const atEnd = list.scrollHeight - list.scrollTop - list.clientHeight < 80;
  const here = news.messages.filter((each) => each.channel === openPlace().id);
  const shown = here.map(show).filter(Boolean);
  news.removed.forEach(forget);
  renderPlaces();
  renderStatuses();
  renderModal();
  renderEmpty();
  const last = shown.at(-1);
  // A long answer is read from its beginning.
  if (last && last.clientHeight > list.clientHeight * 0.8) last.scrollIntoView({ block: "start" });
  else if (atEnd) list.scrollTop = list.scrollHeight;
  else shown.at(-1)?.scrollIntoView({ block: "nearest" });
}

function lost(isLost) {
  if (!isLost) return;
  $("connection").textContent = "The playground does not answer; trying again…";
  $("connection").classList.add("off");
}

$("person").addEventListener("change", (event) => {
  person = event.target.value;
  sessionStorage.setItem("person", person);
  render();
});
addEventListener("hashchange", () => {
  if (!state) return;
  const wanted = firstPlace();
  if (wanted !== place) {
    place = wanted;
    render();
  }
});

follow(update, lost);
