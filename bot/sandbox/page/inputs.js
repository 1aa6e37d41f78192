/** Input blocks of a modal: label, control, hint, and the sentence under a field that was not accepted. */

import { control, valueOf } from "./controls.js";
import { el, icon } from "./dom.js";
import { plain } from "./mrkdwn.js";

const REQUIRED = "Please complete this required field.";

/** An input block. Radio buttons and checkboxes are a group with a caption, the others a labelled field. */
export function input(block) {
  const { element, label, hint, optional } = block;
  const field = control(element, block.block_id, plain(label));
  const caption = el(
    "span",
    { class: "input-label", "aria-hidden": "true" },
    plain(label),
    optional && el("span", { class: "optional" }, " (optional)"),
  );
  const node = el(
    "div",
    { class: "input" },
    caption,
    field ?? el("span", { class: "unknown" }, `This page cannot show an input of type ${element.type}.`),
    hint && el("p", { class: "hint" }, plain(hint)),
  );
  Object.assign(node.dataset, {
    input: block.block_id ?? "",
    optional: optional ? "yes" : "",
    min: element.min_length ?? "",
  });
  if (field && !optional) field.setAttribute("aria-required", "true");
  caption.addEventListener("click", () => focusable(node)?.focus());
  return node;
}

const focusable = (node) => node.querySelector("input, textarea, select");

/** What Slack itself refuses before the app is asked: {block_id: sentence} for empty or too short fields. */
export function unfit(container) {
  const errors = {};
  for (const node of container.querySelectorAll("[data-input]")) {
    const field = node.querySelector("[data-holds-value]");
    if (!field) continue;
    const { value, selected_option: option, selected_options: options } = valueOf(field);
    const empty = !(value?.trim() || option || options?.length);
    if (empty && !node.dataset.optional) errors[node.dataset.input] = REQUIRED;
    else if (value && value.length < Number(node.dataset.min))
      errors[node.dataset.input] = `Please write at least ${node.dataset.min} characters.`;
  }
  return errors;
}

/** Shows each error under its field and takes the others away; the first field refused gets the focus. */
export function showErrors(container, errors) {
  let first = null;
  for (const node of container.querySelectorAll("[data-input]")) {
    const words = errors[node.dataset.input];
    const field = node.querySelector("[data-holds-value]");
    node.querySelector(".field-error")?.remove();
    node.classList.toggle("refused", Boolean(words));
    field?.toggleAttribute("aria-invalid", false);
    if (!words) continue;
    first ??= focusable(node);
    field?.setAttribute("aria-invalid", "true");
    node.append(el("p", { class: "field-error", role: "alert" }, icon("alert"), words));
  }
  first?.focus();
}
