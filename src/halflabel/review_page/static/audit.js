// The audit: a plan, random entries without any hint, the bound after each answer, and the certificate.

import { byId, count, make, notify, plural } from "/static/dom.js";
import { makeKey, post } from "/static/transport.js";

export class Audit {
  /** @param {(progress: object) => void} changed  @param {Outbox} outbox */
  constructor(changed, outbox) {
    [this.changed, this.outbox] = [changed, outbox];
    this.size = 60;
    byId("audit-population").onchange = () => this.plan();
    byId("audit-begin").onclick = () => this.begin();
    byId("audit-finish").onclick = () => this.finish();
    byId("audit-cancel").onclick = () => this.#send({ op: "cancel" });
  }

  open() {
    byId("audit-dialog").showModal();
    this.plan();
  }

  /** Show numbers of answers, and the precision that each of them will most likely prove. */
  async plan() {
    const population = byId("audit-population").value;
    const list = byId("audit-plans");
    clearTimeout(this.again);
    list.replaceChildren();
    byId("audit-begin").disabled = true;
    try {
      const { wait, entries, error_rate, plans } = await post("/api/audit", { op: "plan", population });
      if (wait) return this.#wait(wait, () => this.plan());
      const expected = error_rate === null ? "" : `; probabilities expect that ${(100 * error_rate).toFixed(1)} % of them are wrong`;
      byId("audit-plan-text").textContent =
        `${plural(entries, "filled entry", "filled entries")}${expected}. The bound holds after each answer: stop whenever you like.`;
      list.replaceChildren(...plans.map((plan, k) => this.#option(plan, k === 0)));
      byId("audit-begin").disabled = !plans.length;
    } catch (error) {
      byId("audit-plan-text").textContent = error.message;
    }
  }

  #option({ n, precision }, chosen) {
    const input = make("input", { type: "radio", name: "size", value: n, checked: chosen, onchange: () => (this.size = n) });
    if (chosen) this.size = n;
    const likely = precision === null ? "" : `: about ${Math.floor(100 * precision)} %`;
    return make("label", {}, input, make("b", { textContent: ` ${count(n)} answers` }), likely);
  }

  /** Begin, as soon as the fit that runs has ended. */
  async begin() {
    byId("audit-begin").disabled = true;
    const state = await this.#send({ op: "begin", n: this.size, population: byId("audit-population").value });
    if (state?.wait) this.#wait(state.wait, () => this.begin());
    else if (state) byId("audit-dialog").close();
    else this.plan();
  }

  /** Show the reason for waiting, and try again soon, unless the dialog is closed. */
  #wait(text, again) {
    byId("audit-plan-text").textContent = text;
    clearTimeout(this.again);
    this.again = setTimeout(() => byId("audit-dialog").open && again(), 1000);
  }

  /** Ask for the certificate, once. */
  async finish() {
    if (this.isFinishing) return;
    this.isFinishing = true;
    await this.#send({ op: "finish" });
    this.isFinishing = false;
  }

  async #send(body) {
    try {
      await this.outbox.flush(); // an audit includes the answers that were given before its end
      const state = await post("/api/audit", { ...body, key: makeKey() });
      if (!state.wait) this.changed(state, body.op);
      return state;
    } catch (error) {
      notify(error.message, "error");
      return null;
    }
  }

  show(audit) {
    byId("audit-bar").hidden = !audit;
    document.body.classList.toggle("auditing", Boolean(audit));
    if (audit) {
      byId("audit-text").textContent =
        `Audit: ${audit.answered} of ${audit.n} answered.` +
        (audit.precision === null ? "" : ` At least ${Math.floor(1000 * audit.precision) / 10} % are right.`);
      byId("audit-finish").disabled = !audit.answered;
    }
  }
}
