/**
 * What can be pressed: buttons, overflow menus, and selects or choices that act at once. A press is sent to
 * the app one at a time; while it is under way nothing on the same message or view can be pressed again.
 */

import { confirmed } from "./confirm.js";
import { control, valueOf } from "./controls.js";
import { el, icon } from "./dom.js";
import { plain } from "./mrkdwn.js";

const SILENT = "The app did not answer.";

/** The node for an element of an actions block or a section's accessory. `surface.act(action)` delivers a press. */
export function actionable(element, block, surface) {
  const make = { button, overflow, image }[element.type] ?? acting;
  return make(element, block, surface);
}

function button(element, block, surface) {
  const style = element.style ? `button button-${element.style}` : "button";
  const attributes = { class: style, "data-action": element.action_id ?? "", "data-focus": focusName(element, block) };
  const isLink = /^https?:\/\//i.test(element.url ?? "");
  const node = isLink
    ? el("a", { ...attributes, href: element.url, target: "_blank", rel: "noopener noreferrer" }, plain(element.text))
    : el("button", { ...attributes, type: "button" }, plain(element.text));
  node.addEventListener("click", () => press(node, element, block, surface, { value: element.value }));
  if (element.accessibility_label) node.setAttribute("aria-description", element.accessibility_label);
  return node;
}

function overflow(element, block, surface) {
  const menu = el("div", { class: "menu", role: "menu", popover: "auto" });
  const opener = el(
    "button",
    {
      type: "button",
      class: "button button-more",
      "aria-haspopup": "menu",
      "aria-label": "More actions",
      "data-action": element.action_id ?? "",
      "data-focus": focusName(element, block),
      on: { click: () => openMenu(menu, opener) },
    },
    icon("more"),
  );
  const choose = (option) => {
    menu.hidePopover();
    if (/^https?:\/\//i.test(option.url ?? "")) window.open(option.url, "_blank", "noopener,noreferrer");
    press(opener, element, block, surface, { selected_option: option });
  };
  menu.append(
    ...element.options.map((option) =>
      el(
        "button",
        {
          type: "button",
          class: "menu-item",
          role: "menuitem",
          tabindex: "-1",
          on: { click: () => choose(option) },
        },
        plain(option.text),
      ),
    ),
  );
  menu.addEventListener("keydown", (event) => moveInMenu(menu, opener, event));
  return el("span", { class: "menu-anchor" }, opener, menu);
}

function openMenu(menu, opener) {
  const box = opener.getBoundingClientRect();
  menu.showPopover();
  const below = box.bottom + 4 + menu.offsetHeight < window.innerHeight;
  menu.style.top = `${below ? box.bottom + 4 : box.top - 4 - menu.offsetHeight}px`;
  menu.style.left = `${Math.max(8, Math.min(box.left, window.innerWidth - menu.offsetWidth - 8))}px`;
  menu.firstElementChild?.focus();
}

function moveInMenu(menu, opener, event) {
  const items = [...menu.children];
  const at = items.indexOf(document.activeElement);
  const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: items.length - 1 }[event.key];
  if (next !== undefined) {
    event.preventDefault();
    items[(next + items.length) % items.length].focus();
  } else if (event.key === "Tab") {
    menu.hidePopover();
    opener.focus();
  }
}

function acting(element, block, surface) {
  const node = control(element, block.block_id, null);
  if (!node) return el("span", { class: "unknown" }, `This page cannot show an element of type ${element.type}.`);
  node.dataset.action = element.action_id ?? "";
  node.addEventListener("change", () => {
    const { type: _, ...value } = valueOf(node);
    if (value.selected_option === null) return;
    press(node, element, block, surface, value);
  });
  return node;
}

/** Images are never fetched: nothing leaves this machine. Their description stands in for them. */
export function image(element) {
  return el("span", { class: "image", role: "img", "aria-label": element.alt_text }, element.alt_text);
}

const focusName = (element, block) => `${block.block_id}/${element.action_id}`;

async function press(node, element, block, surface, value) {
  if (element.confirm && !(await confirmed(element.confirm))) return;
  const release = hold(node);
  clearWarning(node);
  const answer = await surface.act({ block_id: block.block_id, action_id: element.action_id, ...value });
  release();
  if (!answer.ok) warn(node, answer.warning ?? SILENT);
}

function hold(node) {
  const scope = node.closest("[data-surface]");
  const held = [...scope.querySelectorAll("button[data-action], select[data-action]")].filter((one) => !one.disabled);
  const hadFocus = document.activeElement === node;
  held.forEach((one) => {
    one.disabled = true;
  });
  node.classList.add("under-way");
  return () => {
    held.forEach((one) => {
      one.disabled = false;
    });
    node.classList.remove("under-way");
    if (hadFocus && node.isConnected && document.activeElement === document.body) node.focus({ preventScroll: true });
  };
}

function warn(node, words) {
  const block = node.closest(".block");
  node.classList.add("unanswered");
  if (node.matches("button")) node.prepend(icon("alert"));
  const line = el("p", { class: "click-warning", role: "alert" }, words);
  block?.append(line);
  line.scrollIntoView({ block: "nearest" });
}

function clearWarning(node) {
  const block = node.closest(".block");
  block?.querySelectorAll(".click-warning, .unanswered > .icon-alert").forEach((mark) => mark.remove());
  block?.querySelectorAll(".unanswered").forEach((one) => one.classList.remove("unanswered"));
}
