/** The "are you sure?" of a Block Kit element: asked and answered in this page, the app never hears of a No. */

import { el } from "./dom.js";
import { mrkdwn, plain } from "./mrkdwn.js";

const NO_NAMES = { user: () => null, channel: () => null };

/** Resolves to true when the person confirms, to false on the other button and on Escape. */
export function confirmed({ title, text, confirm, deny, style }) {
  const say = (object) => (object?.type === "mrkdwn" ? mrkdwn(object.text, NO_NAMES) : plain(object));
  const danger = style === "danger" ? "button-danger" : "button-primary";
  const dialog = el(
    "dialog",
    { class: "modal confirm", "aria-labelledby": "confirm-title" },
    el("h2", { id: "confirm-title", class: "modal-title" }, say(title)),
    el("div", { class: "confirm-text" }, say(text)),
    el(
      "div",
      { class: "modal-foot" },
      el(
        "button",
        { type: "button", class: "button button-large", on: { click: () => dialog.close("no") } },
        say(deny) || "Cancel",
      ),
      el(
        "button",
        { type: "button", class: `button button-large ${danger}`, on: { click: () => dialog.close("yes") } },
        say(confirm) || "OK",
      ),
    ),
  );
  document.body.append(dialog);
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(dialog.returnValue === "yes");
    });
  });
}
