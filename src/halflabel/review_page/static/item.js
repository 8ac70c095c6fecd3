// An item as its owner sees it. Texts enter the page as text only, never as markup.

import { make, plural } from "/static/dom.js";
import { get } from "/static/transport.js";
import { makeWave } from "/static/wave.js";

export const STATES = [
  "unknown", "filled: no", "filled: yes", "given: no", "given: yes", "your no", "your yes", "not sure",
];

const SMALL = 160; // pixels of a picture whose pixels stay visible
let showsMore = false; // whether the other columns are shown, also of the next item

const VIEWS = {
  image: (cell, item) => [make("img", {
    src: cell.source, alt: `${cell.column} of ${item}`, className: "picture",
    onload: ({ target }) => target.classList.toggle("small", target.naturalWidth < SMALL && target.naturalHeight < SMALL),
  })],
  audio: (cell, item) => {
    const sound = make("audio", { src: cell.source, controls: true, preload: "auto", ariaLabel: `${cell.column} of ${item}` });
    return [makeWave(sound), sound];
  },
};

/** Show an item and, with `labels`, those that are known of it. */
export function showItem(target, item, labels, asked) {
  target.replaceChildren(
    make("p", { className: "soft id", textContent: item.item }),
    ...(item.mark ? [make("img", { src: item.mark, alt: "the item's values as a picture", className: "mark" })] : []),
    ...item.cells.filter((cell) => cell.kind !== "text").map((cell) => showMedia(cell, item.item)),
    ...showTexts(item.cells.filter((cell) => cell.kind === "text")),
    ...showMore(item),
    ...(labels ? showKnown(item, labels, asked) : []),
  );
  showComments(target, item);
}

function showMedia(cell, item) {
  return make("figure", {}, ...VIEWS[cell.kind](cell, item), make("figcaption", { className: "soft", textContent: cell.column }));
}

/** The comments of the reviewers, at the end of the item. */
export function showComments(target, item) {
  target.querySelector(".comments")?.remove();
  if (!item.comments?.length) return;
  const lines = item.comments.map(({ by, text }) => make("li", {}, make("b", { textContent: `${by}: ` }), make("span", { textContent: text, dir: "auto" })));
  target.append(make("ul", { className: "comments", ariaLabel: "Comments" }, ...lines));
}

/** The columns that are not shown with the item. */
function showMore(item) {
  if (!item.more) return [];
  const list = make("dl", { className: "cells" });
  const box = make("details", { className: "more" }, make("summary", { textContent: `${plural(item.more, "more column")}` }), list);
  box.ontoggle = async () => {
    showsMore = box.open;
    if (!box.open || list.childElementCount) return;
    const { cells } = await get(`/api/cells/${item.row}`);
    list.replaceChildren(...cells.flatMap(({ column, text }) => [
      make("dt", { textContent: column }), make("dd", { textContent: text, dir: "auto" }),
    ]));
  };
  box.open = showsMore;
  return [box];
}

/** The column of texts, and every long text, is the item itself; short ones are the cells of a row. */
function showTexts(cells) {
  const isLong = (cell) => cell.long || cell.text.length > 60;
  const long = cells.filter(isLong);
  const short = cells.filter((cell) => !isLong(cell));
  const rows = short.flatMap((cell) => [
    make("dt", { textContent: cell.column }),
    make("dd", { textContent: cell.text, dir: "auto" }),
  ]);
  return [
    ...long.map((cell) => make("p", { className: "text", textContent: cell.text, dir: "auto" })),
    ...(rows.length ? [make("dl", { className: "cells" }, ...rows)] : []),
  ];
}

function showKnown(item, labels, asked) {
  const known = item.states.flatMap((state, column) => (state > 2 && state < 7 && column !== asked ? [[state, column]] : []));
  if (!known.length) return [];
  const marks = known.slice(0, 40).map(([state, column]) => {
    const yes = state % 2 === 0;
    return make("li", {
      className: yes ? "chip has" : "chip",
      textContent: `${yes ? "" : "not "}${labels[column]}`,
      title: STATES[state],
    });
  });
  return [make("ul", { className: "chips", ariaLabel: "Known labels of this item" }, ...marks)];
}

/** Play or pause the first sound of the item. */
export function playSound(target) {
  const sound = target.querySelector("audio");
  if (sound) sound.paused ? sound.play() : sound.pause();
}
