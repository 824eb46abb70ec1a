// Elements that can be used: buttons, selects, fields. `act` says what using them does:
// send(node, value), options(node, query), upload(file), download(node), message(sentence).

import { make, safeUrl } from "./tools.js";

const readers = new WeakMap(); // control → () => its value
const shapes = new WeakMap(); // control → what it was drawn from, but for its value
const touched = new WeakSet(); // controls that somebody has changed
let numbers = 0;

// What stands in the fields below an element: a text or a list of texts by action_id.
export function values(container) {
  const found = {};
  for (const element of container.querySelectorAll("[data-action]")) {
    found[element.dataset.action] = readers.get(element)();
  }
  return found;
}

// The fields below an element that somebody has changed.
export function entered(container) {
  return [...container.querySelectorAll("[data-action]")].filter((each) => touched.has(each));
}

// Puts a field that was changed in the place of the same field, drawn anew. The app decides what is
// the same, as in Slack: one whose block and action keep their ids.
export function carry(old, container) {
  const drawn = [...container.querySelectorAll("[data-action]")].find((each) => shapes.get(each) === shapes.get(old));
  if (!drawn || drawn === old) return;
  for (const name of ["id", "aria-invalid"]) {
    if (drawn.hasAttribute(name)) old.setAttribute(name, drawn.getAttribute(name));
    else old.removeAttribute(name);
  }
  whole(drawn).replaceWith(whole(old));
}

// With what belongs to it: the list that a box is searched in.
function whole(control) {
  return control.closest(".search") || control;
}

function shapeOf({ options = [], ...node }) {
  const offered = node.external ? [] : options.map(({ text, value }) => [text, value]);
  return JSON.stringify({ ...node, value: "", files: [], offered });
}

function field(element, node, read, act) {
  element.dataset.action = node.action_id;
  readers.set(element, read);
  shapes.set(element, shapeOf(node));
  for (const event of ["input", "change"]) element.addEventListener(event, () => touched.add(element));
  if (node.dispatches) {
    element.addEventListener("change", () => {
      if (read().length) act.send(node, read());
    });
  }
  return element;
}

function button(node, act) {
  const href = node.url && safeUrl(node.url);
  const element = href
    ? make("a", { href, target: "_blank", rel: "noopener noreferrer" })
    : make("button", { type: "button" });
  if (node.label) element.setAttribute("aria-label", node.label);
  element.addEventListener("click", () => {
    if (!node.confirm || window.confirm(node.confirm)) act.send(node, node.value);
  });
  return element;
}

function menu(node) {
  const summary = make("summary", { textContent: "⋯" });
  summary.setAttribute("aria-label", node.label);
  return make("details", {}, summary);
}

function option({ text, value, chosen }) {
  return make("option", { textContent: text, value, selected: Boolean(chosen) });
}

function select(node, act) {
  if (node.external) return external(node, act);
  const element = make("select", { multiple: node.several });
  if (!node.several) element.append(option({ text: node.placeholder, value: "" }));
  element.append(...node.options.map(option));
  const read = () => (node.several ? [...element.selectedOptions].map((each) => each.value) : element.value);
  return labelled(field(element, node, read, act), node.placeholder);
}

// A box to search in; the app says what it offers for what was typed.
function external(node, act) {
  const list = make("datalist", { id: `options-${++numbers}` });
  const known = new Map(node.options.map(({ text, value }) => [text, value]));
  const box = make("input", { type: "text", placeholder: node.placeholder, autocomplete: "off" });
  box.setAttribute("list", list.id);
  box.value = node.options.find((each) => each.chosen)?.text || "";
  box.addEventListener("input", async () => {
    if (known.has(box.value)) return;
    for (const { text, value } of await act.options(node, box.value)) {
      if (!known.has(text)) list.append(make("option", { value: text }));
      known.set(text, value);
    }
  });
  const read = () => {
    const value = known.get(box.value) || "";
    return node.several ? [value].filter(Boolean) : value;
  };
  field(box, node, read, act);
  return make("span", { className: "search" }, labelled(box, node.placeholder), list);
}

function input(node, act) {
  const element = make(node.tag, { placeholder: node.placeholder, value: node.value });
  if (node.tag === "textarea") element.rows = 4;
  else element.type = node.type;
  if (node.type === "file") return upload(element, node, act);
  if (node.type === "number") element.step = "any";
  return labelled(field(element, node, () => element.value, act), node.placeholder);
}

function upload(element, node, act) {
  let ids = node.files.map((each) => each.id);
  const names = make("span", { textContent: node.files.map((each) => each.name).join(", ") });
  element.value = "";
  element.addEventListener("change", async () => {
    ids = await Promise.all([...element.files].map(act.upload));
    names.textContent = "";
  });
  return make("span", {}, field(element, { ...node, dispatches: false }, () => ids, act), names);
}

function checks(node, act) {
  const group = make("fieldset", { className: "checks" });
  const name = `checks-${++numbers}`;
  const boxes = node.options.map(({ text, about, value, chosen }) => {
    const box = make("input", { type: node.type, name, value, checked: Boolean(chosen) });
    group.append(make("label", {}, box, ` ${text}`, make("small", { textContent: about })));
    return box;
  });
  const read = () => {
    const chosen = boxes.filter((box) => box.checked).map((box) => box.value);
    return node.type === "radio" ? chosen[0] || "" : chosen;
  };
  return field(group, node, read, act);
}

function labelled(element, label) {
  if (label) element.setAttribute("aria-label", label);
  return element;
}

// An input block: the label belongs to its control, and an error can be put below it.
function block(node) {
  const label = make("label", { textContent: node.label });
  const hint = make("p", { className: "hint", textContent: node.hint, hidden: !node.hint });
  const element = make("div", { className: "field" }, label, hint);
  element.dataset.block = node.block_id;
  return element;
}

// After its children are in place: point the label at the control.
export function finish(element, node) {
  if (node.tag !== "field") return;
  const inside = element.querySelector("[data-action]");
  if (!inside) return;
  inside.id = `field-${++numbers}`;
  element.querySelector("label").htmlFor = inside.id;
  inside.removeAttribute("aria-label");
  element.append(element.querySelector(".hint"));
}

function file(node, act) {
  const element = make("button", { type: "button", className: "file" });
  element.addEventListener("click", () => act.download(node));
  return element;
}

export const CONTROLS = { button, menu, select, input, textarea: input, checks, field: block, file };
