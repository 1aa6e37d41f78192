/**
 * Who looks at what, kept in the address: `/?as=U0MARTA&channel=C0BUY`. One window is one person, so two
 * windows can be two people, and a reload or the Back button changes nothing else.
 */

/** The route in the address bar: `as` and `channel` may be null, `tab` is "home" or "messages". */
export function current() {
  const query = new URLSearchParams(location.search);
  return { as: query.get("as"), channel: query.get("channel"), tab: query.get("tab") };
}

export function address({ as, channel, tab }) {
  const query = new URLSearchParams({ as, ...(channel && { channel }), ...(tab && { tab }) });
  return `/?${query}`;
}

/**
 * The channel the route means, or the first there is. A channel may be named by the person (or app) at its
 * other end, so that a direct message keeps its meaning when somebody else takes over the window.
 */
export function channelOf(route, channels) {
  const named = channels.find((channel) => channel.id === route.channel || channel.with === route.channel);
  return named ?? channels.find((channel) => channel.kind === "channel") ?? channels[0];
}

/** A link within the page: a plain click goes there, any other (new tab, new window) is the browser's own. */
export function goes(go, route) {
  return (event) => {
    if (event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    go(route);
  };
}
