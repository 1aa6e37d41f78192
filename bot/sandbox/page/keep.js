/**
 * Repaints without disturbing the person: rows that did not change keep their element, the focus returns to
 * the control it was on, and the text under the eye stays where it was. Nothing here knows what is painted.
 */

/**
 * Makes `parent` hold one element per item, in order. An element lives as long as its key does;
 * `create(item)` makes it and `update(node, item)` is told of every new version, the first included.
 */
export function reconcile(parent, items, { key, create, update }) {
  const known = new Map([...parent.children].map((node) => [node.dataset.key, node]));
  let next = parent.firstElementChild;
  for (const item of items) {
    const name = key(item);
    let node = known.get(name);
    known.delete(name);
    if (!node) {
      node = create(item);
      node.dataset.key = name;
    }
    if (node === next) next = next.nextElementSibling;
    else parent.insertBefore(node, next);
    update?.(node, item);
  }
  known.forEach((node) => node.remove());
}

const painted = new WeakMap();

/** Repaints `container` with what `paint()` returns when `facts` differ from those painted last. */
export function repaint(container, facts, paint) {
  const version = JSON.stringify(facts);
  if (painted.get(container) === version) return;
  painted.set(container, version);
  keepFocus(container, () => container.replaceChildren(...[paint()].flat().filter(Boolean)));
}

/** Runs `change`, then puts the focus back on the element of the same `data-focus` name. */
export function keepFocus(container, change) {
  const active = container.contains(document.activeElement) ? document.activeElement : null;
  const name = active?.closest("[data-focus]")?.dataset.focus;
  change();
  if (name === undefined || container.contains(document.activeElement)) return;
  const again = [...container.querySelectorAll("[data-focus]")].find((node) => node.dataset.focus === name);
  again?.focus({ preventScroll: true });
}

/** Whether the reader of a log is at its end, give or take a line. */
export const isAtEnd = (scroller) => scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < 40;

/** Runs `change` with the reading position kept: at the end stays at the end, elsewhere the same row stays put. */
export function keepPlace(scroller, change) {
  const atEnd = isAtEnd(scroller);
  const edge = scroller.getBoundingClientRect().top;
  const anchor = [...scroller.children].find((node) => node.getBoundingClientRect().bottom > edge);
  const before = anchor?.getBoundingClientRect().top;
  change();
  if (atEnd) scroller.scrollTop = scroller.scrollHeight;
  else if (anchor?.isConnected) scroller.scrollTop += anchor.getBoundingClientRect().top - before;
}
