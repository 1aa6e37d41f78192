/** The conversation: where it began, the days, the messages of each day and the thread under each message. */

import { meetNews } from "./arrivals.js";
import { dayKey, dayLabel } from "./dates.js";
import { avatar, el } from "./dom.js";
import { keepPlace, reconcile, repaint } from "./keep.js";
import { articleFor, paintMessage } from "./message.js";
import { paintThread, toggleThread } from "./threads.js";

const GROUPED_WITHIN = 300; // seconds: a person's next message so soon needs no second name and avatar

/** Paints a channel's messages, oldest first; `news` leads to new ones. `context` has `names`, `me`, `channel`, `act`, `reply`, `refresh`. */
export function paintMessages(scroller, news, messages, context) {
  const isNew = scroller.dataset.channel !== `${context.me} ${context.channel.id}`;
  if (isNew) scroller.replaceChildren();
  scroller.dataset.channel = `${context.me} ${context.channel.id}`;
  keepPlace(scroller, () =>
    reconcile(scroller, rows(messages, context), {
      key: (row) => row.key,
      create: (row) => row.create(),
      update: (node, row) => row.update(node),
    }),
  );
  if (isNew) scroller.scrollTop = scroller.scrollHeight;
  meetNews(scroller, news, messages, context.me, isNew);
}

function rows(messages, context) {
  const all = [
    {
      key: "intro",
      create: () => el("div", { class: "intro" }),
      update: (node) => paintIntro(node, messages, context),
    },
  ];
  let previous = null;
  for (const message of messages) {
    const seconds = Number(message.ts);
    if (!previous || dayKey(Number(previous.ts)) !== dayKey(seconds)) {
      all.push({
        key: `day ${dayKey(seconds)}`,
        create: () => el("h3", { class: "day" }),
        update: (node) => repaint(node, dayLabel(seconds), () => el("span", {}, dayLabel(seconds))),
      });
      previous = null;
    }
    all.push(messageRow(message, follows(previous, message), context));
    previous = message;
  }
  return all;
}

function follows(previous, message) {
  return (
    Boolean(previous) &&
    previous.user === message.user &&
    !previous.replies?.length &&
    previous.ephemeral === message.ephemeral &&
    Number(message.ts) - Number(previous.ts) < GROUPED_WITHIN
  );
}

function messageRow(message, isCompact, context) {
  return {
    key: `${message.ephemeral ? "private" : "message"} ${message.ts}`,
    create: () => articleFor(message, el("div", { class: "thread" })),
    update: (article) => {
      paintMessage(article, message, isCompact, { ...context, openThread: () => toggleThread(message, context, true) });
      paintThread(article.lastElementChild, message, context);
    },
  };
}

function paintIntro(node, messages, { channel, names, me }) {
  const isEmpty = messages.length === 0;
  repaint(node, [channel, isEmpty, me], () => {
    const app = names.app;
    const withWhom = names.user(channel.with);
    const title = channel.kind === "channel" ? `# ${channel.name}` : (withWhom?.name ?? channel.name);
    const first =
      channel.kind === "channel"
        ? `This is the very beginning of the #${channel.name} channel.`
        : `This conversation is just between you and ${withWhom?.name ?? channel.name}.`;
    const hope = withWhom?.isApp
      ? `What ${app.name} tells ${names.user(me)?.name ?? "you"} alone appears here: requests to decide, reminders, outcomes.`
      : `When an agent needs a yes, ${app.name} asks here, with buttons to approve or deny. Type / below for the commands of ${app.name}.`;
    return [
      withWhom && avatar(withWhom),
      el("h2", {}, title),
      el("p", {}, first),
      isEmpty &&
        el(
          "p",
          { class: "intro-hope" },
          channel.kind === "im" && !withWhom?.isApp ? "Nothing has been said yet." : hope,
        ),
    ].filter(Boolean);
  });
}
