// The server's HTTP interface, with the token this page was given.

const TOKEN = document.querySelector('meta[name="page-token"]').content;

async function request(path, options = {}) {
  const headers = { "X-Playground-Token": TOKEN, "Content-Type": "application/json" };
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

// Calls `update` with each piece of news, and `lost` with true while the server cannot be reached.
export async function follow(update, lost) {
  let revision = 0;
  let run = "";
  let wait = 0;
  for (;;) {
    try {
      const news = await request(`/playground/state?since=${revision}&run=${run}&wait=${wait}`);
      lost(false);
      update(news, news.run !== run);
      ({ revision, run } = news);
      wait = 20;
    } catch {
      lost(true);
      wait = 0;
      await new Promise((resolve) => setTimeout(resolve, 1000));
    }
  }
}
