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
    this.fixed = null;
    this.isEmpty = false;
    this.version = 0;
  }

  number(question) {
    return question.row * this.nLabels + question.column;
  }

  /** Take the next question, or null. */
  next() {
    const question = this.upcoming.shift() ?? null;
    if (this.fixed && !this.upcoming.length && !question) {
      const done = this.fixed;
      this.fixed = null;
      done();
      return this.next();
    }
    if (this.upcoming.length < REFILL_BELOW) this.refill(question);
    return question;
  }

  putBack(question) {
    this.answered.delete(this.number(question));
    this.upcoming.unshift(question);
  }

  skip(question) {
    this.skipped = [...this.skipped.slice(-MAX_SKIPPED), this.number(question)];
  }

  /** Ask only these questions, then call `done` and go on with the queue. */
  async ask(questions, done) {
    this.fixed = done;
    this.upcoming = [...questions];
    await this.load(questions);
    this.changed();
  }

  /** Drop what is held, because the order has changed: another queue, another fit. */
  async reset() {
    this.version += 1;
    if (!this.fixed) this.upcoming = [];
    this.items.clear();
    await this.refill(null);
  }

  async refill(current) {
    if (this.fixed) return;
    const version = this.version;
    const held = this.upcoming.map((each) => this.number(each));
    if (current) held.push(this.number(current));
    const exclude = [...new Set([...held, ...this.skipped, ...this.answered])];
    const asked = { kind: this.kind, n: BATCH, label: this.label, rows: this.rows, exclude };
    const { questions } = await post("/api/queue", asked);
    if (version !== this.version || this.fixed) return;
    const known = new Set(this.upcoming.map((each) => this.number(each)));
    if (current) known.add(this.number(current));
    const fresh = questions.filter((each) => !known.has(this.number(each)) && !this.answered.has(this.number(each)));
    await this.load(fresh);
    if (version !== this.version || this.fixed) return;
    this.upcoming.push(...fresh.slice(0, BATCH));
    this.isEmpty = !this.upcoming.length;
    this.changed();
  }

  /** Fetch the items of questions that are not here yet. */
  async load(questions) {
    const rows = [...new Set(questions.map((each) => each.row))].filter((row) => !this.items.has(row));
    for (let start = 0; start < rows.length; start += BATCH) {
      const part = rows.slice(start, start + BATCH);
      const { items } = await get(`/api/items?rows=${part.join(",")}`);
      for (const item of items) this.items.set(item.row, item);
    }
    for (const row of rows) {
      for (const cell of this.items.get(row)?.cells ?? []) if (cell.kind === "image") new Image().src = cell.source;
    }
  }
}
