// The server's HTTP interface, with the token this page was given.

const VERSION = meta("page-version");
let token = meta("page-token");

function meta(name) {
  return document.querySelector(`meta[name="${name}"]`).content;
}

function send(path, options) {
  return fetch(path, { ...options, headers: { ...options.headers, "X-Playground-Token": token } });
}

async function request(path, options = {}) {
  const response = await send(path, options);
  if (response.status !== 403) return response;
  // A new run of the server has a new token. A page of other files than these has to be read anew.
  const { headers } = await fetch("/", { method: "HEAD" });
  if (headers.get("X-Playground-Version") !== VERSION) location.reload();
  token = headers.get("X-Playground-Token");
  return send(path, options);
}

export async function post(path, body) {
  const headers = { "Content-Type": "application/json" };
  return (await request(`/playground/${path}`, { method: "POST", headers, body: JSON.stringify(body) })).json();
}

export async function get(path, options = {}) {
  return (await request(`/playground/${path}`, options)).json();
}

export function wait(milliseconds) {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

// Sends a file's bytes; its id can then be shared or put into a form.
export async function upload(user, file) {
  const query = new URLSearchParams({ user, name: file.name });
  const response = await request(`/playground/file?${query}`, { method: "POST", body: file });
  return (await response.json()).file;
}

export async function download({ id, name }) {
  const response = await request(`/playground/file/${encodeURIComponent(id)}`);
  const url = URL.createObjectURL(await response.blob());
  Object.assign(document.createElement("a"), { href: url, download: name }).click();
  URL.revokeObjectURL(url);
}

// Calls `update` with each piece of news, and `lost` with true while the server cannot be reached.
export async function follow(update, lost) {
  let revision = 0;
  let run = "";
  let seconds = 0;
  for (;;) {
    try {
      const news = await get(`state?since=${revision}&run=${run}&wait=${seconds}`);
      lost(false);
      update(news, news.run !== run);
      ({ revision, run } = news);
      seconds = 20;
    } catch {
      lost(true);
      seconds = 0;
      await wait(1000);
    }
  }
}
