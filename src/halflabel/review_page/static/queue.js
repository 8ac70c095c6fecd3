// The questions to come: fetched in batches ahead of time, together with the items that they are about.

import { get, post } from "/static/transport.js";

const BATCH = 50;
const REFILL_BELOW = 25;
const MAX_SKIPPED = 500;

export class Queue {
  /** @param {number} nLabels  @param {() => void} changed  called when new questions have arrived */
  constructor(nLabels, changed) {
    this.nLabels = nLabels;
    this.changed = changed;
    this.kind = "uncertain";
    this.label = null;
    this.rows = null;
    this.upcoming = [];
    this.items = new Map();
    this.skipped = [];
    this.answered = new Set();
    this.current = null;
    this.isEmpty = false;
    this.version = 0;
    this.asked = null;
  }

  /** Whether an entry was answered. */
  has(question) {
    return this.answered.has(this.number(question));
  }

  number(question) {
    return question.row * this.nLabels + question.column;
  }

  /** Take the next question, or null. */
  next() {
    while (this.upcoming.length && this.has(this.upcoming[0])) this.upcoming.shift();
    const question = this.upcoming.shift() ?? null;
    this.current = question;
    if (this.upcoming.length < REFILL_BELOW) this.refill().catch(() => {}); // the next answer reports it
    return question;
  }

  putBack(question) {
    this.answered.delete(this.number(question));
    this.upcoming.unshift(question);
  }

  /** Put back the question that was shown: another view takes its place. */
  putCurrentBack() {
    if (this.current) this.putBack(this.current);
    this.current = null;
  }

  skip(question) {
    this.skipped = [...this.skipped.slice(-MAX_SKIPPED), this.number(question)];
  }

  /** Drop what is held, because the user has chosen another queue. */
  async reset() {
    this.upcoming = [];
    this.current = null;
    this.items.clear();
    await this.renew();
  }

  /** Replace what is held as soon as other questions are there, because values have changed. The current one stays. */
  async renew() {
    this.version += 1;
    await this.refill(true);
  }

  async refill(isNew = false) {
    const { version } = this;
    if (this.asked === version && !isNew) return; // one request at a time
    this.asked = version;
    try {
      await this.#refill(version, isNew);
    } finally {
      if (this.asked === version) this.asked = null;
    }
  }

  async #refill(version, isNew) {
    const held = isNew ? [] : this.upcoming.map((each) => this.number(each));
    if (this.current) held.push(this.number(this.current));
    const exclude = [...new Set([...held, ...this.skipped, ...this.answered])];
    const asked = { kind: this.kind, n: BATCH, label: this.label, rows: this.rows, exclude, held };
    const { questions } = await post("/api/queue", asked);
    const items = isNew ? new Map() : this.items;
    if (version === this.version) await this.load(questions, items);
    if (version !== this.version) return;
    this.items = items;
    if (isNew) this.upcoming = [];
    const here = this.current ? [this.current, ...this.upcoming] : this.upcoming; // it may have changed
    const known = new Set([...held, ...this.skipped, ...this.answered, ...here.map((each) => this.number(each))]);
    this.upcoming.push(...questions.filter((each) => !known.has(this.number(each))));
    this.isEmpty = !this.upcoming.length;
    this.changed();
  }

  /** Fetch the items of questions that are not here yet. */
  async load(questions, target = this.items) {
    const rows = [...new Set(questions.map((each) => each.row))].filter((row) => !target.has(row));
    for (let start = 0; start < rows.length; start += BATCH) {
      const part = rows.slice(start, start + BATCH);
      const { items } = await get(`/api/items?rows=${part.join(",")}`);
      for (const item of items) target.set(item.row, item);
    }
    for (const row of rows) {
      for (const cell of target.get(row)?.cells ?? []) if (cell.kind === "image") new Image().src = cell.source;
    }
  }
}
