// Keys: every action has one, and nothing needs the mouse.

import { byId, make } from "/static/dom.js";

const NAMES = { " ": "Space", Escape: "Esc" };

/** @param {Record<string, {text: string, run: () => void}>} actions  by key; capital letters need Shift */
export function bindKeys(actions) {
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (document.querySelector("dialog[open]")) return;
    if (event.target.matches("select, input, textarea") && event.key !== "Escape") return;
    const action = actions[event.key] ?? actions[event.shiftKey ? event.key.toUpperCase() : event.key.toLowerCase()];
    if (!action || (event.repeat && !action.repeats)) return;
    if (event.key === " " && event.target.matches("button")) event.target.blur();
    event.preventDefault();
    action.run();
  });
  byId("keys").replaceChildren(
    ...Object.entries(actions).flatMap(([key, { text }]) => [
      make("dt", {}, make("kbd", { textContent: NAMES[key] ?? (/[A-Z]/.test(key) ? `Shift ${key}` : key.toUpperCase()) })),
      make("dd", { textContent: text }),
    ]),
  );
}
