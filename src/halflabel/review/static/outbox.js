// Answers on their way to the disk: sent in order, kept until the server has written them, sent again after a failure.

import { makeKey, post } from "/static/transport.js";

const RETRY = 1000; // milliseconds

export class Outbox {
  /** @param {(progress: object | null, waiting: number, error: Error | null) => void} report */
  constructor(report) {
    this.report = report;
    this.waiting = [];
    this.running = null;
  }

  /** Send an answer; the promise is fulfilled when it is on the disk. */
  send(answer) {
    return new Promise((resolve) => {
      this.waiting.push({ answer: { ...answer, key: makeKey() }, resolve });
      this.running ??= this.#run().finally(() => (this.running = null));
    });
  }

  /** Wait until everything is on the disk. */
  async flush() {
    while (this.running) await this.running;
  }

  async #run() {
    while (this.waiting.length) {
      const batch = this.waiting.slice(0, 50);
      try {
        const progress = await post("/api/answers", { answers: batch.map((each) => each.answer) });
        this.waiting.splice(0, batch.length);
        this.failure = null;
        this.report(progress, this.waiting.length, null);
        for (const each of batch) each.resolve(true);
      } catch (error) {
        const isNew = error.message !== this.failure;
        this.failure = error.message;
        this.report(null, this.waiting.length, isNew ? error : null);
        if ([400, 413].includes(error.status)) {
          this.waiting.splice(0, batch.length); // it would fail again
          for (const each of batch) each.resolve(false);
        } else {
          await new Promise((resolve) => setTimeout(resolve, RETRY));
        }
      }
    }
  }
}
