// What a screen looks like: one question, an item with several doubtful labels, or a wall of items of one label.

import { findOpen, isSingle, WORDS } from "/static/screens.js";
import { breakable, byId, count, make, plural } from "/static/dom.js";
import { showContent, showItem, showSound } from "/static/item.js";

const LONG = 30; // length of a label that is written in smaller letters
const KEYS = 9;

/** Show the screen of a page. `toggle(place)` changes the value of an entry. */
export function showScreen({ screen, labels, screens, progress }, toggle) {
  const { view, entries } = screen;
  const [first] = entries;
  const single = isSingle(screen);
  showParts(view === "wall" ? "wall" : single ? "single" : "chips");
  const text = view === "wall" || single ? `${labels[first.column]}?` : `${first.item.item}: which labels?`;
  byId("asked").replaceChildren(...breakable(text));
  byId("asked").classList.toggle("long", text.length > LONG);
  byId("reason").textContent = describeScreen(screen, screens, progress);
  byId("live").textContent = `${text} ${byId("reason").textContent} ${view === "wall" ? "" : describeItem(first.item)}`;
  if (view === "wall") showWall(entries, toggle);
  else showItem(byId("item"), first.item, labels, new Set(entries.map((each) => each.column)));
  if (view === "item" && !single) showChips(entries, labels, toggle);
  for (const id of ["yes", "no", "unsure", "skip"]) byId(id).disabled = false;
  if (!single) showAccept(screen, labels);
  document.body.dataset.question = `${view} ${first.row} ${first.column}`;
}

function showParts(shown) {
  document.body.dataset.view = shown;
  for (const id of ["yes", "no", "unsure"]) byId(id).hidden = shown !== "single";
  byId("accept").hidden = shown === "single";
  byId("item").hidden = shown === "wall";
  byId("wall").hidden = shown !== "wall";
  byId("chips").hidden = shown !== "chips";
}

/** Show why there is no screen. */
export function showNone({ progress, screens, outbox, isFinish }) {
  delete document.body.dataset.question;
  showParts("single");
  for (const id of ["yes", "no", "unsure", "skip"]) byId(id).disabled = true;
  for (const id of ["asked", "reason"]) byId(id).textContent = "";
  const text = progress.done ? `Done. ${progress.sentence} The files are written when this is reached; W writes them again.`
    : outbox.waiting.length ? "The answers are written."
    : isFinish && (progress.waits || !progress.has_fit) ? "A fit learns from all answers. The next question follows."
    : screens.isEmpty === undefined ? "Loading questions."
    : screens.view === "wall" && !progress.has_fit ? "A wall shows filled values: it needs the first fit."
    : isFinish ? `All gaps are answered. ${progress.sentence}`
    : progress.has_fit ? "This queue is empty. Choose another one (M), or write the files (W)."
    : "The first fit finds what may be wrong.";
  byId("live").textContent = byId("item").textContent = text;
}

function describeScreen(screen, screens, progress) {
  const [{ why, item, column, proposal }] = screen.entries;
  if (screen.view === "wall") return `${plural(screen.entries.length, "item")} filled with ${WORDS[proposal]}: choose the exceptions`;
  if (!isSingle(screen)) return `${plural(screen.entries.length, "label")}: ${findOpen(screen) ? "answer the open one, " : ""}change what is wrong, then accept`;
  const state = item.states[column];
  if (why === "suspects" && state > 2) return `${state > 4 ? "your answer" : "your table"}: ${state % 2 ? "no" : "yes"}, in doubt`;
  if (why === "twice") return "another reviewer has answered it, too";
  if (why !== "random") return "";
  if (!progress.has_fit) return "random questions until the first fit";
  return screens.kind === "random" ? "" : "a random check";
}

/** The beginning of an item, for a screen reader. */
function describeItem({ item, cells }) {
  return `${item}. ${cells.map((cell) => (cell.kind === "text" ? cell.text : `${cell.kind} ${cell.column}`)).join(", ").slice(0, 300)}`;
}

function showChips(entries, labels, toggle) {
  const chips = entries.map((entry, place) => {
    const name = [make("b", { textContent: labels[entry.column] }), make("span", { className: "value" })];
    return make("li", {}, makeChoice(entry, place, "choice", toggle, ...name));
  });
  byId("chips").replaceChildren(make("ul", { className: "choices", ariaLabel: "Labels of this item" }, ...chips));
}

/** Items that have the same filled value of one label. The person chooses the exceptions. */
function showWall(entries, toggle) {
  const tiles = entries.map((entry, place) => {
    const { item } = entry;
    const name = [make("span", { className: "name", textContent: item.item, dir: "auto" }), make("span", { className: "value" })];
    return make("li", {}, makeChoice(entry, place, "tile", toggle, ...showContent(item), ...name), ...showSound(item)); // a button holds no player
  });
  byId("wall").replaceChildren(make("ul", { className: "tiles", ariaLabel: "Items of this wall" }, ...tiles));
  byId("wall").scrollTop = 0;
}

function makeChoice(entry, place, className, toggle, ...content) {
  const key = place < KEYS ? [make("kbd", { textContent: place + 1, ariaHidden: "true" })] : [];
  entry.button = make("button", { type: "button", className, onclick: () => toggle(place) }, ...key, ...content);
  if (place < KEYS) entry.button.setAttribute("aria-keyshortcuts", String(place + 1));
  markValue(entry);
  return entry.button;
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

export function showAccept(screen, labels) {
  const { entries } = screen;
  const open = findOpen(screen);
  const parts = [1, 0, null].map((value) => [entries.filter((each) => each.value === value).length, WORDS[value]]);
  const text = parts.filter(([number]) => number).map(([number, word]) => `${count(number)} ${word}`).join(", ");
  byId("accept-text").textContent = open ? `Answer “${labels[open.column]}” first` : text ? `Accept: ${text}` : "Accept";
  byId("accept").disabled = Boolean(open);
}
