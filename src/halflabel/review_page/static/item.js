// An item as its owner sees it. Texts enter the page as text only, never as markup.

import { make } from "/static/dom.js";

export const STATES = [
  "unknown", "filled: no", "filled: yes", "given: no", "given: yes", "your no", "your yes", "not sure",
];

const SMALL = 160; // pixels of a picture whose pixels stay visible
const LENGTH = 220; // characters of a text on a tile
const CELLS = 5; // cells of a tile without text and picture
const MAX_KNOWN = 40;
let showsMore = null; // whether the other columns are shown, also of the next item, once a person has chosen it

/** Show an item, and the labels that are known of it but the asked ones. */
export function showItem(target, item, labels, asked) {
  target.replaceChildren(
    make("p", { className: "soft id", textContent: item.item, dir: "auto" }),
    ...(item.mark ? [make("img", { src: item.mark, alt: "the item's values as a picture", className: "mark" })] : []),
    ...item.cells.filter((cell) => cell.kind !== "text").map((cell) => showMedia(cell, item.item)),
    ...showTexts(item.cells.filter((cell) => cell.kind === "text")),
    ...showMore(item),
    ...showKnown(item, labels, asked),
  );
  target.classList.toggle("of-picture", isPicture(item));
  target.scrollTop = 0;
}

const isPicture = (item) => Boolean(item.mark) || item.cells.some((cell) => cell.kind === "image");

/** A picture opens in a tab of its own, where the browser enlarges it. */
function showMedia({ kind, source, column }, item) {
  const named = `${column} of ${item}`;
  const caption = make("figcaption", { className: "soft", textContent: column });
  if (kind === "audio") return make("figure", {}, make("audio", { src: source, controls: true, preload: "auto", ariaLabel: named }), caption);
  const onload = ({ target }) => target.classList.toggle("small", target.naturalWidth < SMALL && target.naturalHeight < SMALL);
  const picture = make("img", { src: source, alt: named, className: "picture", onload });
  return make("figure", { className: "of-image" }, make("a", { href: source, target: "_blank", rel: "noopener" }, picture), caption);
}

/** The columns that are not shown with the item. */
function showMore(item) {
  if (!item.more.length) return [];
  const box = make("details", { className: "more" }, make("summary", { textContent: "More columns" }), showCells(item.more));
  const hasPlace = innerWidth > 640 && !isPicture(item);
  box.open = showsMore ?? hasPlace;
  box.firstChild.onclick = () => (showsMore = !box.open);
  return [box];
}

const showCells = (cells) => make("dl", { className: "cells" }, ...cells.map(({ column, text }) =>
  make("div", {}, make("dt", { textContent: column }), make("dd", { textContent: text, dir: "auto" }))));

/** The column of texts, and every long text, is the item itself; short ones are the cells of a row. */
function showTexts(cells) {
  const isLong = (cell) => cell.long || cell.text.length > 60;
  const long = cells.filter(isLong);
  const short = cells.filter((cell) => !isLong(cell));
  return [
    ...long.map((cell) => make("p", { className: "text", textContent: cell.text, dir: "auto" })),
    ...(short.length ? [showCells(short)] : []),
  ];
}

/** The labels that the item has, by the table, an answer or a fit. */
function showKnown({ states }, labels, asked) {
  const known = states.flatMap((state, column) => (state && state < 7 && state % 2 === 0 && !asked.has(column) ? [column] : []));
  if (!known.length) return [];
  return [make("ul", { className: "known", ariaLabel: "Labels of this item" }, ...known.slice(0, MAX_KNOWN).map((column) =>
    make("li", { className: states[column] === 2 ? "chip" : "chip has", textContent: labels[column], title: STATES[states[column]] })))];
}

/** The picture of an item, its text, or its first cells, for a tile. */
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
  if (!sound || isPicture(item)) return [];
  return [make("audio", { src: sound.source, controls: true, preload: "none", ariaLabel: `${sound.column} of ${item.item}` })];
}

/** Play or pause the first sound of a part of the page. */
export function playSound(target) {
  const sound = target.querySelector("audio");
  if (sound) sound.paused ? sound.play() : sound.pause();
}
