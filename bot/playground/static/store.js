// What the server told so far, and questions to it.

export class Store {
  constructor() {
    this.state = null;
    this.messages = new Map(); // "channel ts" → message
    this.seen = new Map(); // channel → ts of the last message that was shown
  }

  take(news, fresh) {
    if (fresh) this.messages.clear();
    this.state = news;
    for (const message of news.messages) {
      this.messages.set(`${message.channel} ${message.ts}`, message);
      if (fresh) this.see(message);
    }
    for (const { channel, ts } of news.removed) this.messages.delete(`${channel} ${ts}`);
  }

  get(channel, ts) {
    return this.messages.get(`${channel} ${ts}`);
  }

  see({ channel, ts }) {
    if (ts > (this.seen.get(channel) || "")) this.seen.set(channel, ts);
  }

  hasNews(channel, person) {
    const last = this.seen.get(channel) || "";
    return this.all(channel, person).some((each) => each.ts > last);
  }

  // What a person sees of a conversation, oldest first, replies included.
  all(channel, person) {
    return [...this.messages.values()]
      .filter((each) => each.channel === channel && visible(each, person))
      .sort((one, other) => (one.ts < other.ts ? -1 : 1));
  }

  replies(channel, root, person) {
    return this.all(channel, person).filter((each) => each.thread_ts === root);
  }

  directMessages(person) {
    return this.state.channels.find((each) => each.kind === "im" && each.members.includes(person));
  }

  channels(person) {
    return this.state.channels.filter((each) => each.kind !== "im"
      && (each.kind === "channel" || each.members.includes(person)));
  }

  // Where a place of the address leads. A person's direct messages exist from the first message
  // on; until then they go by "dm".
  place(id, person) {
    const { bot } = this.state;
    if (id === "home" && this.state.home) return { id: "home", kind: "home", name: bot.name };
    const found = this.state.channels.find((each) => each.id === id || each.name === id);
    if (id === "dm" || found?.kind === "im") {
      return this.directMessages(person) || { id: "dm", kind: "im", name: bot.name };
    }
    return found || this.channels(person)[0] || this.place("dm", person);
  }

  status(channel, root) {
    const found = this.state.statuses.find((each) => each.channel === channel && each.thread_ts === root);
    return found ? `${this.state.bot.name} ${found.text}` : "";
  }
}

export function visible(message, person) {
  return !message.ephemeral_to || message.ephemeral_to === person;
}

// Whether it stands in the conversation itself, and not only in a thread.
export function standsAlone(message) {
  return !message.thread_ts || message.broadcast;
}
