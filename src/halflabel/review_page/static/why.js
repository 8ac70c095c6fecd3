// Why the last answered value has its probability: on request, and never before the answer.

import { byId, make, notify } from "/static/dom.js";
import { showContent, showSound } from "/static/item.js";
import { get, post } from "/static/transport.js";

const LATER = "The explanation comes as soon as the process that fits is free.";
const PATIENCE = 1_000; // milliseconds until the page states that the explanation comes later

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
    if (!entry) return void notify("Answer a question first: the explanation is about the last answer.");
    const isFirst = !this.isWaiting;
    this.isWaiting = true; // before the request: the explanation can arrive before its answer
    const { explanation } = await post("/api/explain", entry);
    if (entry !== this.entry || !this.isWaiting) return;
    if (!explanation) return void (isFirst && setTimeout(() => this.isWaiting && notify(LATER), PATIENCE));
    this.isWaiting = false;
    await this.show(explanation);
  }

  /** An explanation has been made, perhaps for another page. */
  async arrived() {
    if (this.isWaiting) await this.ask();
  }

  async show({ item, label, probability, out_of_fold, note, neighbours = [], features = [] }) {
    const own = out_of_fold ? ", by models that were fitted without this item" : "";
    byId("why-text").textContent = note || `${item}, ${label}: the probability is ${probability.toFixed(2)}${own}.`;
    const { items: [itself, ...near] } = await get(`/api/items?rows=${[this.entry.row, ...neighbours.map((each) => each.row)]}`);
    byId("why-items").replaceChildren(...near.map((each, k) => makeNeighbour(each, neighbours[k], label)));
    byId("why-features").replaceChildren(...features.map(({ name, word, log_odds }) =>
      make("li", { className: log_odds > 0 ? "chip has" : "chip", textContent: `${word || name}: ${log_odds > 0 ? "for" : "against"}` })));
    byId("why-items").hidden = !near.length;
    byId("why-features").hidden = !features.length;
    markWords(byId("why-marked"), itself, features.filter((each) => each.word));
    if (!document.querySelector("dialog[open]")) byId("why-dialog").showModal();
  }
}

/** An item that decided the probability, with its known label. */
function makeNeighbour(item, { given, log_odds }, label) {
  const has = given === null ? `${label}: unknown` : given ? label : `not ${label}`;
  return make("li", { className: "tile" }, ...showContent(item), ...showSound(item), make("span", { className: "name", textContent: item.item, dir: "auto" }),
    make("span", { className: given ? "chip has" : "chip", textContent: has }), make("span", { className: "soft", textContent: log_odds > 0 ? "for" : "against" }));
}

/** The text of the item, with the words that moved the probability marked. */
function markWords(target, item, words) {
  const text = item.cells.find((cell) => cell.long)?.text ?? "";
  target.hidden = !words.length || !text;
  const sign = new Map(words.map(({ word, log_odds }) => [word.toLowerCase(), log_odds > 0]));
  target.replaceChildren(...text.split(/([\p{L}\p{N}_]+)/u).map((part) =>
    sign.has(part.toLowerCase()) ? make("mark", { className: sign.get(part.toLowerCase()) ? "for" : "against", textContent: part }) : part));
}
