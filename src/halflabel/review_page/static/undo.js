// Answers that are taken back, or repeated, and what this changes on the screen.

import { notify } from "/static/dom.js";
import { makeKey, post } from "/static/transport.js";

export class Undo {
  /** @param {object} page  the page with its chain, queue, screens and selection */
  constructor(page) {
    this.page = page;
  }

  /** Take the last answer back and ask it again, or repeat what was taken back, after the keys before. */
  reverse(redo) {
    this.page.chain = this.page.chain.then(() => this.#reverse(redo)).catch((error) => notify(error.message, "error"));
  }

  async #reverse(redo) {
    const { page } = this;
    const { queue, selection } = page;
    await page.outbox.flush();
    const result = await post("/api/undo", { redo, key: makeKey() });
    page.updates.showSaved(result, 0, null);
    if (!result.entries.length) return;
    page.why.offer(null);
    const [{ op }] = result.entries;
    notify(redo ? "Repeated." : op === "bulk" ? "The answers of the selection are taken back." : "Taken back.");
    page.map.showLabel(page.map.label);
    for (const each of result.entries) {
      queue.answered[redo ? "add" : "delete"](queue.number(each));
      if (redo) selection.take(queue.number(each), each.value);
      else selection.leaveOut(queue.number(each));
    }
    if (op === "bulk") await this.groupChanged(result);
    else if (redo) this.#leaveAnswered();
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

  /** Many entries were answered, or taken back, at once: perhaps also those that are on the screen, or will be. */
  async groupChanged(progress) {
    const { page } = this;
    page.updates.showSaved(progress, page.outbox.waiting.length, null);
    if (page.screens.view === "cell") page.screens.leave();
    page.map.showLabel(page.map.label);
    await page.changeQueue({});
    page.updates.showPanel();
  }
}
