/**
 * Starts the page and keeps it true: whatever changes (an event, a click, another address), what this person
 * sees is fetched again and painted over. The server's answer is the only state; nothing is guessed ahead.
 */

import { acting, openedHere } from "./acts.js";
import * as api from "./api.js";
import { watchNews } from "./arrivals.js";
import { renderBlocks } from "./blocks.js";
import { readValues } from "./controls.js";
import { el } from "./dom.js";
import { paintHead } from "./head.js";
import { repaint } from "./keep.js";
import { paintMessages } from "./messages.js";
import { paintModal } from "./modal.js";
import { address, channelOf, current, goes } from "./route.js";
import { paintSidebar } from "./sidebar.js";
import { writer } from "./writer.js";

const at = (id) => document.getElementById(id);

let cast; // the answer to /page/people
let known = new Map(); // id -> person or app
let seen = null; // the last {state, messages, channel, tab}
let revision = -1;
let endStream = () => {};
let refreshing = null;
let again = false;

async function start() {
  cast = await api.people();
  known = new Map(
    cast.people.map((one) => [one.id, { ...one, fullName: one.real_name ?? one.name, isGuest: one.is_guest }]),
  );
  known.set(cast.bot.id, { ...cast.bot, isApp: true });
  addEventListener("popstate", () => arrive());
  at("composer").addEventListener("submit", (event) => event.preventDefault());
  at("scrim").addEventListener("click", hideSidebar);
  watchNews(at("scroller"), at("news"));
  addEventListener("keydown", (event) => event.key === "Escape" && hideSidebar());
  await arrive();
}

/** Acts on the address bar: the first time, after a link within the page, and after Back. */
async function arrive() {
  const as = me();
  hideSidebar();
  if (arrive.as !== as) {
    arrive.as = as;
    endStream();
    endStream = api.stream(as, changed, () => {
      at("lost").hidden = false;
    });
  }
  await refresh();
  if (seen?.tab === "home") {
    await api.home(as);
    await refresh();
  }
}

function go(route) {
  history.pushState(null, "", address(route));
  return arrive();
}

function changed(newest) {
  at("lost").hidden = true;
  if (newest === null || newest > revision) refresh();
}

/** Fetches and paints; a call during another makes that one go round once more. */
function refresh() {
  again = true;
  refreshing ??= (async () => {
    while (again) {
      again = false;
      await look().catch(() => {
        at("lost").hidden = false;
      });
    }
  })().finally(() => {
    refreshing = null;
  });
  return refreshing;
}

async function look() {
  const as = me();
  const asked = location.search;
  let state = await api.state(as);
  const channel = channelOf(route(), [...state.channels, appWithoutChannel()]);
  const tab = tabOf(channel);
  const isReading = tab !== "home" && channel.id !== cast.bot.id;
  const { messages, revision: read } = isReading
    ? await api.messages(as, channel.id)
    : { messages: [], revision: state.revision };
  if (isReading && state.channels.some((one) => one.id === channel.id && one.unread)) state = await api.state(as);
  if (asked !== location.search) return;
  history.replaceState(null, "", address({ as, channel: channel.id, tab }));
  revision = Math.min(state.revision, read);
  seen = { state, messages, channel, tab };
  paint();
}

function route() {
  const { as, channel, tab } = current();
  return { as: known.has(as) && as !== cast.bot.id ? as : cast.people[0].id, channel, tab };
}

const me = () => route().as;
const appWithoutChannel = () => ({ id: cast.bot.id, kind: "im", with: cast.bot.id, name: cast.bot.name });

function tabOf(channel) {
  if (channel.with !== cast.bot.id) return null;
  return route().tab ?? (channel.id === cast.bot.id ? "home" : "messages");
}

function paint() {
  const { state, messages, channel, tab } = seen;
  const context = contextFor(state, channel, tab);
  paintSidebar(at("sidebar"), state.channels, context);
  paintHead(at("head"), context);
  paintHome(state.home, context);
  at("scroller").hidden = tab === "home";
  at("composer").hidden = tab === "home" || channel.id === cast.bot.id;
  repaint(at("composer"), [me(), channel.id], () => channelWriter(channel, context));
  at("news").hidden ||= tab === "home";
  if (tab !== "home") paintMessages(at("scroller"), at("news"), messages, context);
  const views = state.views.filter((view) => openedHere(view, me()));
  paintModal(views, context);
  const unread = state.channels.reduce((sum, one) => sum + (one.unread ?? 0), 0);
  document.title = `${unread ? `(${unread}) ` : ""}${channel.name ?? ""} · ${known.get(me()).name} · ${cast.team.name}`;
}

function contextFor(state, channel, tab) {
  const as = me();
  const sent = (asking) => asking.then((answer) => refresh().then(() => answer));
  const place = (one) => ({ ...one, href: address({ as, channel: one.id }), go: goes(go, { as, channel: one.id }) });
  const channelById = (id) => state.channels.filter((one) => one.id === id).map(place)[0] ?? null;
  return {
    me: as,
    team: cast.team,
    people: cast.people.map((one) => known.get(one.id)),
    channel,
    tab,
    names: { me: as, app: known.get(cast.bot.id), user: (id) => known.get(id) ?? null, channel: channelById },
    act: (action) => {
      acting(as);
      return sent(api.click({ as, ...action }));
    },
    shortcuts: cast.shortcuts,
    choose: (ts, callbackId) => {
      acting(as);
      return sent(api.shortcut(as, channel.id, ts, callbackId));
    },
    reply: (text, threadTs) => {
      acting(as);
      return api.message(as, channel.id, text, threadTs).finally(() => {
        refresh();
      });
    },
    go,
    refresh,
    repaint: paint,
    showSidebar,
  };
}

function channelWriter(channel, context) {
  const name = context.names.user(channel.with)?.name ?? `#${channel.name}`;
  const say = (text) => (text.startsWith("/") ? command(text, channel) : context.reply(text));
  return writer({
    name: `${context.me} ${channel.id}`,
    label: `Message ${name}`,
    placeholder: `Message ${name}`,
    send: say,
    commands: cast.commands,
  });
}

function command(text, channel) {
  const name = text.split(/\s/)[0];
  const names = cast.commands.map((one) => one.command);
  if (!names.includes(name))
    return { ok: false, warning: `${name} is not a command here. There is ${names.join(", ") || "none"}.` };
  acting(me());
  return api.command(me(), channel.id, text).finally(() => {
    refresh();
  });
}

function paintHome(view, context) {
  const home = at("home");
  home.hidden = context.tab !== "home";
  if (home.hidden) return;
  const { app, user } = context.names;
  const surface = {
    names: context.names,
    act: (action) => context.act({ view_id: view.id, values: readValues(home), ...action }),
  };
  const nothing = () =>
    el(
      "div",
      { class: "intro" },
      el("h2", {}, `${app.name} has nothing here yet`),
      el(
        "p",
        {},
        `What waits for ${user(context.me).name}, what ${user(context.me).name} asked for and what was settled lately will appear here.`,
      ),
    );
  repaint(home, [context.me, view], () => (view ? renderBlocks(view.blocks, surface) : nothing()));
}

function showSidebar() {
  document.body.classList.add("side-open");
  at("scrim").hidden = false;
  at("sidebar").querySelector("a")?.focus();
}

function hideSidebar() {
  document.body.classList.remove("side-open");
  at("scrim").hidden = true;
}

start().catch((problem) => {
  at("lost").hidden = false;
  at("lost").textContent =
    `The local workspace did not answer (${problem.message}). Is it still running? Reload to try again.`;
});
