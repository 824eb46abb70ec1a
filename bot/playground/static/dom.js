// Builds elements from the server's nodes. Text only ever becomes text: there is no innerHTML here.

const TAGS = new Set([
  "a", "p", "div", "span", "strong", "em", "s", "code", "pre", "blockquote", "ul", "ol", "li", "br", "hr",
  "h1", "h2", "h3", "h4", "h5", "h6", "table", "thead", "tbody", "tr", "th", "td",
]);
const KINDS = new Set([
  "mention", "ping", "markdown", "section", "fields", "context", "header", "actions", "unknown", "label",
  "primary", "danger",
]);

export function make(tag, properties = {}, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

export function safeUrl(text) {
  try {
    const url = new URL(text);
    return ["http:", "https:", "mailto:"].includes(url.protocol) ? url.href : null;
  } catch {
    return null;
  }
}

function anchor(href) {
  return make("a", { href, target: "_blank", rel: "noopener noreferrer" });
}

// `click` is called with the node of a button.
export function build(node, click) {
  if (typeof node === "string") return document.createTextNode(node);
  let element;
  if (node.tag === "button") {
    const href = node.url && safeUrl(node.url);
    element = href ? anchor(href) : make("button", { type: "button" });
    element.addEventListener("click", () => click(node));
  } else if (node.tag === "a") {
    const href = safeUrl(node.href);
    element = href ? anchor(href) : make("span");
  } else {
    element = make(TAGS.has(node.tag) ? node.tag : "span");
  }
  if (KINDS.has(node.kind)) element.classList.add(node.kind);
  for (const child of node.children || []) element.append(build(child, click));
  return element;
}
