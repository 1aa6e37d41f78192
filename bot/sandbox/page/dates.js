/**
 * Times as Slack shows them, in the viewer's own zone and hour habit. Every instant is in Unix seconds;
 * the words are English because the page is.
 */

const HALF_DAYS = new Intl.DateTimeFormat(undefined, { hour: "numeric" }).resolvedOptions().hour12;
const at = (seconds) => new Date(seconds * 1000);
const words = (seconds, options) => new Intl.DateTimeFormat("en-US", options).format(at(seconds));

/** "2:02 PM" or "14:02", as the viewer's browser prefers. */
export function clock(seconds, options = {}) {
  const hour = HALF_DAYS ? "numeric" : "2-digit";
  const format = new Intl.DateTimeFormat(undefined, { hour, minute: "2-digit", ...options });
  return format.format(at(seconds)).replaceAll("\u202f", " ");
}

/** "Friday, July 17th at 2:02 PM": the whole instant, for a tooltip. */
export const instant = (seconds) => `${longDate(seconds)} at ${clock(seconds, { second: "2-digit" })}`;

/** "Today", "Yesterday" or "Monday, July 13th": the line between two days of messages. */
export const dayLabel = (seconds) => capital(nearDay(seconds) ?? longDate(seconds, !isThisYear(seconds)));

/** A key that is equal for two instants of one day here. */
export const dayKey = (seconds) => at(seconds).toDateString();

/** Slack's date token format filled in; an unknown {token} stays as written. */
export function formatDate(seconds, format) {
  const filled = format.replace(/\{(\w+)\}/g, (token, name) => TOKENS[name]?.(seconds) ?? token);
  return /^\{\w+_pretty\}/.test(format) ? capital(filled) : filled;
}

const TOKENS = {
  date_num: (seconds) => isoDate(seconds),
  date_slash: (seconds) => new Intl.DateTimeFormat(undefined, { dateStyle: "short" }).format(at(seconds)),
  date: (seconds) => `${monthAndDay(seconds)}, ${at(seconds).getFullYear()}`,
  date_long: (seconds) => longDate(seconds),
  date_long_full: (seconds) => words(seconds, { dateStyle: "long" }),
  date_short: (seconds) => words(seconds, { month: "short", day: "numeric", year: "numeric" }),
  date_pretty: (seconds) => nearDay(seconds) ?? TOKENS.date(seconds),
  date_long_pretty: (seconds) => nearDay(seconds) ?? longDate(seconds),
  date_short_pretty: (seconds) => nearDay(seconds) ?? TOKENS.date_short(seconds),
  day_divider_pretty: (seconds) => nearDay(seconds) ?? longDate(seconds, !isThisYear(seconds)),
  time: (seconds) => clock(seconds),
  time_secs: (seconds) => clock(seconds, { second: "2-digit" }),
  ago: (seconds) => ago(seconds),
};

function longDate(seconds, withYear = true) {
  const day = `${words(seconds, { weekday: "long" })}, ${monthAndDay(seconds)}`;
  return withYear ? `${day}, ${at(seconds).getFullYear()}` : day;
}

function monthAndDay(seconds) {
  const day = at(seconds).getDate();
  const tail = day >= 11 && day <= 13 ? "th" : ({ 1: "st", 2: "nd", 3: "rd" }[day % 10] ?? "th");
  return `${words(seconds, { month: "long" })} ${day}${tail}`;
}

function isoDate(seconds) {
  const date = at(seconds);
  return [date.getFullYear(), date.getMonth() + 1, date.getDate()].map((n) => String(n).padStart(2, "0")).join("-");
}

function nearDay(seconds) {
  const today = new Date();
  const shifted = (days) => new Date(today.getFullYear(), today.getMonth(), today.getDate() + days).toDateString();
  const names = { [shifted(-1)]: "yesterday", [shifted(0)]: "today", [shifted(1)]: "tomorrow" };
  return names[dayKey(seconds)] ?? null;
}

/** "2 minutes ago", "in 3 days". */
export function ago(seconds) {
  const elapsed = seconds - Date.now() / 1000;
  const [unit, size] = [
    ["day", 86400],
    ["hour", 3600],
    ["minute", 60],
    ["second", 1],
  ].find(([, length]) => Math.abs(elapsed) >= length) ?? ["second", 1];
  return new Intl.RelativeTimeFormat("en", { numeric: "auto" }).format(Math.round(elapsed / size), unit);
}

const isThisYear = (seconds) => at(seconds).getFullYear() === new Date().getFullYear();
const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);
