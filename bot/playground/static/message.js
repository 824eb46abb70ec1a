// One message.

import { build } from "./dom.js";
import { messageMenu } from "./menu.js";
import { make, moment } from "./tools.js";

const EMOJI = { thumbsup: "👍", "+1": "👍", thumbsdown: "👎", "-1": "👎", eyes: "👀", white_check_mark: "✅" };

function initials(name) {
  return name.split(/\s+/).map((word) => word[0]).join("").slice(0, 2).toUpperCase();
}

function reactions(message, hands) {
  const shown = message.reactions.map(({ name, count }) => {
    const element = make("button", { type: "button", textContent: `${EMOJI[name] || `:${name}:`} ${count}` });
    element.setAttribute("aria-label", `${name}, ${count}; react too, or take it back`);
    element.dataset.key = name;
    element.addEventListener("click", () => hands.react(message, name));
    return element;
  });
  return make("div", { className: "reactions" }, ...shown);
}

// `hands` has acting(message), mine(message), shortcuts() and what menu.js needs.
export function messageElement(message, hands) {
  const time = make("time", { textContent: moment(message.ts) });
  const byline = make("div", { className: "byline" }, make("b", { textContent: message.name }), time);
  if (message.is_bot) byline.append(make("span", { className: "app", textContent: "app" }));
  if (message.ephemeral_to) byline.append(make("span", { textContent: "only you can see this" }));
  if (message.edited && !message.is_bot) byline.append(make("span", { textContent: "edited" }));
  const avatar = make("div", { className: "avatar", textContent: initials(message.name) });
  avatar.setAttribute("aria-hidden", "true");
  const body = make("div", { className: "body" });
  const act = hands.acting(message);
  for (const node of message.nodes) body.append(build(node, act));
  if (message.reactions.length) body.append(reactions(message, hands));
  const element = make("article", { className: "message", tabIndex: -1 }, avatar, byline, body);
  element.setAttribute("aria-label", `${message.name}, ${time.textContent}`);
  if (!message.ephemeral_to && !message.gone) {
    byline.append(messageMenu(message, { mine: hands.mine(message), shortcuts: hands.shortcuts(), act: hands }));
  }
  element.classList.toggle("bot", message.is_bot);
  element.classList.toggle("gone", message.gone);
  element.classList.toggle("only-you", Boolean(message.ephemeral_to));
  return element;
}
