// Why the last answered entry has its probability: on request, and never before the answer.

import { byId, make, notify } from "/static/dom.js";
import { get, post } from "/static/transport.js";
import { showContent, showSound } from "/static/wall.js";

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
    const isFirst = !this.isWaiting;
    this.isWaiting = true; // before the request: the explanation can arrive before its answer
    const { explanation } = await post("/api/explain", entry);
    if (entry !== this.entry || !this.isWaiting) return;
    if (!explanation) return isFirst && setTimeout(() => this.isWaiting && notify(LATER), PATIENCE);
    this.isWaiting = false;
    await this.show(explanation);
  }

  /** An explanation has been made, perhaps for another page. */
  async arrived() {
    if (this.isWaiting) await this.ask();
  }

  async show({ item, label, probability, contributions, out_of_fold, note, neighbours = [], features = [] }) {
    const own = out_of_fold ? ", by models that were fitted without this item" : "";
    byId("why-text").textContent = note || `${item}, ${label}: the probability is ${probability.toFixed(2)}${own}.`;
    const rows = [this.entry.row, ...neighbours.map((each) => each.row)];
    const [{ sentence }, { items: [itself, ...near] }] = await Promise.all([get("/api/changes"), get(`/api/items?rows=${rows}`)]);
    byId("why-changes").textContent = sentence;
    byId("why-parts").hidden = !contributions.length;
    const total = contributions.reduce((sum, part) => sum + part.log_odds, 0);
    const lines = contributions.map(({ part, log_odds, rests_on }) => makeRow(part, log_odds, rests_on));
    byId("why-rows").replaceChildren(...lines, makeRow("sum", total, "the log odds of the probability"));
    byId("why-near").hidden = !near.length;
    byId("why-items").replaceChildren(...near.map((each, k) => makeNeighbour(each, neighbours[k], label)));
    byId("why-moved").hidden = !features.length;
    byId("why-features").replaceChildren(...features.map(makeFeature));
    markWords(byId("why-marked"), itself, features.filter((each) => each.word));
    if (!byId("why-dialog").open && !document.querySelector("dialog[open]")) byId("why-dialog").showModal();
  }
}

function makeRow(part, logOdds, restsOn) {
  return make("tr", {}, make("th", { scope: "row", textContent: part }),
    make("td", { className: "n", textContent: signed(logOdds) }), make("td", { textContent: restsOn, dir: "auto" }));
}

/** An item that decided the probability, with its known label. */
function makeNeighbour(item, { given, log_odds }, label) {
  const has = given === null ? `${label}: unknown` : given ? label : `not ${label}`;
  return make("li", { className: "tile" }, ...showContent(item), ...showSound(item), make("span", { className: "name", textContent: item.item, dir: "auto" }),
    make("span", { className: given ? "chip has" : "chip", textContent: has }), make("span", { className: "soft n", textContent: signed(log_odds) }));
}

function makeFeature({ name, word, log_odds }) {
  return make("li", { className: log_odds > 0 ? "chip has" : "chip" }, `${word || name} `, make("span", { className: "n", textContent: signed(log_odds) }));
}

/** The text of the item, with the words that moved the probability marked. */
function markWords(target, item, words) {
  const text = item.cells.find((cell) => cell.long)?.text ?? "";
  target.hidden = !words.length || !text;
  const sign = new Map(words.map(({ word, log_odds }) => [word.toLowerCase(), log_odds > 0]));
  target.replaceChildren(...text.split(/([\p{L}\p{N}_]+)/u).map((part) =>
    sign.has(part.toLowerCase()) ? make("mark", { className: sign.get(part.toLowerCase()) ? "for" : "against", textContent: part }) : part));
}
