// The state of the server: what it sends, and what the page shows of it.

import { byId, count, notify } from "/static/dom.js";
import * as panel from "/static/panel.js";
import { get, getNewest, noteTable, post } from "/static/transport.js";

export class Updates {
  /** @param {object} page  the page with its progress, queue, map and screens */
  constructor(page) {
    this.page = page;
  }

  receive(kind, content) {
    const { page } = this;
    if (kind === "progress") page.running = content;
    else if (kind === "begun") page.running ??= ["fitting", 0, 0];
    else if (kind === "fit") this.fitArrived();
    else if (kind === "map") page.map.loadPoints();
    else if (kind === "explained") page.why.arrived().catch((error) => notify(error.message, "error"));
    else if (kind === "idle") page.running = null;
    else if (["failed", "written", "no map"].includes(kind)) this.refresh(kind).catch(() => {}); // "connected" repeats it
    else if (kind === "disconnected") this.connectionChanged(false);
    else if (kind === "connected") this.connectionChanged(true);
    panel.showFit(page.progress, page.running);
  }

  connectionChanged(isConnected) {
    const { page } = this;
    if (isConnected && !page.isConnected) page.running = null; // what ran may have ended with the command
    page.isConnected = isConnected;
    if (isConnected) this.refresh("connected").catch(() => {});
    else this.showSaved(null, page.outbox.waiting.length, null);
  }

  async fitArrived() {
    const { page } = this;
    await this.refresh("fit");
    await this.valuesChanged(page.progress);
    panel.showChanges();
  }

  /** Values have changed on the server: order, colours and numbers follow. */
  async valuesChanged(progress) {
    const { page } = this;
    this.showSaved(progress, page.outbox.waiting.length, null);
    await (page.screens.view === "cell" ? page.queue.renew() : page.screens.renew());
    page.map.showLabel(page.map.label);
    this.showPanel();
  }

  async refresh(kind) {
    const { page } = this;
    const progress = await get("/api/progress");
    this.showSaved(progress, page.outbox.waiting.length, null);
    if (kind === "failed") notify(progress.failure, "error");
    if (kind === "written") notify(`Written: ${progress.written.join(", ")}`);
    if (progress.map_note) page.map.showNote(`No map: ${progress.map_note} The list has the same items.`);
    panel.showFit(page.progress, page.running);
  }

  async showPanel() {
    const { page } = this;
    const found = await getNewest("/api/panel");
    if (!found) return;
    const { queues, doubtful, advice, reviewers } = found;
    panel.showQueues(queues, doubtful, page.queue.kind);
    panel.showReviewers(reviewers);
    panel.showAdvice(advice);
  }

  /** Show a state of the server, unless it is older than the one that is shown. */
  showSaved(progress, waiting, error) {
    const { page } = this;
    if (progress && !(progress.at < page.progress.at)) {
      noteTable(progress.table);
      const before = page.progress.answers;
      page.progress = progress;
      if (Math.floor(before / 5) !== Math.floor(progress.answers / 5)) this.showPanel();
    }
    panel.showProgress(page.progress, waiting, page.isConnected);
    panel.showFit(page.progress, page.running);
    const { audit } = page.progress;
    page.audit.show(audit);
    if (audit && audit.answered >= audit.n && !waiting) page.audit.finish();
    if (error?.status) notify(error.message, "error");
  }

  async refit(thorough) {
    const { page } = this;
    await page.outbox.flush();
    page.running = ["fitting", 0, 0]; // before the request: the fit can end before the response
    try {
      this.showSaved(await post("/api/fit", { thorough }), 0, null);
    } catch (error) {
      page.running = null;
      throw error;
    }
  }

  async write() {
    const { page } = this;
    await page.outbox.flush();
    await post("/api/write", {});
    notify(`Writing ${count(page.progress.answers)} answers, the completed table and the report.`);
  }
}
