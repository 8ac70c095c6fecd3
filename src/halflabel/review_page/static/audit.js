// The audit: a plan, random values without any hint, the bound after each answer, and the certificate.

import { byId, count, make, notify, plural } from "/static/dom.js";
import { makeKey, post } from "/static/transport.js";

const AGAIN = 1000; // milliseconds until a plan that waits for a fit is asked again

export class Audit {
  /** @param {object} page */
  constructor(page) {
    this.page = page;
    byId("audit-begin").onclick = () => this.begin();
    byId("audit-finish").onclick = () => this.finish();
    byId("audit-cancel").onclick = () => this.#send({ op: "cancel" });
    byId("audit-part").ontoggle = ({ target }) => target.open && this.plan();
  }

  /** Show numbers of answers, and the precision that each of them will most likely prove. */
  async plan() {
    byId("audit-plans").hidden = true;
    byId("audit-begin").disabled = true;
    const state = await this.#post({ op: "plan" });
    if (!state) return;
    if (state.wait) return void this.#wait(state.wait, () => this.plan());
    const { entries, error_rate, plans } = state;
    const expected = error_rate === null ? "" : `; the probabilities expect that ${(100 * error_rate).toFixed(1)} % of them are wrong`;
    byId("audit-plan").textContent = `${plural(entries, "filled value")}${expected}.`;
    byId("audit-plans").replaceChildren(...plans.map(({ n, precision }, k) => make("label", {},
      make("input", { type: "radio", name: "size", value: n, checked: !k }), ` ${count(n)} answers${precision === null ? "" : `: about ${Math.floor(100 * precision)} % right`}`)));
    byId("audit-plans").hidden = byId("audit-begin").disabled = !plans.length;
  }

  /** Begin, as soon as the fit that runs has ended. */
  async begin() {
    byId("audit-begin").disabled = true;
    const n = Number(byId("audit-plans").querySelector(":checked")?.value);
    const state = await this.#send({ op: "begin", n });
    if (state?.wait) this.#wait(state.wait, () => this.begin());
    else if (state) byId("more-dialog").close();
    else this.plan();
  }

  /** Show the reason for waiting, and try again soon, unless the part is closed. */
  #wait(text, again) {
    byId("audit-plan").textContent = text;
    clearTimeout(this.again);
    this.again = setTimeout(() => byId("more-dialog").open && byId("audit-part").open && again(), AGAIN);
  }

  /** Ask for the certificate, once. */
  async finish() {
    if (this.isFinishing) return;
    this.isFinishing = true;
    await this.#send({ op: "finish" });
    this.isFinishing = false;
  }

  async #post(body) {
    try {
      await this.page.outbox.flush(); // an audit includes the answers that were given before its end
      return await post("/api/audit", { ...body, key: makeKey() });
    } catch (error) {
      notify(error.message, "error");
      return null;
    }
  }

  async #send(body) {
    const state = await this.#post(body);
    if (state && !state.wait) await this.#changed(state, body.op);
    return state;
  }

  async #changed(progress, op) {
    const { page } = this;
    page.take(progress);
    page.screens.skipped = []; // an audit asks about all of its entries
    byId("last").textContent = "";
    page.why.offer(null);
    if (op === "finish" && progress.certificate) {
      byId("proof").textContent = `${progress.certificate.sentence} It is written together with its table.`;
      byId("proof-dialog").showModal();
    }
    await page.change({ view: "item", kind: "uncertain", label: null });
    page.showPanel();
  }

  show(audit) {
    byId("audit-bar").hidden = !audit;
    document.body.classList.toggle("auditing", Boolean(audit));
    if (!audit) return;
    const proved = audit.precision === null ? "" : ` At least ${Math.floor(1000 * audit.precision) / 10} % are right.`;
    byId("audit-text").textContent = `Audit: ${audit.answered} of ${audit.n} answered.${proved}`;
    byId("audit-finish").disabled = !audit.answered;
  }
}
