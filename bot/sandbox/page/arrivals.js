/**
 * How what is new in the conversation comes into view: what one wrote, and what is said to one alone after one's own act, is
 * scrolled to. Other news waits behind a button while its reader is further up. Nothing else moves the log.
 */

import { actedLately } from "./acts.js";
import { isAtEnd } from "./keep.js";

let known = new Set(); // of the channel that is shown
let first = null; // the first new message that nobody looked at, by its ts

/** The button that leads to news; hidden again once the end of the log is reached. */
export function watchNews(scroller, button) {
  button.addEventListener("click", () => {
    articleOf(scroller, first)?.scrollIntoView({ block: "start" });
    forget(button);
    scroller.focus({ preventScroll: true });
  });
  scroller.addEventListener("scroll", () => isAtEnd(scroller) && forget(button));
}

/** Looks what is new after a painting of `messages`; `isNew`: another channel than before, shown from its end. */
export function meetNews(scroller, button, messages, me, isNew) {
  const all = messages.flatMap((message) => [message, ...(message.replies ?? [])]);
  const news = isNew ? [] : all.filter((message) => !known.has(message.ts));
  known = new Set(all.map((message) => message.ts));
  if (isNew) forget(button);
  const mine = actedLately(me) ? news.filter((message) => message.ephemeral || message.user === me).at(-1) : null;
  if (mine) articleOf(scroller, mine.ts)?.scrollIntoView({ block: "nearest" });
  else if (news.length && !isAtEnd(scroller)) {
    first ??= news[0].ts;
    button.hidden = false;
  }
}

function forget(button) {
  first = null;
  button.hidden = true;
}

const articleOf = (scroller, ts) => scroller.querySelector(`article[data-ts="${CSS.escape(ts)}"]`);
