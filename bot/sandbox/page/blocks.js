/**
 * Block Kit as nodes, one function a block. A block this page does not know is shown as a sentence saying so,
 * never left out: what an approver cannot see must at least be missed.
 */

import { el, icon } from "./dom.js";
import { actionable, image } from "./elements.js";
import { input } from "./inputs.js";
import { markdown } from "./markdown.js";
import { mrkdwn, plain } from "./mrkdwn.js";
import { richText } from "./richtext.js";

/**
 * The nodes of a list of blocks. `surface` is where they stand: `names` says who an id is, `act(action)` sends
 * a press to the app and resolves to its answer.
 */
export function renderBlocks(blocks, surface) {
  return blocks.map((block) => {
    const content = BLOCKS[block.type]?.(block, surface) ?? unknown(block);
    return el("div", { class: `block block-${block.type}`, "data-block-id": block.block_id ?? null }, content);
  });
}

const BLOCKS = {
  header: (block) => el("h3", { class: "header-text" }, plain(block.text)),
  section,
  context,
  divider: () => el("hr"),
  actions: (block, surface) => block.elements.map((element) => actionable(element, block, surface)),
  rich_text: (block, surface) => richText(block, surface.names),
  input,
  image: (block) => [block.title && el("p", { class: "image-title" }, plain(block.title)), image(block)],
  table,
  alert: (block, surface) => alertBox(block, surface),
  markdown: (block) => markdown(block.text),
};

/** A text object: plain_text is inert, mrkdwn is read. */
export function text(object, names) {
  return object.type === "mrkdwn" ? mrkdwn(object.text, names, object.verbatim) : [plain(object)];
}

function section(block, surface) {
  const words = [
    block.text && el("div", { class: "section-text" }, text(block.text, surface.names)),
    block.fields &&
      el(
        "div",
        { class: "fields" },
        block.fields.map((field) => el("div", { class: "field" }, text(field, surface.names))),
      ),
  ];
  if (!block.accessory) return words;
  return [
    el("div", { class: "section-main" }, words),
    el("div", { class: "accessory" }, actionable(block.accessory, block, surface)),
  ];
}

function context(block, surface) {
  return block.elements.map((element) =>
    element.type === "image" ? image(element) : el("span", { class: "context-text" }, text(element, surface.names)),
  );
}

function alertBox(block, surface) {
  const level = ["info", "warning", "error", "success"].includes(block.level) ? block.level : "default";
  return el(
    "div",
    { class: `alert alert-${level}`, role: "note" },
    icon(level === "success" ? "check" : "alert"),
    el("div", {}, text(block.text, surface.names)),
  );
}

function table(block, surface) {
  const settings = block.column_settings ?? [];
  const look = (column) =>
    `align-${settings[column]?.align ?? "left"}${settings[column]?.is_wrapped ? " wrapped" : ""}`;
  const cell = (tag) => (content, column) =>
    el(tag, { class: look(column), scope: tag === "th" ? "col" : null }, cellContent(content, surface));
  const [head, ...rows] = block.rows;
  return el(
    "div",
    { class: "table-frame", tabindex: "0", role: "group", "aria-label": "Table" },
    el(
      "table",
      {},
      el("thead", {}, el("tr", {}, head.map(cell("th")))),
      el(
        "tbody",
        {},
        rows.map((row) => el("tr", {}, row.map(cell("td")))),
      ),
    ),
  );
}

function cellContent(content, surface) {
  return content.type === "rich_text" ? richText(content, surface.names) : [plain(content)];
}

const unknown = (block) => el("p", { class: "unknown" }, `This page cannot show a block of type ${block.type}.`);
