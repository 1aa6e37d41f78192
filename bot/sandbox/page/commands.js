/** The app's commands, offered above a box while the text in it starts with a slash, as Slack does. */

import { el } from "./dom.js";

/**
 * Fills `list` with the commands that begin as the text of `box` does; `written()` is told when one was taken over.
 * Of what it returns, `took(event)` is true when a key was meant for the list.
 */
export function offerCommands(box, list, commands, written) {
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
    } else if (event.key === "Tab" || (event.key === "Enter" && box.value !== offered[chosen].command))
      take(offered[chosen]);
    else return false;
    event.preventDefault();
    return true;
  };
  return { update, hide, took };
}

function option(one, id, isChosen, take) {
  return el(
    "div",
    {
      id,
      class: "command",
      role: "option",
      "aria-selected": String(isChosen),
      on: {
        mousedown: (event) => {
          event.preventDefault();
          take(one);
        },
      },
    },
    el(
      "span",
      {},
      el("strong", {}, one.command),
      one.usage_hint && el("span", { class: "usage" }, ` ${one.usage_hint}`),
    ),
    el("span", { class: "command-about" }, one.description ?? ""),
  );
}
