// The map with everything around it: choice of label and colour, legend, hints, mouse, keys, lasso.

import { byId, count, fillSelect, make } from "/static/dom.js";
import { bindGestures } from "/static/gestures.js";
import { STATES } from "/static/item.js";
import { drawLine, readBits, selectInside, writeBits } from "/static/lasso.js";
import { ItemMap } from "/static/map.js";
import { bytes, get } from "/static/transport.js";

const LEGEND = [[6, "your yes"], [5, "your no"], [4, "given: yes"], [3, "given: no"], [2, "filled: yes"], [1, "filled: no"], [0, "unknown"], [7, "not sure"]];

export class MapPanel {
  /** @param {string[]} labels  @param {{onAsk: Function, onOpen: Function, onLabel: Function}} actions */
  constructor(labels, actions) {
    this.labels = labels;
    this.actions = actions;
    this.map = new ItemMap(byId("map"));
    this.top = byId("map-top");
    this.label = 0;
    this.current = null;
    this.isLasso = false;
    this.map.painted = () => this.drawTop();
    fillSelect(byId("map-label"), labels.map((name, j) => [j, name]));
    byId("map-label").onchange = (event) => this.showLabel(Number(event.target.value), true);
    byId("map-colour").onchange = (event) => {
      this.map.colour = event.target.value;
      this.map.draw();
      this.showLegend();
    };
    byId("map-reset").onclick = () => this.map.reset();
    new ResizeObserver(() => this.map.draw()).observe(byId("map-box"));
    bindGestures(this.map, {
      isLasso: () => this.isLasso,
      draw: (polygon) => this.drawTop(polygon ?? []),
      select: (polygon) => this.select(polygon),
      open: actions.onOpen,
      point: (x, y) => this.showTip(x, y),
      leave: () => (byId("tip").hidden = true),
    });
  }

  /** Show the points, requested here or earlier. */
  async loadPoints(requested = bytes("/api/points.bin")) {
    const buffer = await requested;
    this.showNote(buffer ? "" : "The map is computed in the background.");
    if (buffer) this.map.setPoints(buffer);
  }

  showNote(text) {
    byId("map-note").textContent = text;
  }

  async showLabel(label, byHand = false, requested = bytes(`/api/label/${label}.bin`)) {
    if (byHand) this.pinned = true;
    this.label = label;
    byId("map-label").value = label;
    this.actions.onLabel(label);
    const buffer = await requested;
    if (label === this.label) this.map.setLabel(buffer);
    this.showLegend();
  }

  /** Follow the question: its label and its item, unless the user has chosen a label. */
  follow(question) {
    this.current = question?.row ?? null;
    if (question && question.column !== this.label && !this.pinned && !this.map.selected) this.showLabel(question.column);
    else this.drawTop();
  }

  setState(row, column, state) {
    if (column === this.label) this.map.setState(row, state);
  }

  showLegend() {
    const { cells, n } = this.map;
    if (!cells) return;
    if (this.map.colour === "p") {
      byId("legend").replaceChildren(make("li", { className: "ramp" }), make("li", { textContent: "probability 0 to 1" }));
      return;
    }
    const totals = new Array(8).fill(0);
    for (let i = 0; i < cells.length; i += 2) totals[cells[i]] += 1;
    byId("legend").replaceChildren(
      ...LEGEND.filter(([state]) => totals[state]).map(([state, text]) =>
        make("li", { className: `state s${state}`, textContent: `${text} ${count(totals[state])}` }),
      ),
    );
    byId("map").ariaLabel = `Map of ${count(n)} items; arrow keys move it, plus and minus zoom`;
  }

  toggleColour() {
    const select = byId("map-colour");
    select.value = select.value === "p" ? "state" : "p";
    select.onchange({ target: select });
  }

  toggleLasso(on = !this.isLasso) {
    this.isLasso = on;
    byId("lasso").ariaPressed = String(on);
    byId("map").classList.toggle("drawing", on);
  }

  /** Show the items that the questions are about, one bit each, or all of them. */
  showSelection(bits) {
    this.map.selected = bits;
    this.toggleLasso(false);
    this.map.draw();
  }

  /** Ask about what lies inside of a polygon of page pixels. */
  select(polygon) {
    const { bits, number } = selectInside(this.map, polygon);
    if (number) this.actions.onAsk(readBits(writeBits(bits)), bits);
    else this.showSelection(null);
  }

  drawTop(polygon = []) {
    const { canvas } = this.map;
    if (this.top.width !== canvas.width || this.top.height !== canvas.height) {
      [this.top.width, this.top.height] = [canvas.width, canvas.height];
    }
    const context = this.top.getContext("2d");
    const style = getComputedStyle(document.documentElement);
    drawLine(context, polygon, style.getPropertyValue("--accent"));
    if (this.current === null || !this.map.n) return;
    const [x, y] = this.map.place(this.current).map((value) => value * devicePixelRatio);
    const ring = (radius, colour, width) => {
      context.beginPath();
      context.arc(x, y, radius * devicePixelRatio, 0, 7);
      context.lineWidth = width * devicePixelRatio;
      context.strokeStyle = colour;
      context.stroke();
    };
    ring(8, style.getPropertyValue("--paper"), 5);
    ring(8, style.getPropertyValue("--ink"), 2);
  }

  async showTip(x, y) {
    const row = this.map.find(x, y);
    const tip = byId("tip");
    this.hovered = row;
    if (row < 0) {
      tip.hidden = true;
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, 80));
    if (this.hovered !== row) return;
    const { items: [item] } = await get(`/api/items?rows=${row}`);
    if (this.hovered !== row) return;
    const state = STATES[item.states[this.label]];
    const known = item.p?.[this.label] ?? null;
    const p = known === null ? "" : `, p ${known.toFixed(2)}`;
    const text = item.cells.find((cell) => cell.kind === "text")?.text.slice(0, 80) ?? "";
    tip.replaceChildren(make("b", { textContent: item.item }), ` ${this.labels[this.label]}: ${state}${p}. ${text}`);
    tip.hidden = false;
    const box = byId("map-box").getBoundingClientRect();
    tip.style.left = `${Math.max(0, Math.min(x + 12, box.width - tip.offsetWidth))}px`;
    tip.style.top = `${Math.min(y + 14, box.height - tip.offsetHeight)}px`;
  }
}
