// The doubtful labels of an item as buttons with the keys 1 to 9, and what else is known of it.

import { make } from "/static/dom.js";
import { WORDS } from "/static/question.js";

const KEYS = 9;
const MAX_KNOWN = 40;

/** Show a button for each entry. `toggle(place)` changes its value. */
export function showChips(target, entries, labels, toggle) {
  const asked = new Set(entries.map((each) => each.column));
  const buttons = entries.map((entry, place) => {
    const name = [make("b", { textContent: labels[entry.column] }), make("span", { className: "value" })];
    const key = place < KEYS ? [make("kbd", { textContent: place + 1, ariaHidden: "true" })] : [];
    entry.button = make("button", { type: "button", className: "choice", onclick: () => toggle(place) }, ...key, ...name);
    if (place < KEYS) entry.button.setAttribute("aria-keyshortcuts", String(place + 1));
    markValue(entry);
    return make("li", {}, entry.button);
  });
  const { states } = entries[0].item;
  const known = states.flatMap((state, column) => (state && state < 7 && !asked.has(column) ? [[state, column]] : []));
  known.sort((a, b) => (b[0] % 2 === 0) - (a[0] % 2 === 0));
  const marks = known.slice(0, MAX_KNOWN).map(([state, column]) =>
    make("li", { className: state % 2 ? "chip" : "chip has", textContent: `${state % 2 ? "not " : ""}${labels[column]}` }));
  target.replaceChildren(
    make("ul", { className: "choices", ariaLabel: "Labels of this item" }, ...buttons),
    ...(marks.length ? [make("ul", { className: "chips", ariaLabel: "Labels that are known or sure" }, ...marks)] : []),
  );
}

/** Show the value of an entry on its button. */
export function markValue({ button, value, proposal }) {
  button.dataset.value = value === undefined ? "" : WORDS[value];
  button.ariaPressed = String(value !== proposal);
  button.querySelector(".value").textContent = WORDS[value] ?? "open";
}

/** Return the value after the present one: as proposed, the other one, not sure. */
export function nextValue({ value, proposal }) {
  const order = proposal === undefined ? [undefined, 1, 0, null] : proposal === 0 ? [0, 1, null] : [1, 0, null];
  return order[(order.indexOf(value) + 1) % order.length];
}
