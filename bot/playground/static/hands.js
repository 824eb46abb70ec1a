// What a person can do with what the app shows, whichever person the page is of at the moment.

import { download, post, upload } from "./server.js";

// For controls anywhere: `ask(name, body)` does something and says so when it fails.
export function surfaceOf(person, ask) {
  return {
    ask,
    download,
    user: person,
    options: async (body) => (await post("options", body)).options || [],
    upload: (file) => upload(person(), file),
  };
}

// For messages: their controls, and their menus.
export function handsOf(person, store, surface) {
  const at = ({ channel, ts }) => ({ user: person(), channel, ts });
  return {
    mine: (message) => message.user === person(),
    traces: () => store.state.trace,
    shortcuts: () => store.state.shortcuts.filter((each) => each.type === "message"),
    acting: (message) => ({
      ...surface,
      send: (node, value) => surface.ask("click", { ...at(message), action_id: node.action_id, value }),
      options: (node, query) => surface.options({ ...at(message), action_id: node.action_id, query }),
    }),
    react: (message, name) => surface.ask("react", { ...at(message), name }),
    shortcut: (message, id) => surface.ask("shortcut", { ...at(message), callback_id: id }),
    remove: (message) => surface.ask("delete", at(message)),
  };
}

// What complete.js offers.
export function offersOf(store) {
  const { people, bot, channels, commands } = store.state;
  return {
    people: [bot.name, ...people.map((each) => each.name), "here", "channel"],
    channels: channels.filter((each) => each.kind !== "im").map((each) => each.name),
    commands,
  };
}
