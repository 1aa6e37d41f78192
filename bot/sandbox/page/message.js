/**
 * One message: who, when, what, and what can be done with it. A message that did not change keeps its element,
 * so an open menu, a focused button or a warning mark outlives every refresh.
 */

import { renderBlocks } from "./blocks.js";
import { clock, instant } from "./dates.js";
import { avatar, el, icon } from "./dom.js";
import { repaint } from "./keep.js";
import { mrkdwn } from "./mrkdwn.js";

/** The element of one message, still empty; `below` stands under it. */
export function articleFor(message, ...below) {
  return el(
    "article",
    { class: "message", data: { ts: message.ts }, "data-ephemeral": Boolean(message.ephemeral) },
    el("div", { class: "message-main", "data-surface": "message" }),
    below,
  );
}

/** Fills a message's element if anything about it changed. */
export function paintMessage(article, message, isCompact, context) {
  const { replies, ...own } = message;
  const author = context.names.user(message.user) ?? { name: message.user, isApp: message.bot };
  article.setAttribute(
    "aria-label",
    `${author.name}, ${clock(Number(message.ts))}${message.ephemeral ? ", only visible to you" : ""}`,
  );
  article.classList.toggle("compact", isCompact);
  repaint(article.firstElementChild, [own, author.name, isCompact], () =>
    messageMain(message, author, isCompact, context),
  );
}

function messageMain(message, author, isCompact, context) {
  const surface = {
    names: context.names,
    act: (action) => context.act({ channel: context.channel.id, ts: message.ts, ...action }),
  };
  const edited = message.edited && el("span", { class: "edited" }, " (edited)");
  const body = message.blocks?.length
    ? [renderBlocks(message.blocks, surface), edited]
    : el("div", { class: "text" }, mrkdwn(message.text, context.names), edited);
  return [
    message.ephemeral && el("p", { class: "only-you" }, icon("eye"), "Only visible to you"),
    el("div", { class: "gutter" }, isCompact ? when(message, "when when-aside") : avatar(author)),
    el("div", { class: "body" }, !isCompact && byline(message, author), body),
    !message.ephemeral && context.openThread && toolbar(message, context),
  ].filter(Boolean);
}

function byline(message, author) {
  return el(
    "div",
    { class: "byline" },
    el("span", { class: "author" }, author.name),
    (message.bot || author.isApp) && el("span", { class: "badge" }, "App"),
    author.isGuest && el("span", { class: "badge badge-guest" }, "Guest"),
    when(message, "when"),
  );
}

function when(message, look) {
  const seconds = Number(message.ts);
  return el(
    "time",
    { class: look, datetime: new Date(seconds * 1000).toISOString(), title: instant(seconds) },
    clock(seconds),
  );
}

function toolbar(message, { openThread, shortcuts, choose }) {
  return el(
    "div",
    { class: "toolbar" },
    shortcuts.map((one) =>
      el(
        "button",
        {
          type: "button",
          class: "tool",
          title: one.name,
          "aria-label": one.name,
          on: { click: () => choose(message.ts, one.callback_id) },
        },
        icon("past"),
      ),
    ),
    el(
      "button",
      {
        type: "button",
        class: "tool",
        title: "Reply in thread",
        "aria-label": "Reply in thread",
        on: { click: openThread },
      },
      icon("reply"),
    ),
  );
}
