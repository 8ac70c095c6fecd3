// Answers that are taken back, or repeated, and what this changes on the screen.

import { notify } from "/static/dom.js";
import { makeKey, post } from "/static/transport.js";

export class Undo {
  /** @param {object} page  the page with its chain, queue and screens */
  constructor(page) {
    this.page = page;
  }

  /** Take the last answer back and ask it again, or repeat what was taken back, after the keys before. */
  reverse(redo) {
    this.page.chain = this.page.chain.then(() => this.#reverse(redo)).catch((error) => notify(error.message, "error"));
  }

  async #reverse(redo) {
    const { page } = this;
    const { queue } = page;
    await page.outbox.flush();
    const result = await post("/api/undo", { redo, key: makeKey() });
    page.updates.showSaved(result, 0, null);
    if (!result.entries.length) return;
    page.why.offer(null);
    notify(redo ? "Repeated." : "Taken back.");
    page.map.showLabel(page.map.label);
    for (const each of result.entries) queue.answered[redo ? "add" : "delete"](queue.number(each));
    if (redo) this.#leaveAnswered();
    else await this.#askAgain(result.entries);
  }

  /** Leave what is on the screen, if it has its answers again. */
  #leaveAnswered() {
    const { queue, question, screens } = this.page;
    if (!screens.isOn) return question && queue.has(question) && this.page.advance();
    if (screens.screen?.entries.some((each) => queue.has(each))) screens.advance();
  }

  async #askAgain(entries) {
    const { page } = this;
    const { queue, screens } = page;
    const [{ row, column, why, screen }] = entries;
    if (screen) return screens.again(entries);
    if (screens.view !== "cell") return page.resetQueues();
    if (screens.isOn) screens.leave();
    if (page.question) queue.putBack(page.question);
    queue.items.delete(row);
    await queue.load([{ row, column }]);
    page.question = queue.current = { row, column, why };
    page.show();
  }
}
