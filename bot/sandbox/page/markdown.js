/**
 * The markdown block, as much of it as an agent's answer needs: headings, lists, quotes, fences, rules, and
 * inline bold, italic, strike, code and links. What it does not know it shows as written.
 */

import { el, link } from "./dom.js";

const FENCE = /^```/;
const HEADING = /^(#{1,6}) +(.*)$/;
const ITEM = /^\s*(?:[-*+]|(\d+)[.)]) +(.*)$/;
const QUOTE = /^> ?(.*)$/;

/** The nodes of a markdown text. */
export function markdown(text) {
  const rows = text.split("\n");
  const nodes = [];
  for (let i = 0; i < rows.length;) {
    const [node, end] = blockAt(rows, i);
    if (node) nodes.push(node);
    i = end;
  }
  return nodes;
}

function blockAt(rows, i) {
  if (!rows[i].trim()) return [null, i + 1];
  if (FENCE.test(rows[i])) return fence(rows, i);
  if (/^(-{3,}|\*{3,})\s*$/.test(rows[i])) return [el("hr"), i + 1];
  const heading = HEADING.exec(rows[i]);
  if (heading)
    return [
      el(
        "p",
        { class: "md-heading", role: "heading", "aria-level": String(heading[1].length + 2) },
        inline(heading[2]),
      ),
      i + 1,
    ];
  const end = whileMatches(rows, i, QUOTE);
  if (end > i)
    return [
      el(
        "blockquote",
        {},
        inline(
          rows
            .slice(i, end)
            .map((row) => QUOTE.exec(row)[1])
            .join("\n"),
        ),
      ),
      end,
    ];
  if (ITEM.test(rows[i])) return listAt(rows, i);
  return paragraph(rows, i);
}

function fence(rows, i) {
  const close = rows.findIndex((row, at) => at > i && FENCE.test(row));
  const end = close < 0 ? rows.length : close;
  return [el("pre", {}, rows.slice(i + 1, end).join("\n")), end + 1];
}

function listAt(rows, i) {
  const end = whileMatches(rows, i, ITEM);
  const first = ITEM.exec(rows[i])[1];
  const items = rows.slice(i, end).map((row) => el("li", {}, inline(ITEM.exec(row)[2])));
  return [el(first ? "ol" : "ul", { class: "rich-list", start: first && first !== "1" ? first : null }, items), end];
}

function paragraph(rows, i) {
  let end = i + 1;
  while (end < rows.length && rows[end].trim() && ![FENCE, HEADING, ITEM, QUOTE].some((start) => start.test(rows[end])))
    end += 1;
  return [el("p", {}, inline(rows.slice(i, end).join("\n"))), end];
}

function whileMatches(rows, i, pattern) {
  let end = i;
  while (end < rows.length && pattern.test(rows[end])) end += 1;
  return end;
}

const INLINE = /`([^`]+)`|\[([^\]]+)\]\(([^()\s]+)\)|\*\*(.+?)\*\*|~~(.+?)~~|\*([^*\s][^*]*)\*|\b_([^_]+)_\b/;

function inline(text) {
  const found = INLINE.exec(text);
  if (!found) return [text];
  const [all, code, label, url, bold, struck, star, under] = found;
  const node = code
    ? el("code", {}, code)
    : url
      ? link(url, inline(label))
      : bold
        ? el("strong", {}, inline(bold))
        : struck
          ? el("s", {}, inline(struck))
          : el("em", {}, inline(star ?? under));
  return [text.slice(0, found.index), node, ...inline(text.slice(found.index + all.length))];
}
