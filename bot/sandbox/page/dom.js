/**
 * Makes elements. The one rule of this page: text from anybody enters the document as a text node.
 * Nothing here or elsewhere on the page can parse markup, and links may only lead to the web or to a mailbox.
 */

/** An element. Null, undefined and false attributes and children are left out; `on` holds event listeners. */
export function el(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "on") Object.entries(value).forEach(([event, listener]) => node.addEventListener(event, listener));
    else if (name === "data") Object.assign(node.dataset, value);
    else node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

/** A link out of this page, or the bare label when the address is not one a person should follow. */
export function link(url, ...label) {
  const shown = label.length ? label : [url];
  if (!/^(https?:\/\/|mailto:)/i.test(url)) return el("span", {}, shown);
  return el("a", { href: url, target: "_blank", rel: "noopener noreferrer", class: "link" }, shown);
}

const ICONS = {
  alert: "M8 1.5 15 14H1L8 1.5zM8 6v4M8 12v.2",
  check: "M3 8.5 6.5 12 13 4.5",
  close: "M3.5 3.5l9 9M12.5 3.5l-9 9",
  eye: "M1 8s2.5-4.5 7-4.5S15 8 15 8s-2.5 4.5-7 4.5S1 8 1 8zM8 6a2 2 0 1 0 0 4 2 2 0 0 0 0-4z",
  menu: "M2 4h12M2 8h12M2 12h12",
  more: "M8 3.5v.2M8 8v.2M8 12.5v.2",
  past: "M8 2.5a5.5 5.5 0 1 1-5.2 3.7M2.5 2.5v4h4M8 5v3.2l2.2 1.6",
  reply: "M14 7.5c0 2.8-2.7 5-6 5-.8 0-1.6-.1-2.3-.4L2 13.5l1-2.9c-.6-.9-1-1.9-1-3.1 0-2.8 2.7-5 6-5s6 2.2 6 5z",
  send: "M2 2.5 14 8 2 13.5 3.5 8 2 2.5zM3.5 8H9",
  window: "M6 3H3v10h10v-3M9 3h4v4M13 3 7.5 8.5",
};

/** A small line drawing, hidden from screen readers: whatever it stands in must have words of its own. */
export function icon(name) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  path.setAttribute("d", ICONS[name]);
  svg.setAttribute("viewBox", "0 0 16 16");
  svg.setAttribute("aria-hidden", "true");
  svg.classList.add("icon", `icon-${name}`);
  svg.append(path);
  return svg;
}

/** A person's or the app's square: initials on their colour, or a tick for the app. */
export function avatar(who) {
  const square = el(
    "span",
    { class: "avatar", "aria-hidden": "true" },
    who.isApp ? icon("check") : initials(who.fullName ?? who.name),
  );
  if (who.colour) square.style.backgroundColor = who.colour;
  if (isLight(who.colour)) square.classList.add("avatar-light");
  return square;
}

function initials(name) {
  const words = name.split(/\s+/).filter(Boolean);
  const letters = words.length > 1 ? [words[0], words.at(-1)] : words;
  return letters.map((word) => [...word][0].toUpperCase()).join("") || "?";
}

function isLight(colour) {
  const hex = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i.exec(colour ?? "");
  if (!hex) return false;
  const [red, green, blue] = hex.slice(1).map((part) => parseInt(part, 16));
  return 0.299 * red + 0.587 * green + 0.114 * blue > 160;
}
