/**
 * What the page asks of the workspace's server, one function a request. A person's request never throws:
 * when the server cannot be reached the answer carries a warning to show, as it does when the app kept silent.
 */

const UNREACHABLE = "The local workspace did not answer. Is it still running? Nothing was sent; try again.";

async function read(path, query = {}) {
  const answer = await fetch(`${path}?${new URLSearchParams(query)}`);
  if (!answer.ok) throw new Error(`${path} answered ${answer.status}`);
  return answer.json();
}

async function post(path, body) {
  try {
    const answer = await fetch(path, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(body),
    });
    if (answer.headers.get("Content-Type")?.includes("json")) return refused(answer, await answer.json());
    return { ok: false, warning: `The local workspace answered ${answer.status} to ${path}. Its log says why.` };
  } catch {
    return { ok: false, warning: UNREACHABLE };
  }
}

function refused(answer, body) {
  if (answer.ok) return body;
  const why = body.warning ?? body.error ?? body.detail;
  return {
    ...body,
    ok: false,
    warning: typeof why === "string" ? why : `The local workspace answered ${answer.status}.`,
  };
}

export const people = () => read("/page/people");
export const state = (as) => read("/page/state", { as });
export const messages = (as, channel) => read("/page/messages", { as, channel });

export const click = (action) => post("/page/click", action);
export const command = (as, channel, text) => post("/page/command", { as, channel, text });
export const message = (as, channel, text, threadTs) =>
  post("/page/message", { as, channel, text, ...(threadTs && { thread_ts: threadTs }) });
export const shortcut = (as, channel, ts, callbackId) =>
  post("/page/shortcut", { as, channel, ts, callback_id: callbackId });
export const submit = (as, viewId, values) => post("/page/submit", { as, view_id: viewId, values });
export const close = (as, viewId) => post("/page/close", { as, view_id: viewId });
export const home = (as) => post("/page/home", { as });

/**
 * Calls `changed(revision)` at every change this person can see, and with null after each (re)connection,
 * when anything may have been missed; `lost()` when the stream breaks. Returns a function that ends it.
 */
export function stream(as, changed, lost) {
  let source;
  let timer;
  const connect = () => {
    source = new EventSource(`/page/stream?${new URLSearchParams({ as })}`);
    source.onopen = () => changed(null);
    source.onmessage = (event) => changed(JSON.parse(event.data).revision);
    source.onerror = () => {
      lost();
      if (source.readyState === EventSource.CLOSED) timer = setTimeout(connect, 1500);
    };
  };
  connect();
  return () => {
    clearTimeout(timer);
    source.close();
  };
}
