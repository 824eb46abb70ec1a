// Draws a part of the page anew without interrupting whoever is in the middle of it: the focus and
// the caret, what was entered and not yet sent, open menus, and what was scrolled stay as they were.

import { carry, entered } from "./controls.js";

const SCROLLS = "pre, table, .wide";
const CARETS = "textarea, input[type=text]";

// Puts `children` into `container`; leaves it alone where they say what stands there already.
export function draw(container, ...children) {
  const old = [...container.childNodes];
  const same = old.length === children.length && old.every((each, index) => each.isEqualNode(children[index]));
  if (!same) keeping(container, () => container.replaceChildren(...children));
}

// Lets `change` replace what it likes in `container`.
export function keeping(container, change) {
  const { scrollTop } = container;
  const active = container.contains(document.activeElement) ? document.activeElement : null;
  const focus = active && { place: placeOf(container, active), caret: active.matches(CARETS) && caretOf(active) };
  const fields = entered(container);
  const open = [...container.querySelectorAll("details[open]")].map((each) => placeOf(container, each));
  const scrolled = [...container.querySelectorAll(SCROLLS)].map((each) => [each.scrollLeft, each.scrollTop]);
  change();
  fields.forEach((each) => carry(each, container));
  for (const place of open) find(container, place)?.setAttribute("open", "");
  [...container.querySelectorAll(SCROLLS)].slice(0, scrolled.length).forEach((each, index) => {
    [each.scrollLeft, each.scrollTop] = scrolled[index];
  });
  container.scrollTop = scrollTop;
  if (!active || document.activeElement === active) return;
  const now = active.isConnected ? active : find(container, focus.place);
  (now || container.querySelector("[tabindex]") || container).focus({ preventScroll: true });
  if (now && focus.caret) now.setSelectionRange(...focus.caret);
}

function caretOf(box) {
  return [box.selectionStart, box.selectionEnd, box.selectionDirection];
}

function labelOf(element) {
  const named = element.matches("details") ? element.querySelector("summary") : element;
  return named.dataset.key || named.getAttribute("aria-label") || named.textContent.trim();
}

// What an element is called, and which of those called so it is.
function placeOf(container, element) {
  const { tagName } = element;
  const label = labelOf(element);
  return { tagName, label, index: like(container, tagName, label).indexOf(element) };
}

function find(container, { tagName, label, index }) {
  return like(container, tagName, label)[index];
}

function like(container, tagName, label) {
  return [...container.querySelectorAll(tagName)].filter((each) => labelOf(each) === label);
}
