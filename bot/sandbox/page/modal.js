/**
 * The modal on top of a person's stack. A view that the app updates keeps what was typed into the fields it
 * still has; a view that is gone closes; the X, Escape and the close button all tell the app.
 */

import { acting } from "./acts.js";
import * as api from "./api.js";
import { renderBlocks } from "./blocks.js";
import { readValues, writeValues } from "./controls.js";
import { el, icon } from "./dom.js";
import { showErrors, unfit } from "./inputs.js";
import { keepFocus } from "./keep.js";
import { plain } from "./mrkdwn.js";

let shown = null; // {id, version, errors, dialog}

/** Shows the newest of a person's open views, or none. `context` has `me`, `names`, `act`, `refresh`. */
export function paintModal(views, context) {
  const view = views.at(-1);
  if (shown && shown.id !== view?.id) {
    shown.dialog.close();
    shown.dialog.remove();
    shown = null;
  }
  if (!view) return;
  const { errors, ...content } = view;
  const version = JSON.stringify(content);
  if (!shown) open(view, version, context);
  else if (shown.version !== version) refill(view, version, context);
  if (errors && JSON.stringify(errors) !== shown.errors) showErrors(shown.dialog, errors);
  shown.errors = JSON.stringify(errors);
}

function open(view, version, context) {
  const dialog = el("dialog", {
    class: "modal",
    "aria-labelledby": "modal-title",
    "data-surface": "modal",
    "data-view-id": view.id,
  });
  shown = { id: view.id, version, errors: undefined, dialog };
  dialog.replaceChildren(form(view, dialog, context));
  dialog.addEventListener("cancel", (event) => {
    event.preventDefault();
    leave(view, dialog, context);
  });
  dialog.addEventListener("close", () => {
    // a second Escape closes whatever the page says: show what still stands
    if (shown?.dialog !== dialog) return;
    dialog.showModal();
    leave(view, dialog, context);
  });
  document.body.append(dialog);
  dialog.showModal();
  (
    dialog.querySelector("[autofocus]") ?? dialog.querySelector(".modal-body [data-holds-value], .modal-body input")
  )?.focus();
}

function refill(view, version, context) {
  const { dialog } = shown;
  const typed = readValues(dialog);
  shown = { id: view.id, version, errors: undefined, dialog };
  keepFocus(dialog, () => dialog.replaceChildren(form(view, dialog, context)));
  writeValues(dialog, typed);
}

function form(view, dialog, context) {
  const surface = {
    names: context.names,
    act: (action) => context.act({ view_id: view.id, values: readValues(dialog), ...action }),
  };
  const closing = () => leave(view, dialog, context);
  const submitting = (event) => {
    event.preventDefault();
    submit(view, dialog, context);
  };
  return el(
    "form",
    { novalidate: true, class: "modal-form", on: { submit: submitting } },
    el(
      "header",
      { class: "modal-head" },
      el("h2", { id: "modal-title", class: "modal-title" }, plain(view.title)),
      el(
        "button",
        { type: "button", class: "modal-x", "aria-label": "Close this window", on: { click: closing } },
        icon("close"),
      ),
    ),
    el("div", { class: "modal-body" }, renderBlocks(view.blocks, surface)),
    el(
      "footer",
      { class: "modal-foot" },
      el("p", { class: "modal-warning", role: "alert" }),
      el(
        "button",
        { type: "button", class: "button button-large", "data-focus": "close", on: { click: closing } },
        plain(view.close, view.submit ? "Cancel" : "Close"),
      ),
      view.submit &&
        el(
          "button",
          { type: "submit", class: "button button-large button-primary", "data-focus": "submit" },
          plain(view.submit, "Submit"),
        ),
    ),
  );
}

async function submit(view, dialog, context) {
  const wrong = unfit(dialog);
  showErrors(dialog, wrong);
  if (Object.keys(wrong).length) return;
  acting(context.me);
  const answer = await whileBusy(dialog, () => api.submit(context.me, view.id, readValues(dialog)));
  if (answer.errors) showErrors(dialog, answer.errors);
  else if (!answer.ok) say(dialog, answer.warning ?? "We had some trouble connecting. Try again?");
  await context.refresh();
}

async function leave(view, dialog, context) {
  const answer = await whileBusy(dialog, () => api.close(context.me, view.id));
  if (!answer.ok) say(dialog, answer.warning ?? "This window could not be closed. Try again.");
  await context.refresh();
}

async function whileBusy(dialog, work) {
  const buttons = [...dialog.querySelectorAll(".modal-foot button")].filter((button) => !button.disabled);
  say(dialog, "");
  buttons.forEach((button) => {
    button.disabled = true;
  });
  const answer = await work();
  buttons.forEach((button) => {
    button.disabled = false;
  });
  return answer;
}

const say = (dialog, words) => {
  dialog.querySelector(".modal-warning").textContent = words;
};
