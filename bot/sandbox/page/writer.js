/**
 * A box to write in: Enter sends, Shift+Enter starts a line, `/` lists the app's commands. What was written
 * stays until the server took it, and a draft waits while its author looks elsewhere.
 */

import { el, icon } from "./dom.js";

const drafts = new Map();

/**
 * `send(text)` delivers and resolves to {ok} or {ok: false, warning}; `name` tells drafts apart;
 * `commands` ({command, description, usage_hint}) are offered while the text starts with a slash.
 */
export function writer({ name, label, placeholder, send, commands = [] }) {
  const listId = `commands-${name.replaceAll(/\W+/g, "-")}`;
  const box = el("textarea", {
    rows: "1", placeholder, "aria-label": label, "data-focus": `writer ${name}`,
    ...(commands.length && { "aria-autocomplete": "list", "aria-controls": listId }),
  });
  const list = el("div", { id: listId, class: "commands", role: "listbox", "aria-label": "Commands", hidden: true });
  const notice = el("p", { class: "write-warning", role: "alert" });
  const button = el("button", { type: "submit", class: "send", "aria-label": "Send", title: "Send" }, icon("send"));
  const offer = offerCommands(box, list, commands, () => written());
  const form = el("div", { class: "writer" }, list, el("div", { class: "write-box" }, box, button), notice);

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
  return form;
}

/** The list of commands above the box: `took(event)` is true when a key was meant for it. */
function offerCommands(box, list, commands, written) {
  let chosen = 0;
  const matching = () => (/^\/\S*$/.test(box.value) ? commands.filter((one) => one.command.startsWith(box.value)) : []);
  const take = (one) => {
    box.value = `${one.command} `;
    hide();
    written();
    box.focus();
  };
  const hide = () => {
    list.hidden = true;
    box.removeAttribute("aria-activedescendant");
  };
  const update = () => {
    const offered = matching();
    chosen = Math.min(chosen, Math.max(offered.length - 1, 0));
    list.hidden = offered.length === 0;
    list.replaceChildren(...offered.map((one, i) => option(one, `${list.id}-${i}`, i === chosen, take)));
    if (list.hidden) hide();
    else box.setAttribute("aria-activedescendant", `${list.id}-${chosen}`);
  };
  const took = (event) => {
    const offered = list.hidden ? [] : matching();
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!offered.length) return false;
    if (event.key === "Escape") hide();
    else if (step) {
      chosen = (chosen + step + offered.length) % offered.length;
      update();
    } else if (event.key === "Tab" || (event.key === "Enter" && box.value !== offered[chosen].command)) take(offered[chosen]);
    else return false;
    event.preventDefault();
    return true;
  };
  return { update, hide, took };
}

function option(one, id, isChosen, take) {
  return el("div", {
    id, class: "command", role: "option", "aria-selected": String(isChosen),
    on: { mousedown: (event) => { event.preventDefault(); take(one); } },
  },
  el("span", {}, el("strong", {}, one.command), one.usage_hint && el("span", { class: "usage" }, ` ${one.usage_hint}`)),
  el("span", { class: "command-about" }, one.description ?? ""));
}
