// The meaning of a label: a sentence that the owner writes, and the clearest answers so far.

import { byId, guard, make } from "/static/dom.js";
import { get, makeKey, post } from "/static/transport.js";
import { showContent, showSound } from "/static/wall.js";

export class Guideline {
  /** @param {object} page  the page with its progress and labels */
  constructor(page) {
    this.page = page;
    this.column = null;
  }

  /** Show the sentence of the label that is asked about, or of none. */
  show(column = this.column) {
    this.column = column;
    byId("guideline").hidden = column === null;
    byId("guideline-text").textContent = this.read();
  }

  read() {
    return this.page.progress.guidelines?.[this.page.labels[this.column]] ?? "";
  }

  async open() {
    const { column, page } = this;
    if (column === null) return;
    const label = page.labels[column];
    const { clearest } = await get(`/api/clearest/${column}`);
    const found = Object.entries(clearest).filter(([, row]) => row !== null);
    const { items } = found.length ? await get(`/api/items?rows=${found.map(([, row]) => row)}`) : { items: [] };
    byId("guideline-of").textContent = label;
    byId("guideline-edit").value = this.read();
    byId("guideline-none").hidden = found.length > 0;
    byId("guideline-items").replaceChildren(...found.map(([word, row]) => {
      const item = items.find((each) => each.row === row);
      return make("li", { className: "tile" }, make("b", { textContent: word }), ...showContent(item), ...showSound(item), make("span", { className: "name", textContent: item.item, dir: "auto" }));
    }));
    byId("guideline-save").onclick = guard(async () => {
      const text = byId("guideline-edit").value.trim();
      page.updates.showSaved(await post("/api/guideline", { label, text, key: makeKey() }), page.outbox.waiting.length, null);
      byId("guideline-dialog").close();
    });
    byId("guideline-dialog").showModal();
  }
}
