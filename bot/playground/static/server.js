// The server's HTTP interface, with the token this page was given.

const TOKEN = document.querySelector('meta[name="page-token"]').content;
const HEADERS = { "X-Playground-Token": TOKEN };

async function request(path, options = {}) {
  const headers = { ...HEADERS, "Content-Type": "application/json" };
  const response = await fetch(path, { ...options, headers });
  if (response.status === 403) {
    // A new run of the server has a new token; the fresh page carries it.
    location.reload();
  }
  return response.json();
}

export function post(path, body) {
  return request(`/playground/${path}`, { method: "POST", body: JSON.stringify(body) });
}

export function get(path, options = {}) {
  return request(`/playground/${path}`, options);
}

export function wait(milliseconds) {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

// Sends a file's bytes; its id can then be shared or put into a form.
export async function upload(user, file) {
  const query = new URLSearchParams({ user, name: file.name });
  const options = { method: "POST", headers: HEADERS, body: file };
  const response = await fetch(`/playground/file?${query}`, options);
  return (await response.json()).file;
}

export async function download({ id, name }) {
  const response = await fetch(`/playground/file/${encodeURIComponent(id)}`, { headers: HEADERS });
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
      const news = await request(`/playground/state?since=${revision}&run=${run}&wait=${seconds}`);
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
