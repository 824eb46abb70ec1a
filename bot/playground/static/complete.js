// What could follow at the caret: people after @, channels after #, commands after / at the start.

const MOST = 8;
const WORD = /(^|[\s(])([@#])([\w-]*)$/;

// `offers` has names of people and channels, and commands with hints. Returns where the word
// begins and what may stand there, or null.
export function completions(text, caret, offers) {
  const before = text.slice(0, caret);
  if (/^\/\S*$/.test(before)) {
    const found = offers.commands.filter(({ name }) => name.startsWith(before));
    return result(0, found.map(({ name, hint }) => ({ insert: `${name} `, label: name, about: hint })));
  }
  const match = WORD.exec(before);
  if (!match) return null;
  const [, , sign, word] = match;
  const names = sign === "@" ? offers.people : offers.channels;
  const found = names.filter((name) => name.toLowerCase().startsWith(word.toLowerCase()));
  const items = found.map((name) => ({ insert: `${sign}${name} `, label: `${sign}${name}`, about: "" }));
  return result(caret - word.length - 1, items);
}

function result(from, items) {
  return items.length ? { from, items: items.slice(0, MOST) } : null;
}

// The hint of a command that stands there already.
export function commandHint(text, offers) {
  const match = /^(\/\S+)\s/.exec(text);
  const command = match && offers.commands.find(({ name }) => name === match[1]);
  return command ? `${command.name} ${command.hint}` : "";
}
