// The map in the dialog "More": the drawing of report and export, with the values of one label.

import { byId, count, make, notify } from "/static/dom.js";
import { bindGestures } from "/static/gestures.js";
import { STATES } from "/static/item.js";
import { ItemMap } from "/static/map.js";
import { bytes } from "/static/transport.js";

const ORDER = [6, 5, 4, 3, 2, 1, 0, 7]; // of the states in the legend

export class MapPart {
  /** @param {object} page */
  constructor(page) {
    this.page = page;
    byId("map-part").ontoggle = ({ target }) => target.open && this.open();
  }

  open() {
    if (!this.map) {
      this.map = new ItemMap(byId("map"));
      const nothing = () => {};
      const open = (row) => this.page.more.openItem(row);
      bindGestures(this.map, { isLasso: () => false, draw: nothing, select: nothing, open, point: nothing, leave: nothing });
      new ResizeObserver(() => this.map.draw()).observe(byId("map"));
    }
    this.load();
  }

  /** Show the points, which the process that fits makes when they are asked for. */
  async load() {
    if (!this.map) return;
    try {
      const points = await bytes("/api/points.bin");
      const { map_note } = this.page.progress;
      byId("map-note").textContent = points ? "A click opens an item." : map_note ? `No map: ${map_note}` : "The map is computed in the background.";
      if (points) this.map.setPoints(points);
      if (points) await this.showLabel();
    } catch (error) {
      notify(error.message, "error");
    }
  }

  async showLabel() {
    if (!this.map?.n) return;
    const { label } = this.page.more;
    const buffer = await bytes(`/api/label/${label}.bin`);
    this.map.setLabel(buffer);
    const totals = new Array(8).fill(0);
    new Uint8Array(buffer).forEach((state, k) => k % 2 || (totals[state] += 1));
    byId("legend").replaceChildren(make("li", {}, make("b", { textContent: this.page.labels[label] })), ...ORDER.filter((state) => totals[state]).map((state) =>
      make("li", { className: `state s${state}`, textContent: `${STATES[state]} ${count(totals[state])}` })));
  }
}
