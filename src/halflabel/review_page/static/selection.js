// Many items at once: random members first, an exact bound of what holds for the rest, then one answer for all.

import { byId, count, guard, notify, plural } from "/static/dom.js";
import { makeKey, post } from "/static/transport.js";

export class Selection {
  /** @param {{labels: string[], flush: Function, ask: Function, changed: Function, closed: Function}} page */
  constructor(page) {
    this.page = page;
    byId("selection-sample").onclick = guard(() => this.answerSample());
    byId("selection-all").onclick = () => this.answerAll(1, null, this.found.members);
    byId("selection-none").onclick = () => this.answerAll(0, null, this.found.members);
    byId("selection-probable").onclick = () => this.answerAll(1, this.found.min_p, this.found.probable);
    byId("selection-close").onclick = () => this.close();
  }

  /** Open the sheet for items, as hexadecimal bits, and a label. */
  async open(rows, column) {
    [this.rows, this.column] = [rows, column];
    this.answers = new Map();
    this.sampled = new Set();
    this.isReasked = false;
    const found = await this.#request({ op: "sample" });
    if (rows !== this.rows) return; // closed, or another selection
    this.found = found;
    this.members = found.members;
    byId("selection-bound").textContent = "";
    byId("selection").hidden = false;
    this.#show();
    byId("selection-sample").focus();
  }

  close() {
    if (!this.rows) return;
    byId("selection").hidden = true;
    [this.rows, this.answers] = [null, null];
    this.page.closed();
  }

  get isOpen() {
    return !byId("selection").hidden;
  }

  /** Count an answer, if it is about one of the random members. */
  take(number, value) {
    if (!this.rows || !this.sampled.has(number)) return;
    this.answers.set(number, value);
    if (this.isReasked) queueMicrotask(() => this.#bound()); // after the other answers of a wall
    this.isReasked = false;
  }

  /** Leave out an answer that was taken back; the sheet comes again after the new answer. */
  leaveOut(number) {
    if (!this.answers?.delete(number) || !this.isOpen) return;
    this.isReasked = true;
    byId("selection").hidden = true;
  }

  async answerSample() {
    byId("selection").hidden = true;
    this.sampled = new Set(this.found.questions.map(({ row, column }) => row * this.page.labels.length + column));
    await this.page.ask(this.found.questions, () => this.#bound());
  }

  /** Answer all members, if there still are as many as the sheet shows. */
  async answerAll(value, min_p, number) {
    try {
      const result = await this.#request({ op: "answer", value, min_p, number, key: makeKey() });
      notify(`${plural(result.changed, "entry", "entries")} answered with ${value ? "yes" : "no"}; U takes all of them back.`);
      await this.page.changed(result);
    } catch (error) {
      notify(error.message, "error");
      this.#bound().catch(() => {}); // the numbers of the sheet may be old
    }
  }

  /** Values have changed: the numbers of the sheet follow. */
  async renew() {
    if (this.isOpen) await this.#countAgain();
  }

  async #bound() {
    if (await this.#countAgain()) byId("selection").hidden = false;
  }

  /** Ask for the numbers of the sheet, and return whether it is still about the same selection. */
  async #countAgain() {
    const { rows } = this;
    if (!rows) return false;
    const asked = (this.asked = {});
    const [yes, no] = [this.#count(1), this.#count(0)];
    const [{ sentence }, found] = await Promise.all([
      this.#request({ op: "bound", members: this.members, yes, no }), this.#request({ op: "sample" }),
    ]);
    if (rows !== this.rows) return false;
    if (asked !== this.asked) return true; // the newer numbers come
    this.found = found;
    this.#show();
    byId("selection-bound").textContent = sentence;
    return true;
  }

  #show() {
    const label = this.page.labels[this.column];
    const { members, selected, probable, min_p } = this.found;
    byId("selection-text").textContent =
      `${plural(selected, "item")} selected; “${label}” is open for ${count(members)} of them.`;
    const [yes, no] = [this.#count(1), this.#count(0)];
    const asked = yes + no;
    byId("selection-sample").hidden = !members || asked > 0;
    byId("selection-sample").textContent = `Answer ${Math.min(12, members)} random ones first`;
    byId("selection-all").textContent = `Yes for all ${count(members)}`;
    byId("selection-none").textContent = `No for all ${count(members)}`;
    byId("selection-probable").textContent = `Yes where p ≥ ${min_p?.toFixed(2)}: ${count(probable)}`;
    byId("selection-probable").hidden = min_p === null || !probable;
    byId("selection-all").classList.toggle("main", yes > no);
    byId("selection-none").classList.toggle("main", no > yes);
    for (const id of ["selection-all", "selection-none", "selection-probable"]) byId(id).disabled = !members || !asked;
  }

  #count(value) {
    return [...this.answers.values()].filter((each) => each === value).length;
  }

  async #request(body) {
    const { rows, column } = this;
    await this.page.flush(); // the numbers include the answers that are on their way
    return post("/api/selection", { rows, column, label: this.page.labels[column], ...body });
  }
}
