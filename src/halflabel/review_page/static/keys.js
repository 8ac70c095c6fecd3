// Keys: every action has one, and nothing needs the mouse.

import { byId, guard, make } from "/static/dom.js";
import { playSound } from "/static/item.js";

const NAMES = { " ": "Space", Enter: "Enter", Escape: "Esc" };

/** Buttons that do the same as a key. */
const BUTTONS = {
  yes: "j", no: "f", unsure: "k", skip: " ", undo: "u", comment: "t", flag: "b", history: "h", refit: "r", audit: "a", write: "w", help: "?", "item-mode": "e",
  lasso: "l", "as-list": "m", why: "x",
};

/** Return the part of the page whose sound is played: the tile with the focus, or else the item or the wall. */
const findSounds = () => document.activeElement.closest("#wall li") ?? byId(byId("wall").hidden ? "item" : "wall");

/** The actions of a page by key; capital letters need Shift. */
function listActions(page) {
  return {
    j: { text: "yes", run: () => page.answer(1) },
    f: { text: "no", run: () => page.answer(0) },
    k: { text: "not sure", run: () => page.answer(null) },
    " ": { text: "skip this question", run: () => page.skip() },
    u: { text: "take the last answer back", run: () => page.undo.reverse(false) },
    U: { text: "repeat what was taken back", run: () => page.undo.reverse(true) },
    Enter: { text: "accept the screen", run: () => page.screens.accept() },
    v: { text: "the next view: one entry, an item with its labels, a wall of items", run: () => page.screens.nextView() },
    e: { text: "all labels of this item", run: () => page.openCurrent() },
    z: { text: "the picture as large as the window", run: () => page.zoom.open() },
    t: { text: "a comment on this item", run: () => page.notes.comment() },
    b: { text: "flag this item, or take the flag away", run: () => page.notes.flag() },
    h: { text: "the last answers, to open one again", run: () => page.notes.history() },
    p: { text: "play or pause the sound", run: () => playSound(findSounds()) },
    x: { text: "why the last answered entry has its probability", run: () => page.explain() },
    n: { text: "the next queue", run: () => page.nextQueue() },
    m: { text: "map or list of the items", run: () => page.list.toggle() },
    l: { text: "ask only about items on the map, with a lasso", run: () => page.toggleLasso() },
    c: { text: "colour of the map: state or probability", run: () => page.map.toggleColour() },
    r: { text: "fit again", run: () => page.updates.refit(false) },
    R: { text: "fit again, thoroughly", run: () => page.updates.refit(true) },
    a: { text: "audit", run: () => page.openAudit() },
    w: { text: "write the files", run: () => page.updates.write() },
    "?": { text: "this list", run: () => byId("help-dialog").showModal() },
    Escape: { text: "ask about all items again", run: () => page.queue.rows && page.askAbout(null) },
  };
}

export function bindKeys(page) {
  bindActions(listActions(page), BUTTONS, (event) => page.screens.takeKey(event));
  const numbers = [["1", "to 9: change the value of a label, or of an item of a wall"], ["0", "no for the labels without a value"]];
  byId("keys").prepend(...numbers.flatMap(([key, text]) =>
    [make("dt", {}, make("kbd", { textContent: key })), make("dd", { textContent: text })]));
}

/** Run the actions by their keys and by buttons, and list the keys. `take` returns whether a key is not an action. */
export function bindActions(actions, buttons, take = () => false) {
  for (const action of Object.values(actions)) action.run = guard(action.run);
  for (const [id, key] of Object.entries(buttons)) byId(id).onclick = actions[key].run;
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (document.querySelector("dialog[open]")) return;
    if (event.target.matches("select, input, textarea") && event.key !== "Escape") return;
    if (event.key === " " && event.target.matches("audio")) return; // it plays
    if (take(event)) return;
    const action = actions[event.key] ?? actions[event.shiftKey ? event.key.toUpperCase() : event.key.toLowerCase()];
    if (!action || event.repeat) return;
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
