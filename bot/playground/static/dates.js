// Slack's dates, `<!date^seconds^{date_short_pretty}, {time}|…>`, in the reader's own zone.

const DAY = 86_400_000;
const FORMS = {
  date_num: (date) => date.toLocaleDateString("sv-SE"),
  date: (date) => date.toLocaleDateString([], { year: "numeric", month: "long", day: "numeric" }),
  date_short: (date) => date.toLocaleDateString([], { year: "numeric", month: "short", day: "numeric" }),
  date_long: (date) => date.toLocaleDateString([], { dateStyle: "full" }),
  time: (date) => date.toLocaleTimeString([], { timeStyle: "short" }),
  time_secs: (date) => date.toLocaleTimeString([], { timeStyle: "medium" }),
};

function relative(date) {
  const days = { [new Date().toDateString()]: "today", [new Date(Date.now() - DAY).toDateString()]: "yesterday" };
  return days[date.toDateString()];
}

export function dated(seconds, format) {
  const date = new Date(seconds * 1000);
  return format.replace(/\{(\w+?)(_pretty)?\}/g, (token, name, pretty) =>
    (pretty && relative(date)) || FORMS[name]?.(date) || token);
}
