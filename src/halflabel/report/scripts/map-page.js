// A map as a page of its own: the colours of a label, names of regions, hints, search, and a lasso. It sends nothing.

import { bindGestures } from "/static/gestures.js";
import { drawLine, selectInside } from "/static/lasso.js";
import { ItemMap } from "/static/map.js";

const CODES = { "?": 0, i: 1, r: 2, I: 3, R: 4, q: 8, p: 9 };
const LISTED = 200; // selected items that are listed
const SMALLEST = 11; // pixels of a name of a region on a small screen

const byId = (id) => document.getElementById(id);
const clamp = (value, low, high) => Math.min(high, Math.max(low, value));
const count = (number) => number.toLocaleString("en");
const data = JSON.parse(byId("data").textContent);
const lower = data.titles.map((title) => title.toLowerCase());
const map = new ItemMap(byId("map"), data.size);
const context = byId("map-top").getContext("2d");
let isLasso = false;

function showLabel() {
  const { codes } = data.labels[byId("label").value];
  const cells = new Uint8Array(2 * codes.length);
  const totals = {};
  for (let i = 0; i < codes.length; i++) {
    cells[2 * i] = CODES[codes[i]];
    totals[codes[i]] = (totals[codes[i]] ?? 0) + 1;
  }
  map.setLabel(cells.buffer);
  byId("legend").replaceChildren(...Object.entries(data.words).filter(([code]) => totals[code]).map(([code, words]) => {
    const entry = document.createElement("li");
    entry.className = `s${CODES[code]}`;
    entry.textContent = `${words} ${count(totals[code])}`;
    return entry;
  }));
}

/** Draw the line of the lasso and the names of the regions, the largest region first; none covers another one. */
function drawTop(polygon) {
  const { canvas } = context;
  if (canvas.width !== map.canvas.width || canvas.height !== map.canvas.height) {
    [canvas.width, canvas.height] = [map.canvas.width, map.canvas.height];
  }
  const style = getComputedStyle(document.documentElement);
  const colour = (name) => style.getPropertyValue(name);
  drawLine(context, polygon ?? [], colour("--accent"));
  const ratio = devicePixelRatio;
  const unit = (map.transform()[0] * data.scale) / map.view.scale / ratio; // pixels of a unit of the names
  const taken = [];
  context.save();
  context.scale(ratio, ratio);
  context.textAlign = "center";
  context.lineJoin = "round";
  context.strokeStyle = colour("--soft");
  for (const region of data.regions) {
    const [x, y] = map.placeAt(...region.centre.map((value) => value * data.scale));
    const size = Math.max(SMALLEST, region.size * Math.min(1, unit));
    context.font = `600 ${size}px system-ui, sans-serif`;
    const half = context.measureText(region.name).width / 2 + 4;
    const [width, height] = [canvas.width / ratio, canvas.height / ratio];
    if (x < 0 || y < 0 || x > width || y > height || 2 * half > width) continue;
    const at = clamp(x + (region.x - region.centre[0]) * unit, half, width - half);
    const line = clamp(y + (region.y - region.centre[1]) * unit, size, height - 4);
    if (taken.some(([a, b, w, h]) => Math.abs(at - a) < half + w && Math.abs(line - b) < Math.max(size, h))) continue;
    taken.push([at, line, half, size, region]);
    const end = [clamp(x, at - half, at + half), clamp(y, line - 0.9 * size, line + 0.3 * size)];
    if (Math.hypot(end[0] - x, end[1] - y) > size) context.stroke(new Path2D(`M${x} ${y}L${end[0]} ${end[1]}`));
  }
  context.strokeStyle = colour("--paper");
  context.lineWidth = 5;
  for (const [at, line, , size, region] of taken) {
    context.font = `600 ${size}px system-ui, sans-serif`;
    context.strokeText(region.name, at, line);
    context.fillStyle = colour("--ink");
    context.fillText(region.name, at, line);
  }
  context.restore();
}

function showTip(x, y) {
  const row = map.find(x, y);
  const tip = byId("tip");
  tip.hidden = row < 0;
  if (row < 0) return;
  tip.textContent = data.titles[row];
  const { width, height } = map.canvas.getBoundingClientRect();
  tip.style.left = `${Math.max(0, Math.min(x + 12, width - tip.offsetWidth))}px`;
  tip.style.top = `${Math.max(0, Math.min(y + 14, height - tip.offsetHeight))}px`;
}

const listRows = () => data.ids.map((_, row) => row).filter((row) => (map.selected?.[row >> 3] >> (row & 7)) & 1);

/** Show some items as selected: one bit each, or none for no selection. */
function select(bits) {
  map.selected = bits;
  map.draw();
  const rows = bits ? listRows() : [];
  byId("selection").hidden = !bits;
  byId("number").textContent = bits ? `${count(rows.length)} of ${count(map.n)} items${rows.length > LISTED ? `; the first ${LISTED}:` : ":"}` : "";
  byId("found").replaceChildren(...rows.slice(0, LISTED).map((row) =>
    Object.assign(document.createElement("li"), { textContent: data.titles[row], dir: "auto" })));
}

function search() {
  const words = byId("search").value.toLowerCase().split(/\s+/).filter(Boolean);
  if (!words.length) return select(null);
  const bits = new Uint8Array((map.n + 7) >> 3);
  lower.forEach((title, row) => words.every((word) => title.includes(word)) && (bits[row >> 3] |= 1 << (row & 7)));
  select(bits);
}

function setLasso(on) {
  isLasso = on;
  byId("lasso").ariaPressed = String(on);
  map.canvas.classList.toggle("drawing", on);
}

function saveIds() {
  const lines = ["item", ...listRows().map((row) => `"${data.ids[row].replaceAll('"', '""')}"`)];
  const address = URL.createObjectURL(new Blob([`${lines.join("\n")}\n`], { type: "text/csv" }));
  Object.assign(document.createElement("a"), { href: address, download: "selected.csv" }).click();
  URL.revokeObjectURL(address);
}

function clear() {
  byId("search").value = "";
  setLasso(false);
  select(null);
}

map.painted = () => drawTop(null);
bindGestures(map, {
  isLasso: () => isLasso,
  draw: drawTop,
  select: (polygon) => {
    setLasso(false);
    byId("search").value = "";
    const { bits, number } = selectInside(map, polygon);
    select(number ? bits : null);
  },
  open: (row) => showTip(...map.place(row)),
  point: showTip,
  leave: () => (byId("tip").hidden = true),
});
byId("label").onchange = showLabel;
byId("search").oninput = search;
byId("lasso").onclick = () => setLasso(!isLasso);
byId("whole").onclick = () => map.reset();
byId("save").onclick = saveIds;
byId("clear").onclick = clear;
addEventListener("keydown", (event) => event.key === "Escape" && clear());
new ResizeObserver(() => map.draw()).observe(map.canvas);
map.setPoints(Uint8Array.from(atob(data.points), (byte) => byte.charCodeAt(0)).buffer);
showLabel();
