// The audit: a plan, random entries without any hint, and the certificate.

import { byId, count, fillSelect, make, notify, plural } from "/static/dom.js";
import { makeKey, post } from "/static/transport.js";

export class Audit {
  /** @param {(progress: object) => void} changed */
  constructor(changed) {
    this.changed = changed;
    this.size = 59;
    byId("audit-population").onchange = () => this.plan(null);
    byId("audit-target").onchange = (event) => this.plan(Number(event.target.value));
    byId("audit-begin").onclick = () => this.begin();
    byId("audit-cancel").onclick = () => this.#send({ op: "cancel" });
  }

  open() {
    byId("audit-dialog").showModal();
    this.plan(null);
  }

  /** Show how many answers prove a precision; without a target the server chooses one that is likely to be reached. */
  async plan(target) {
    const population = byId("audit-population").value;
    const list = byId("audit-plans");
    list.replaceChildren();
    byId("audit-begin").disabled = true;
    try {
      const { entries, error_rate, plans, targets, target: chosen } = await post("/api/audit", { op: "plan", population, target });
      fillSelect(byId("audit-target"), targets.map((value) => [value, `${Math.round(100 * value)} %`]));
      byId("audit-target").value = chosen;
      const expected = error_rate === null ? "" : `; probabilities expect that ${(100 * error_rate).toFixed(1)} % of them are wrong`;
      byId("audit-plan-text").textContent = plans.length
        ? `${plural(entries, "filled entry", "filled entries")}${expected}. For a confidence of 95 %:`
        : `${plural(entries, "filled entry", "filled entries")} are not enough for this proof.`;
      list.replaceChildren(...plans.map((plan, k) => this.#option(plan, k === 0)));
      byId("audit-begin").disabled = !plans.length;
    } catch (error) {
      byId("audit-plan-text").textContent = error.message;
    }
  }

  #option({ n, errors, chance }, chosen) {
    const input = make("input", { type: "radio", name: "size", value: n, checked: chosen, onchange: () => (this.size = n) });
    if (chosen) this.size = n;
    const allowed = errors === 0 ? "without an error" : `with at most ${plural(errors, "error")}`;
    const odds = chance === null ? "" : `, expected to pass with a chance of ${Math.round(100 * chance)} %`;
    return make("label", {}, input, make("b", { textContent: ` ${count(n)} answers` }), ` ${allowed}${odds}`);
  }

  async begin() {
    byId("audit-dialog").close();
    await this.#send({ op: "begin", n: this.size, population: byId("audit-population").value });
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
      this.changed(await post("/api/audit", { ...body, key: makeKey() }), body.op);
    } catch (error) {
      notify(error.message, "error");
    }
  }

  show(audit) {
    byId("audit-bar").hidden = !audit;
    document.body.classList.toggle("auditing", Boolean(audit));
    if (audit) {
      byId("audit-text").textContent =
        `Audit: ${audit.answered} of ${audit.n} answered. No result before the last answer.`;
    }
  }
}
