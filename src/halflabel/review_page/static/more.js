// Everything that is not the question: numbers, queue, label, search, files.

import { byId, count, fillSelect, guard, make, notify, plural } from "/static/dom.js";
import { STATES } from "/static/item.js";
import { post } from "/static/transport.js";

const KINDS = { uncertain: "what teaches most", random: "a random check", suspects: "what may be wrong" };
const WAIT = 200; // milliseconds after the last letter of a search

export class More {
  /** @param {object} page */
  constructor(page) {
    this.page = page;
    this.rows = [];
    const { labels, isFinish } = page;
    fillSelect(byId("kind"), Object.entries(KINDS));
    fillSelect(byId("only"), [["", "any"], ...labels.map((name, j) => [j, name])]);
    fillSelect(byId("list-state"), [["", "any"], ...STATES.map((text, code) => [code, text])]);
    for (const id of ["kind-label", "only-label", "search-part"]) byId(id).hidden = isFinish; // its order is fixed
    byId("kind").onchange = guard(() => page.change({ kind: byId("kind").value }));
    byId("only").onchange = guard(() => this.chooseLabel());
    byId("search-part").ontoggle = ({ target }) => target.open && this.list();
    byId("list-state").onchange = () => this.list();
    byId("list-text").oninput = () => {
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.list(), WAIT);
    };
    byId("list-more").onclick = () => this.list(this.rows.length);
  }

  /** The label that the search is about. */
  get label() {
    return this.page.screens.label ?? this.page.screen?.entries[0].column ?? 0;
  }

  open() {
    for (const part of document.querySelectorAll("#more-dialog details[open]")) part.open = false;
    byId("kind").value = this.page.screens.kind;
    byId("only").value = this.page.screens.label ?? "";
    byId("more-dialog").showModal();
    this.page.showPanel();
  }

  async chooseLabel() {
    const { value } = byId("only");
    await this.page.change({ label: value === "" ? null : Number(value) });
    if (byId("search-part").open) this.list();
  }

  /** Show the numbers of the panel. */
  show() {
    const { panel, progress, isFinish } = this.page;
    if (isFinish) return void (byId("advice").textContent = progress.sentence ?? "");
    const { advice, queues, reviewers } = panel;
    byId("advice").textContent = advice.sentence || "An estimate comes with a fit.";
    fillSelect(byId("kind"), Object.entries(KINDS).map(([key, text]) => [key, `${text} (${count(queues[key])})`]));
    const { answers, errors } = advice.random;
    byId("random").textContent = answers
      ? `Random checks: ${count(answers)} answered, ${count(errors)} of the filled values ${errors === 1 ? "was" : "were"} wrong.`
      : "";
    byId("reviewers").textContent = reviewers ? describeReviewers(reviewers) : "";
  }

  // -- search ----------------------------------------------------------------------------

  /** Load the first page of the list, or the one that begins at a row of it. */
  async list(start = 0) {
    const version = (this.version = (this.version ?? 0) + 1);
    const state = byId("list-state").value;
    try {
      const asked = { column: this.label, text: byId("list-text").value, states: state === "" ? [] : [Number(state)], start };
      const { total, rows } = await post("/api/list", asked);
      if (version !== this.version) return;
      this.rows = start ? [...this.rows, ...rows] : rows;
      this.#showRows(start, total);
    } catch (error) {
      notify(error.message, "error");
    }
  }

  #showRows(start, total) {
    const lines = this.rows.slice(start).map(({ row, item, state }) =>
      make("li", {}, this.#makeLink(row, item), make("span", { className: `state s${state}`, textContent: STATES[state] })));
    if (start) byId("list-rows").append(...lines);
    else byId("list-rows").replaceChildren(...lines);
    byId("list-count").textContent = total ? `${plural(total, "item")}; values of “${this.page.labels[this.label]}”` : "No item is like this.";
    byId("list-more").hidden = this.rows.length >= total;
    if (start) byId("list-rows").children[start]?.querySelector("button").focus();
  }

  #makeLink(row, item) {
    return make("button", { type: "button", className: "link", textContent: item, onclick: guard(() => this.openItem(row)) });
  }

  async openItem(row) {
    byId("more-dialog").close();
    await this.page.open(row);
  }
}

/** Several reviewers: their answers, and how often two of them agree about the same value. */
function describeReviewers({ answers, agreement, contested }) {
  const both = agreement.reduce((sum, each) => sum + each.both, 0);
  const equal = agreement.reduce((sum, each) => sum + each.both * each.equal, 0);
  const kappa = agreement.filter((each) => each.kappa !== null).map((each) => `${each.label} ${each.kappa.toFixed(2)}`);
  return [
    answers.map(([name, number]) => `${name} ${plural(number, "answer")}`).join(", "),
    both ? `; asked twice ${count(both)}, of these equal ${count(Math.round(equal))}` : "",
    kappa.length ? ` (kappa: ${kappa.join(", ")})` : "",
    contested ? `; different ${count(contested)}: the queue “${KINDS.suspects}” asks about them` : "",
  ].join("") + ".";
}
