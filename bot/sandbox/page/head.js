/** The line above a conversation: where one is, as whom, and for the app its Home and Messages tabs. */

import { avatar, el, icon } from "./dom.js";
import { repaint } from "./keep.js";
import { address, goes } from "./route.js";

/** Paints the pane's head. `context` has `names`, `me`, `channel`, `tab`, `go(route)` and `showSidebar()`. */
export function paintHead(head, context) {
  const { names, me, channel, tab } = context;
  const other = names.user(channel?.with);
  const name = other?.name ?? channel?.name ?? "";
  const person = names.user(me);
  repaint(head, [channel, tab, me], () =>
    [
      el(
        "button",
        {
          type: "button",
          class: "side-button",
          "aria-label": "Channels and people",
          "data-focus": "side",
          on: { click: context.showSidebar },
        },
        icon("menu"),
      ),
      el(
        "h1",
        { class: "place" },
        other ? avatar(other) : el("span", { class: "hash", "aria-hidden": "true" }, "#"),
        name,
        other?.isApp && el("span", { class: "badge" }, "App"),
      ),
      el(
        "p",
        { class: "acting" },
        el("span", { class: "acting-word" }, "Acting as"),
        avatar(person),
        el("strong", {}, person.name),
      ),
      other?.isApp && tabs(context),
    ].filter(Boolean),
  );
}

function tabs({ me, channel, tab, go }) {
  const entry = (name, words) => {
    const route = { as: me, channel: channel.id, tab: name };
    return el(
      "a",
      {
        class: "tab",
        role: "tab",
        href: address(route),
        "aria-selected": String(tab === name),
        "data-focus": `tab ${name}`,
        "aria-controls": name === "home" ? "home" : "scroller",
        on: { click: goes(go, route) },
      },
      words,
    );
  };
  return el(
    "div",
    { class: "tabs", role: "tablist", "aria-label": "App" },
    entry("home", "Home"),
    entry("messages", "Messages"),
  );
}
