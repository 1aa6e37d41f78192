/** A message's thread: how many replies, the replies when unfolded, and a line to write another. */

import { ago } from "./dates.js";
import { avatar, el } from "./dom.js";
import { reconcile, repaint } from "./keep.js";
import { articleFor, paintMessage } from "./message.js";
import { writer } from "./writer.js";

const SHORT = 3; // a thread this short is unfolded until somebody folds it; the reply line waits to be asked for
const unfolded = new Map();

const isOpen = (message) =>
  unfolded.get(message.ts) ?? (replies(message).length > 0 && replies(message).length <= SHORT);
const replies = (message) => message.replies ?? [];

/** Unfolds or folds a message's thread; the reply line gets the focus when it is there. */
export function toggleThread(message, context, open) {
  unfolded.set(message.ts, open);
  context.repaint();
  if (open) document.querySelector(`[data-thread="${CSS.escape(message.ts)}"] textarea`)?.focus();
}

/** Paints the thread under a message into `container`, empty when there is nothing to show. */
export function paintThread(container, message, context) {
  const open = isOpen(message);
  const parts = [
    replies(message).length && { name: "summary", paint: (node) => paintSummary(node, message, open, context) },
    open && { name: "replies", paint: (node) => paintReplies(node, message, context) },
    unfolded.get(message.ts) && { name: "writer", paint: (node) => paintWriter(node, message, context) },
  ].filter(Boolean);
  container.dataset.thread = message.ts;
  reconcile(container, parts, {
    key: (part) => part.name,
    create: (part) => el("div", { class: `thread-${part.name}` }),
    update: (node, part) => part.paint(node),
  });
}

function paintSummary(node, message, open, context) {
  const all = replies(message);
  const count = all.length === 1 ? "1 reply" : `${all.length} replies`;
  const authors = [...new Set(all.map((reply) => reply.user))].slice(0, 4);
  const fold = () => toggleThread(message, context, !open);
  repaint(node, [count, authors, open, open || ago(Number(all.at(-1).ts))], () =>
    el(
      "button",
      {
        type: "button",
        class: "thread-toggle",
        "aria-expanded": String(open),
        "data-focus": "thread",
        on: { click: fold },
      },
      authors.map((id) => avatar(context.names.user(id) ?? { name: id })),
      el("span", { class: "thread-count" }, count),
      !open && el("span", { class: "thread-last" }, `Last reply ${ago(Number(all.at(-1).ts))}`),
    ),
  );
}

function paintReplies(node, message, context) {
  reconcile(node, replies(message), {
    key: (reply) => `${reply.ephemeral ? "private" : "reply"} ${reply.ts}`,
    create: (reply) => articleFor(reply),
    update: (article, reply) => paintMessage(article, reply, false, context),
  });
}

function paintWriter(node, message, context) {
  repaint(node, message.ts, () =>
    writer({
      name: `thread ${context.me} ${message.ts}`,
      label: "Reply in thread",
      placeholder: "Reply…",
      send: (text) => context.reply(text, message.ts),
    }),
  );
}
