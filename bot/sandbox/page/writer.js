/**
 * A box to write in: Enter sends, Shift+Enter starts a line, `/` lists the app's commands. What was written
 * stays until the server took it, and a draft waits while its author looks elsewhere.
 */

import { offerCommands } from "./commands.js";
import { el, icon } from "./dom.js";

const drafts = new Map();

/**
 * `send(text)` delivers and resolves to {ok} or {ok: false, warning}; `name` tells drafts apart;
 * `commands` ({command, description, usage_hint}) are offered while the text starts with a slash.
 */
export function writer({ name, label, placeholder, send, commands = [] }) {
  const listId = `commands-${name.replaceAll(/\W+/g, "-")}`;
  const controls = commands.length ? { "aria-autocomplete": "list", "aria-controls": listId } : {};
  const box = el("textarea", {
    rows: "1",
    placeholder,
    "aria-label": label,
    "data-focus": `writer ${name}`,
    ...controls,
  });
  const list = el("div", { id: listId, class: "commands", role: "listbox", "aria-label": "Commands", hidden: true });
  const notice = el("p", { class: "write-warning", role: "alert" });
  const button = el("button", { type: "submit", class: "send", "aria-label": "Send", title: "Send" }, icon("send"));
  const offer = offerCommands(box, list, commands, () => written());
  function written() {
    drafts.set(name, box.value);
    button.disabled = !box.value.trim();
    box.style.height = "auto";
    box.style.height = `${Math.min(box.scrollHeight, 220)}px`;
  }
  async function deliver() {
    const text = box.value.trim();
    if (!text || box.readOnly) return;
    box.readOnly = true;
    notice.textContent = "";
    const answer = await send(text);
    box.readOnly = false;
    if (!answer.ok) notice.textContent = answer.warning;
    else box.value = "";
    written();
    offer.update();
  }
  box.addEventListener("input", () => {
    written();
    offer.update();
  });
  box.addEventListener("keydown", (event) => {
    if (event.isComposing || offer.took(event) || event.key !== "Enter" || event.shiftKey) return;
    event.preventDefault();
    deliver();
  });
  box.addEventListener("blur", () => offer.hide());
  button.addEventListener("click", (event) => {
    event.preventDefault();
    deliver();
  });
  box.value = drafts.get(name) ?? "";
  button.disabled = !box.value.trim();
  return el("div", { class: "writer" }, list, el("div", { class: "write-box" }, box, button), notice);
}
