// A wall: items that have the same filled value of one label. The person chooses the exceptions.

import { markValue } from "/static/chips.js";
import { make } from "/static/dom.js";

const LENGTH = 220; // characters of a text
const CELLS = 5; // cells of an item without text and picture

/** Show a tile for each entry. `toggle(place)` changes its value. */
export function showWall(target, entries, toggle) {
  const tiles = entries.map((entry, place) => {
    const { item } = entry;
    entry.button = make("button", { type: "button", className: "tile", onclick: () => toggle(place) }, ...showContent(item),
      make("span", { className: "name", textContent: item.item, dir: "auto" }), make("span", { className: "value" }));
    markValue(entry);
    return make("li", {}, entry.button, ...showSound(item)); // a button holds no player
  });
  target.replaceChildren(make("ul", { className: "tiles", ariaLabel: "Items of this wall" }, ...tiles));
  target.scrollTop = 0;
}

/** The picture of an item, its text, or its first cells. */
export function showContent(item) {
  const image = item.cells.find((cell) => cell.kind === "image");
  const source = item.mark ?? image?.source;
  if (source) return [make("img", { src: source, alt: "", className: item.mark ? "mark" : "picture", loading: "lazy" })];
  const texts = item.cells.filter((cell) => cell.kind === "text");
  const long = texts.find((cell) => cell.long || cell.text.length > 60);
  if (long) return [make("span", { className: "text", textContent: long.text.slice(0, LENGTH), dir: "auto" })];
  return texts.slice(0, CELLS).map((cell) => make("span", { className: "cell", textContent: `${cell.column} ${cell.text}` }));
}

/** A player for the sound of an item that has no picture. */
export function showSound(item) {
  const sound = item.cells.find((cell) => cell.kind === "audio");
  if (!sound || item.mark || item.cells.some((cell) => cell.kind === "image")) return [];
  return [make("audio", { src: sound.source, controls: true, preload: "none", ariaLabel: `${sound.column} of ${item.item}` })];
}
