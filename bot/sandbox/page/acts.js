/**
 * What somebody did in this window lately, and so which answers belong to it. Several windows may act as the same person:
 * a modal opens, and a private answer is scrolled to, only in the one whose click or command brought it.
 */

const LATELY = 10_000; // ms: the app has three seconds to open a modal, and answers soon after
const STORE = "views opened here"; // kept for this window alone, so that a reload loses no modal

const here = new Map(JSON.parse(sessionStorage.getItem(STORE) ?? "[]")); // view id -> whether it opened here
let last = { as: null, at: -Infinity };

/** Somebody clicks, writes or submits in this window now. */
export function acting(as) {
  last = { as, at: performance.now() };
}

export const actedLately = (as) => last.as === as && performance.now() - last.at < LATELY;

/** Whether a view is this window's to show: judged once, when it is first seen. */
export function openedHere(view, as) {
  if (!here.has(view.id)) {
    here.set(view.id, actedLately(as));
    sessionStorage.setItem(STORE, JSON.stringify([...here]));
  }
  return here.get(view.id);
}
