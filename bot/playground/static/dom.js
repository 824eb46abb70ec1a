// Builds elements from the server's nodes. Text only ever becomes text: there is no innerHTML here.

import { CONTROLS, finish } from "./controls.js";
import { dated } from "./dates.js";
import { make, safeUrl } from "./tools.js";

const TAGS = new Set([
  "a", "p", "div", "span", "strong", "em", "s", "code", "pre", "blockquote", "ul", "ol", "li", "br", "hr",
  "h1", "h2", "h3", "h4", "h5", "h6", "table", "thead", "tbody", "tr", "th", "td",
]);
const KINDS = new Set([
  "mention", "ping", "markdown", "section", "fields", "context", "header", "actions", "unknown", "label",
  "primary", "danger", "accessory", "attachment", "overflow", "rich_text", "center", "right", "indented",
]);

// `act` is what using a control does; see controls.js.
export function build(node, act) {
  if (typeof node === "string") return document.createTextNode(node);
  let element;
  if (Object.hasOwn(CONTROLS, node.tag)) {
    element = CONTROLS[node.tag](node, act);
  } else if (node.tag === "a") {
    const href = safeUrl(node.href);
    element = href ? make("a", { href, target: "_blank", rel: "noopener noreferrer" }) : make("span");
  } else if (node.tag === "time") {
    return make("time", { textContent: dated(node.seconds, node.format), title: node.children[0] });
  } else {
    element = make(TAGS.has(node.tag) ? node.tag : "span");
  }
  if (node.tag === "ol") element.start = node.start || 1;
  if (KINDS.has(node.kind)) element.classList.add(node.kind);
  for (const child of node.children || []) element.append(build(child, act));
  finish(element, node);
  return element;
}
