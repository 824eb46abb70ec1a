// Small helpers that everything here is built with.

import { icon } from "./icons.js";

export function make(tag, properties = {}, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

export function button(label, action, properties = {}) {
  const element = make("button", { type: "button", textContent: label, ...properties });
  element.addEventListener("click", action);
  return element;
}

// A button that shows a drawing; its name is for those who don't see it, and for the tooltip.
export function iconButton(name, label, action, className = "tool") {
  const element = button("", action, { className, title: label });
  element.setAttribute("aria-label", label);
  element.append(icon(name));
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

export function moment(ts) {
  const date = new Date(Number(ts.split(".")[0]) * 1000);
  const time = date.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
  if (date.toDateString() === new Date().toDateString()) return time;
  return `${date.toLocaleDateString([], { day: "numeric", month: "short" })}, ${time}`;
}

export function milliseconds(value) {
  if (value === null || value === undefined) return "";
  return value < 10 ? `${value.toFixed(1)} ms` : `${Math.round(value).toLocaleString("en")} ms`;
}
