// Modals and the Home tab: what the app shows besides messages.

import { values } from "./controls.js";
import { build } from "./dom.js";
import { keeping } from "./keep.js";
import { make } from "./tools.js";

const $ = (id) => document.getElementById(id);

// What using a control of a view does; the fields of a form go along with every click.
function acting(view, container, surface) {
  const where = { user: view.user, view: view.id };
  return {
    ...surface,
    send: (node, value) =>
      surface.ask("click", { ...where, action_id: node.action_id, value, values: values(container) }),
    options: (node, query) => surface.options({ ...where, action_id: node.action_id, query }),
  };
}

function fill(container, view, surface) {
  const act = acting(view, container, surface);
  container.replaceChildren(...view.nodes.map((node) => build(node, act)));
  for (const [blockId, sentence] of Object.entries(view.errors)) {
    const block = [...container.querySelectorAll(".field")].find((each) => each.dataset.block === blockId);
    const error = make("p", { className: "error", textContent: sentence });
    error.setAttribute("role", "alert");
    (block || container).append(error);
    const control = block?.querySelector("[data-action]");
    control?.setAttribute("aria-invalid", "true");
  }
}

export class Modal {
  // `surface` has user(), ask(name, body), options(body), upload(file) and download(node).
  constructor(surface) {
    this.surface = surface;
    this.dialog = $("view");
    this.shown = "";
    this.id = "";
    this.closing = null; // the id of the view that is being closed
    this.left = ""; // the id of a view that is not shown here
    this.dialog.addEventListener("cancel", (event) => {
      event.preventDefault();
      this.close(true);
    });
    $("view-cross").addEventListener("click", () => this.close(true));
    $("view-close").addEventListener("click", () => this.close(false));
    $("view-form").addEventListener("submit", (event) => {
      event.preventDefault();
      surface.ask("submit", { user: surface.user(), values: values($("view-body")) });
    });
  }

  // A view is closed once, however often Escape is pressed until it is gone.
  async close(everything) {
    if (this.closing === this.id) return;
    this.closing = this.id;
    const closed = await this.surface.ask("close", { user: this.surface.user(), everything });
    if (!closed) this.closing = null;
  }

  // Leaves alone what was open before this page was: somebody is at it elsewhere, or nobody any more.
  begin(view) {
    if (view?.old) this.left = view.id;
  }

  show(view) {
    if (!view || view.id === this.left) {
      this.shown = "";
      this.dialog.close();
      return;
    }
    const version = JSON.stringify([view.id, view.hash, view.errors]);
    if (this.shown !== version) {
      // Another view's fields are not these, whatever they are called.
      if (view.id !== this.id) $("view-body").replaceChildren();
      this.id = view.id;
      this.shown = version;
      $("view-title").textContent = view.title;
      $("view-submit").textContent = view.submit;
      $("view-submit").hidden = !view.submit;
      $("view-close").textContent = view.close;
      keeping($("view-body"), () => fill($("view-body"), view, this.surface));
    }
    if (!this.dialog.open) this.dialog.showModal();
  }
}

export function homeElement(view, bot, surface) {
  const container = make("article", { className: "home body" });
  if (view) fill(container, view, surface);
  else container.append(make("p", { className: "empty", textContent: `${bot} shows nothing here.` }));
  return container;
}
