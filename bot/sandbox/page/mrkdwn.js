/**
 * Slack's mrkdwn as nodes: *bold*, _italic_, ~strike~, `code`, ```pre```, > quotes and <tokens>.
 * The text is read before &amp; &lt; &gt; are decoded, so that escaped text can never become a token.
 */

import { formatDate, instant } from "./dates.js";
import { el, link } from "./dom.js";

const STYLES = { "*": "strong", _: "em", "~": "s" };
const TOKEN = "<([@#!][^<>\\n]+|[a-z][\\w+.-]*:[^<>\\n]+)>"; // a mention, a channel, a special or an address; else "<" is a "<"
const TOKEN_HERE = new RegExp(TOKEN, "iy");
const TOKEN_OR_CODE_HERE = new RegExp(`${TOKEN}|\`[^\`\\n]+\``, "iy");
const QUOTE = /^(?:>|&gt;) ?/;
const REST_QUOTED = /^(?:>|&gt;){3} ?/;

/** The nodes of a mrkdwn text. `names` tells who and what an id stands for; `verbatim` leaves bare addresses alone. */
export function mrkdwn(text, names, verbatim = false) {
  const parts = text.split(/```\n?([\s\S]+?)\n?```\n?/);
  const read = (line) => inline(line, { names, verbatim });
  return parts.flatMap((part, i) => (i % 2 ? el("pre", {}, literal(part, names)) : lines(part, read)));
}

/** &amp; &lt; &gt; decoded, and nothing else: Slack knows only these three. */
export const decode = (text) => text.replace(/&(amp|lt|gt);/g, (_, name) => ({ amp: "&", lt: "<", gt: ">" })[name]);

/** The words of a plain_text object (or a bare string): inert, encoded like every text Slack hands out. */
export const plain = (object, otherwise = "") => decode(object?.text ?? object ?? otherwise);

function lines(text, read) {
  const nodes = [];
  let plain = [];
  let quoted = [];
  const flush = () => {
    if (plain.length) nodes.push(...read(plain.join("\n")));
    if (quoted.length) nodes.push(el("blockquote", {}, read(quoted.join("\n"))));
    plain = [];
    quoted = [];
  };
  const all = text.split("\n");
  for (const [i, line] of all.entries()) {
    if (REST_QUOTED.test(line)) {
      if (plain.length) flush();
      quoted.push(...[line.replace(REST_QUOTED, ""), ...all.slice(i + 1)]);
      break;
    }
    const isQuote = QUOTE.test(line);
    if (isQuote ? plain.length : quoted.length) flush();
    if (isQuote) quoted.push(line.replace(QUOTE, ""));
    else plain.push(line);
  }
  flush();
  return nodes;
}

function inline(text, context) {
  const nodes = [];
  let start = 0;
  let i = 0;
  while (i < text.length) {
    const found = tokenAt(text, i, context);
    if (!found) {
      i += 1;
      continue;
    }
    if (i > start) nodes.push(decode(text.slice(start, i)));
    nodes.push(found.node);
    i = found.end;
    start = i;
  }
  if (start < text.length) nodes.push(decode(text.slice(start)));
  return nodes;
}

function tokenAt(text, i, context) {
  const mark = text[i];
  if (mark === "<") return angleAt(text, i, context.names);
  if (mark === "`") return codeAt(text, i, context.names);
  if (STYLES[mark]) return styledAt(text, i, context);
  if (mark === "h" && !context.verbatim && !/\w/.test(text[i - 1] ?? "")) return bareLinkAt(text, i);
  return null;
}

function match(pattern, text, i) {
  pattern.lastIndex = i;
  return pattern.exec(text);
}

function codeAt(text, i, names) {
  const found = match(/`([^`\n]+)`/y, text, i);
  return found && { node: el("code", {}, literal(found[1], names)), end: i + found[0].length };
}

function bareLinkAt(text, i) {
  const found = match(/https?:\/\/[^\s<>`|]*[\w/#=&%-]/y, text, i);
  return found && { node: link(decode(found[0])), end: i + found[0].length };
}

function angleAt(text, i, names) {
  const found = match(TOKEN_HERE, text, i);
  return found && { node: token(found[1], names), end: i + found[0].length };
}

/** Bold, italic or struck text: it opens at a word's start, closes at a word's end, and never spans lines. */
function styledAt(text, i, context) {
  const mark = text[i];
  if (/[\p{L}\p{N}]/u.test(text[i - 1] ?? "") || /\s/.test(text[i + 1] ?? " ") || text[i + 1] === mark) return null;
  for (let end = i + 1; end < text.length && text[end] !== "\n"; end += 1) {
    const skipped = match(TOKEN_OR_CODE_HERE, text, end);
    if (skipped) end += skipped[0].length - 1;
    else if (text[end] === mark && !/\s/.test(text[end - 1]) && !/[\p{L}\p{N}]/u.test(text[end + 1] ?? "")) {
      return { node: el(STYLES[mark], {}, inline(text.slice(i + 1, end), context)), end: end + 1 };
    }
  }
  return null;
}

/** Text in which only <tokens> mean anything: what stands in code. */
function literal(text, names) {
  return text.split(new RegExp(TOKEN, "i")).map((part, i) => (i % 2 ? token(part, names) : decode(part)));
}

function token(body, names) {
  const [target, label] = splitOnce(body, "|");
  if (target.startsWith("@")) return mention(target.slice(1), names, label);
  if (target.startsWith("#")) return channelLink(target.slice(1), names, label);
  if (target.startsWith("!date^")) return date(target, label);
  if (target.startsWith("!subteam^")) return broadcast(label ?? "@group");
  if (target.startsWith("!")) return broadcast(`@${decode(label ?? target.slice(1))}`);
  return link(decode(target), decode(label ?? target));
}

function splitOnce(text, separator) {
  const at = text.indexOf(separator);
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
}

/** "@Marta", marked when it is the person looking. */
export function mention(id, names, label) {
  const name = names.user(id)?.name ?? (label && decode(label)) ?? id;
  return el("span", { class: id === names.me ? "mention mention-me" : "mention" }, `@${name}`);
}

export const broadcast = (text) => el("span", { class: "mention mention-me" }, decode(text));

/** "#purchasing", leading there when the person can see it. */
export function channelLink(id, names, label) {
  const channel = names.channel(id);
  if (!channel) return el("span", { class: "mention" }, `#${decode(label ?? id)}`);
  return el("a", { class: "mention", href: channel.href, on: { click: channel.go } }, `#${channel.name}`);
}

function date(target, fallback) {
  const [, seconds, format = "", url] = target.split("^");
  return dateNode(Number(seconds), decode(format), url && decode(url), fallback && decode(fallback));
}

/** A date token in the viewer's zone; the fallback when the instant or the format is missing. */
export function dateNode(seconds, format, url, fallback) {
  if (!Number.isFinite(seconds) || !format) return el("span", {}, fallback ?? "");
  const iso = new Date(seconds * 1000).toISOString();
  const time = el("time", { datetime: iso, title: instant(seconds) }, formatDate(seconds, format));
  return url ? link(url, time) : time;
}
