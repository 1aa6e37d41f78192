/**
 * The controls that hold a value: text fields, selects, radio buttons, checkboxes. Each element made here can
 * be read as Slack reads it for `view.state.values`, and written, so that a repaint loses no typing.
 */

import { el } from "./dom.js";
import { plain } from "./mrkdwn.js";

const accessors = new WeakMap();
let made = 0;

const same = (one, other) => one?.value === other?.value;

/** The control for a Block Kit element, or null when it is not one that holds a value. `label` names it. */
export function control(element, blockId, label) {
  const make = CONTROLS[element.type];
  if (!make) return null;
  const { node, target = node, read, write } = make(element, label);
  Object.assign(node.dataset, { blockId: blockId ?? "", actionId: element.action_id ?? "", holdsValue: "" });
  target.dataset.focus = `${blockId}/${element.action_id}`;
  if (element.focus_on_load) target.autofocus = true;
  accessors.set(node, { read: () => ({ type: element.type, ...read() }), write });
  return node;
}

const CONTROLS = {
  plain_text_input: textInput,
  static_select: select,
  radio_buttons: (element, label) => choices(element, label, "radio"),
  checkboxes: (element, label) => choices(element, label, "checkbox"),
};

/** What one control holds now, in the shape of Slack's view state. */
export const valueOf = (node) => accessors.get(node).read();

/** What every control inside `container` holds: {block_id: {action_id: value}}. */
export function readValues(container) {
  const values = {};
  for (const node of container.querySelectorAll("[data-holds-value]")) {
    (values[node.dataset.blockId] ??= {})[node.dataset.actionId] = valueOf(node);
  }
  return values;
}

/** Puts values read earlier back into the controls of the same block and action; the others keep theirs. */
export function writeValues(container, values) {
  for (const node of container.querySelectorAll("[data-holds-value]")) {
    const value = values[node.dataset.blockId]?.[node.dataset.actionId];
    if (value) accessors.get(node).write(value);
  }
}

function textInput(element, label) {
  const node = el(element.multiline ? "textarea" : "input", {
    class: "field-input",
    "aria-label": label,
    placeholder: plain(element.placeholder) || null,
    maxlength: element.max_length ?? null,
    ...(element.multiline ? { rows: "4" } : { type: "text", autocomplete: "off" }),
  });
  node.value = element.initial_value ?? "";
  return {
    node,
    read: () => ({ value: node.value === "" ? null : node.value }),
    write: ({ value }) => {
      node.value = value ?? "";
    },
  };
}

function select(element, label) {
  const options = element.options ?? element.option_groups.flatMap((group) => group.options);
  const choice = (option) => el("option", { value: String(options.indexOf(option)) }, plain(option.text));
  const placeholder = el("option", { value: "" }, plain(element.placeholder) || "Choose…");
  const entries =
    element.options?.map(choice) ??
    element.option_groups.map((group) => el("optgroup", { label: plain(group.label) }, group.options.map(choice)));
  const node = el(
    "select",
    { class: "select", "aria-label": label || plain(element.placeholder) || null },
    placeholder,
    entries,
  );
  const write = ({ selected_option: chosen }) => {
    const index = chosen ? options.findIndex((option) => same(option, chosen)) : -1;
    node.value = index < 0 ? "" : String(index);
  };
  write({ selected_option: element.initial_option });
  return { node, read: () => ({ selected_option: options[node.value] ?? null }), write };
}

function choices(element, label, type) {
  made += 1;
  const boxes = element.options.map((option, i) => el("input", { type, name: `choice-${made}`, value: String(i) }));
  const rows = element.options.map((option, i) =>
    el(
      "label",
      { class: "choice" },
      boxes[i],
      el("span", {}, plain(option.text), option.description && el("small", {}, plain(option.description))),
    ),
  );
  const node = el(
    "div",
    { class: "choices", role: type === "radio" ? "radiogroup" : "group", "aria-label": label },
    rows,
  );
  const chosen = () => element.options.filter((option, i) => boxes[i].checked);
  const write = (value) => {
    const wanted = value.selected_options ?? [value.selected_option];
    element.options.forEach((option, i) => {
      boxes[i].checked = wanted.some((want) => want && same(want, option));
    });
  };
  write({ selected_option: element.initial_option, selected_options: element.initial_options });
  const read = () => (type === "radio" ? { selected_option: chosen()[0] ?? null } : { selected_options: chosen() });
  return { node, target: boxes[0], read, write };
}
