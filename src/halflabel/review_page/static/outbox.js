// Answers on their way to the disk: sent in order, kept until the server has written them, sent again after a failure.
// The browser keeps them, too, so that the next page at this address sends what a closed page could not.

import { makeKey, PAGE, post } from "/static/transport.js";

const RETRY = 1000; // milliseconds

export class Outbox {
  /** @param {(progress: object | null, waiting: number, error: Error | null) => void} report */
  constructor(report) {
    this.report = report;
    this.waiting = [];
    this.running = null;
    this.place = null;
  }

  /** Send what closed pages about the same table have left: the server writes no answer twice. */
  adopt(table) {
    this.place = `halflabel ${table} ${PAGE}`;
    const left = attempt(() => Object.keys(localStorage).filter((name) => name.startsWith(`halflabel ${table} `))) ?? [];
    const answers = left.flatMap((name) => attempt(() => JSON.parse(localStorage.getItem(name))) ?? []);
    for (const answer of answers) this.waiting.push({ answer, resolve: () => {} });
    this.#keep();
    for (const name of left) if (name !== this.place) attempt(() => localStorage.removeItem(name));
    if (answers.length) this.#begin();
    return answers.length;
  }

  #keep() {
    const waiting = this.waiting.map((each) => each.answer);
    attempt(() => (waiting.length ? localStorage.setItem(this.place, JSON.stringify(waiting)) : localStorage.removeItem(this.place)));
  }

  #begin() {
    this.running ??= this.#run().finally(() => (this.running = null));
  }

  /** Send answers in one request. Return of each one a result to wait for: whether it is on the disk. */
  sendAll(answers) {
    const results = answers.map((answer) =>
      new Promise((resolve) => this.waiting.push({ answer: { ...answer, key: makeKey() }, resolve })));
    this.#keep();
    this.#begin();
    return results;
  }

  /** Wait until everything is on the disk. */
  async flush() {
    while (this.running) await this.running;
  }

  /** Drop what is waiting, because no server takes it any more, and return the number of answers. */
  drop() {
    const dropped = this.waiting.splice(0);
    this.#keep();
    for (const each of dropped) each.resolve(false);
    return dropped.length;
  }

  async #run() {
    while (this.waiting.length) {
      const batch = this.waiting.slice(0, 50);
      try {
        const { results, ...progress } = await post("/api/answers", { answers: batch.map((each) => each.answer) });
        this.failure = null;
        this.#settle(batch, results, progress);
      } catch (error) {
        if (error.status === 409) continue; // the page drops what is waiting
        const isNew = error.message !== this.failure;
        this.failure = error.message;
        if ([400, 413].includes(error.status)) this.#settle(batch, [], null); // it would fail again
        else await new Promise((resolve) => setTimeout(resolve, RETRY));
        this.report(null, this.waiting.length, isNew ? error : null);
      }
    }
  }

  /** Take a batch out; each answer has a result of its own. */
  #settle(batch, results, progress) {
    this.waiting.splice(0, batch.length);
    this.#keep();
    const rejected = results.find((each) => !each.saved);
    if (progress) this.report(progress, this.waiting.length, rejected ? Object.assign(new Error(rejected.error), { status: 400 }) : null);
    batch.forEach((each, k) => each.resolve(Boolean(results[k]?.saved)));
  }
}

/** Return what a function returns, or undefined where the browser keeps nothing, as in a private window. */
function attempt(run) {
  try {
    return run();
  } catch {
    return undefined;
  }
}
