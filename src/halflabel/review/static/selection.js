// Many items at once: random members first, an exact bound of what holds for the rest, then one answer for all.

import { byId, count, notify, plural } from "/static/dom.js";
import { writeBits } from "/static/lasso.js";
import { makeKey, post } from "/static/transport.js";

export class Selection {
  /** @param {{labels: string[], ask: Function, changed: Function, closed: Function}} page */
  constructor(page) {
    this.page = page;
    byId("selection-sample").onclick = () => this.answerSample();
    byId("selection-all").onclick = () => this.answerAll(1, null);
    byId("selection-none").onclick = () => this.answerAll(0, null);
    byId("selection-probable").onclick = () => this.answerAll(1, this.found.min_p);
    byId("selection-close").onclick = () => this.close();
  }

  async open(chosen, column) {
    this.column = column;
    this.rows = writeBits(chosen.bits);
    this.answers = { yes: 0, no: 0 };
    this.found = await this.#request({ op: "sample" });
    this.members = this.found.members;
    byId("selection-bound").textContent = "";
    byId("selection").hidden = false;
    this.#show();
    byId("selection-sample").focus();
  }

  close() {
    byId("selection").hidden = true;
    this.rows = null;
    this.page.closed();
  }

  get isOpen() {
    return !byId("selection").hidden;
  }

  /** Count an answer to one of the random members. */
  take(value) {
    if (value === 1) this.answers.yes += 1;
    if (value === 0) this.answers.no += 1;
  }

  async answerSample() {
    byId("selection").hidden = true;
    await this.page.ask(this.found.questions, () => this.#bound());
  }

  async answerAll(value, min_p) {
    try {
      const result = await this.#request({ op: "answer", value, min_p, key: makeKey() });
      notify(`${plural(result.changed, "entry", "entries")} answered with ${value ? "yes" : "no"}; U takes all of them back.`);
      this.close();
      this.page.changed(result);
    } catch (error) {
      notify(error.message, "error");
    }
  }

  async #bound() {
    const { yes, no } = this.answers;
    const { sentence } = await this.#request({ op: "bound", members: this.members, yes, no });
    byId("selection-bound").textContent = sentence;
    byId("selection").hidden = false;
    this.found = await this.#request({ op: "sample" });
    this.#show();
  }

  #show() {
    const label = this.page.labels[this.column];
    const { members, selected, probable, min_p } = this.found;
    byId("selection-text").textContent =
      `${plural(selected, "item")} selected; “${label}” is open for ${count(members)} of them.`;
    const asked = this.answers.yes + this.answers.no;
    byId("selection-sample").hidden = !members || asked > 0;
    byId("selection-sample").textContent = `Answer ${Math.min(12, members)} random ones first`;
    byId("selection-all").textContent = `Yes for all ${count(members)}`;
    byId("selection-none").textContent = `No for all ${count(members)}`;
    byId("selection-probable").textContent = `Yes where p ≥ ${min_p}: ${count(probable)}`;
    byId("selection-probable").hidden = min_p === null || !probable;
    for (const id of ["selection-all", "selection-none", "selection-probable"]) byId(id).disabled = !members || !asked;
  }

  #request(body) {
    return post("/api/selection", { rows: this.rows, column: this.column, ...body });
  }
}
