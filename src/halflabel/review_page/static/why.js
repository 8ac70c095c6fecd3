// Why the last answered entry has its probability: on request, and never before the answer.

import { byId, make, notify } from "/static/dom.js";
import { post } from "/static/transport.js";

const LATER = "The explanation comes as soon as the process that fits is free.";
const PATIENCE = 1_000; // milliseconds until the page states that the explanation comes later

/** Write log odds with a sign. */
const signed = (number) => `${number < 0 ? "−" : "+"}${Math.abs(number).toFixed(2)}`;

export class Why {
  constructor() {
    this.entry = null;
    this.isWaiting = false;
  }

  /** Offer the explanation of an entry that was answered, or of none. */
  offer(entry) {
    this.entry = entry;
    this.isWaiting = false;
    byId("why").hidden = !entry;
  }

  async ask() {
    const { entry } = this;
    if (!entry) return notify("Answer a question first: the explanation is about the last answer.");
    const { explanation } = await post("/api/explain", entry);
    if (entry !== this.entry) return;
    if (!explanation && !this.isWaiting) setTimeout(() => this.isWaiting && notify(LATER), PATIENCE);
    this.isWaiting = !explanation;
    if (explanation) this.show(explanation);
  }

  /** An explanation has been made, perhaps for another page. */
  async arrived() {
    if (this.isWaiting) await this.ask();
  }

  show({ item, label, probability, contributions, out_of_fold, note }) {
    const own = out_of_fold ? ", by models that were fitted without this item" : "";
    byId("why-text").textContent = note || `${item}, ${label}: the probability is ${probability.toFixed(2)}${own}.`;
    byId("why-parts").hidden = !contributions.length;
    const total = contributions.reduce((sum, part) => sum + part.log_odds, 0);
    const rows = contributions.map(({ part, log_odds, rests_on }) => makeRow(part, log_odds, rests_on));
    byId("why-rows").replaceChildren(...rows, makeRow("sum", total, "the log odds of the probability"));
    if (!byId("why-dialog").open && !document.querySelector("dialog[open]")) byId("why-dialog").showModal();
  }
}

function makeRow(part, logOdds, restsOn) {
  return make("tr", {}, make("th", { scope: "row", textContent: part }),
    make("td", { className: "n", textContent: signed(logOdds) }), make("td", { textContent: restsOn, dir: "auto" }));
}
