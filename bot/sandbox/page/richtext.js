/**
 * The rich_text block as nodes. Its texts are inert: whatever they hold is shown, never read as formatting.
 */

import { el, link } from "./dom.js";
import { broadcast, channelLink, dateNode, mention } from "./mrkdwn.js";

/** The nodes of a rich_text block, one for each of its sections, quotes, lists and preformatted parts. */
export function richText(block, names) {
  return block.elements.map((part) => PARTS[part.type]?.(part, names) ?? unknown(part));
}

const PARTS = {
  rich_text_section: (part, names) => el("div", { class: "rich-section" }, inline(part, names)),
  rich_text_preformatted: (part, names) => el("pre", {}, inline(part, names)),
  rich_text_quote: (part, names) => el("blockquote", {}, inline(part, names)),
  rich_text_list: list,
};

function list(part, names) {
  const ordered = part.style === "ordered";
  const tag = ordered ? "ol" : "ul";
  const start = ordered && part.offset ? String(part.offset + 1) : null;
  return el(
    tag,
    { class: "rich-list", start, "data-indent": String(Math.min(part.indent ?? 0, 8)) },
    part.elements.map((item) => el("li", {}, inline(item, names))),
  );
}

const inline = (part, names) =>
  part.elements.map((element) => styled(INLINE[element.type]?.(element, names) ?? unknown(element), element));

const INLINE = {
  text: (element) => document.createTextNode(element.text),
  link: (element) => link(element.url, element.text || element.url),
  user: (element, names) => mention(element.user_id, names),
  usergroup: (element) => broadcast(`@${element.usergroup_id}`),
  channel: (element, names) => channelLink(element.channel_id, names),
  broadcast: (element) => broadcast(`@${element.range}`),
  emoji: (element) => document.createTextNode(emoji(element)),
  date: (element) => dateNode(element.timestamp, element.format, element.url, element.fallback),
  color: (element) => el("code", {}, element.value),
};

function styled(node, { style = {} }) {
  const tags = { bold: "strong", italic: "em", strike: "s", underline: "u", code: "code" };
  return Object.keys(tags)
    .filter((name) => style[name])
    .reduce((inner, name) => el(tags[name], {}, inner), node);
}

/** The character when the element carries its code points, otherwise its name between colons. */
function emoji({ name, unicode }) {
  if (!/^[0-9a-f]+(-[0-9a-f]+)*$/i.test(unicode ?? "")) return `:${name}:`;
  return String.fromCodePoint(...unicode.split("-").map((point) => parseInt(point, 16)));
}

const unknown = (part) => el("span", { class: "unknown" }, `This page cannot show a rich text ${part.type}.`);
