/**
 * The left side: the workspace, where this person can read, and who the window acts as. Every row is a link,
 * so a person or a channel opens in a second window the way any page does.
 */

import { avatar, el, icon } from "./dom.js";
import { repaint } from "./keep.js";
import { address, goes } from "./route.js";

/** Paints the sidebar. `context` has `team`, `people`, `names`, `me`, `channel` and `go(route)`. */
export function paintSidebar(nav, channels, context) {
  const facts = [context.team, context.people, channels, context.me, context.channel?.id];
  repaint(nav, facts, () => [
    el("div", { class: "workspace" }, el("strong", {}, context.team.name), el("span", {}, "Local workspace")),
    el(
      "div",
      { class: "places" },
      section(
        "Channels",
        channels.filter((one) => one.kind === "channel").map((one) => channelRow(one, context)),
      ),
      section(
        "Direct messages",
        channels
          .filter((one) => one.kind === "im" && one.with !== context.names.app.id)
          .map((one) => channelRow(one, context)),
      ),
      section("Apps", [appRow(channels, context)]),
    ),
    section(
      "Acting as",
      context.people.map((person) => personRow(person, context)),
      "people",
    ),
  ]);
}

function section(title, rows, look = "") {
  if (!rows.length) return null;
  const id = `side-${title.toLowerCase().replaceAll(" ", "-")}`;
  return el(
    "section",
    { class: `side-section ${look}`, "aria-labelledby": id },
    el("h2", { id, class: "side-title" }, title),
    el(
      "ul",
      {},
      rows.map((row) => el("li", {}, row)),
    ),
  );
}

function channelRow(channel, context) {
  const other = context.names.user(channel.with);
  const mark =
    channel.kind === "channel"
      ? el("span", { class: "hash", "aria-hidden": "true" }, "#")
      : avatar(other ?? { name: channel.name });
  return placeRow(
    channel.id,
    [mark, el("span", { class: "row-name" }, other?.name ?? channel.name)],
    channel.unread,
    channel.id === context.channel?.id,
    context,
  );
}

function appRow(channels, context) {
  const { app } = context.names;
  const channel = channels.find((one) => one.with === app.id);
  const isHere = [channel?.id, app.id].includes(context.channel?.id);
  return placeRow(
    channel?.id ?? app.id,
    [avatar(app), el("span", { class: "row-name" }, app.name), el("span", { class: "badge" }, "App")],
    channel?.unread,
    isHere,
    context,
  );
}

function placeRow(channelId, content, unread, isHere, context) {
  const route = { as: context.me, channel: channelId };
  return el(
    "a",
    {
      class: unread ? "row unread" : "row",
      href: address(route),
      "aria-current": isHere ? "page" : null,
      "data-focus": `place ${channelId}`,
      on: { click: goes(context.go, route) },
    },
    content,
    unread > 0 && el("span", { class: "count", "aria-label": `${unread} unread` }, String(unread)),
  );
}

function personRow(person, context) {
  const route = { as: person.id, channel: samePlace(context) };
  const isMe = person.id === context.me;
  const about = person.deleted ? "Deactivated" : person.title;
  const name = [person.fullName, person.isGuest && el("span", { class: "badge badge-guest" }, "Guest")];
  const attributes = {
    class: "row person",
    href: address(route),
    "aria-current": isMe ? "true" : null,
    "data-focus": `person ${person.id}`,
    on: { click: goes(context.go, route) },
  };
  const words = el("span", { class: "row-name" }, el("span", {}, name), about && el("small", {}, about));
  return [el("a", attributes, avatar(person), words, isMe && icon("check")), !isMe && secondWindow(person, route)];
}

/** Where somebody else would stand who took over this window: the same channel, or their own talk with the app. */
function samePlace({ channel, names }) {
  if (channel?.kind !== "im") return channel?.id;
  return channel.with === names.app.id ? names.app.id : null;
}

function secondWindow(person, route) {
  const label = `Open a second window as ${person.name}`;
  const attributes = { class: "beside", href: address(route), target: "_blank", title: label, "aria-label": label };
  return el("a", attributes, icon("window"));
}
