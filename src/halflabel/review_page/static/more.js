// Everything that is not the question: numbers, queue, map, search, last answers, comment, audit.

import { WORDS } from "/static/screens.js";
import { byId, count, fillSelect, guard, make, notify, plural } from "/static/dom.js";
import { showComments, STATES } from "/static/item.js";
import { MapPart } from "/static/map-part.js";
import { percent } from "/static/state.js";
import { get, makeKey, post } from "/static/transport.js";

const KINDS = { uncertain: "what teaches most", random: "a random check", suspects: "what may be wrong" };
const WAIT = 200; // milliseconds after the last letter of a search

export class More {
  /** @param {object} page */
  constructor(page) {
    this.page = page;
    this.rows = [];
    const { labels, isFinish } = page;
    this.map = new MapPart(page);
    fillSelect(byId("kind"), Object.entries(KINDS));
    fillSelect(byId("only"), [["", "any"], ...labels.map((name, j) => [j, name])]);
    fillSelect(byId("list-state"), [["", "any"], ...STATES.map((text, code) => [code, text])]);
    for (const id of ["kind-label", "refit", "history-part", "comment-part", "audit-part"]) byId(id).hidden = isFinish;
    byId("kind").onchange = guard(() => page.change({ kind: byId("kind").value }));
    byId("only").onchange = guard(() => this.chooseLabel());
    byId("refit").onclick = guard(() => this.refit());
    byId("search-part").ontoggle = ({ target }) => target.open && this.list();
    byId("list-state").onchange = () => this.list();
    byId("list-text").oninput = () => {
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.list(), WAIT);
    };
    byId("list-more").onclick = () => this.list(this.rows.length);
    byId("history-part").ontoggle = ({ target }) => target.open && guard(() => this.history())();
    byId("comment-part").ontoggle = ({ target }) => target.open && this.showComment();
    byId("comment-save").onclick = guard(() => this.comment());
  }

  /** The label that map and search are about. */
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
    if (this.page.isFinish) this.page.screens.label = value === "" ? null : Number(value); // its order is fixed
    else await this.page.change({ label: value === "" ? null : Number(value) });
    if (byId("map-part").open) this.map.showLabel();
    if (byId("search-part").open) this.list();
  }

  /** Show the numbers of the panel. */
  show() {
    const { panel, progress, isFinish } = this.page;
    const { certificate } = progress;
    if (isFinish) {
      const lines = (panel.proposals ?? []).map(({ n, precision }) => `${plural(n, "answer")}: about ${percent(1 - precision)}`);
      byId("advice").textContent = progress.sentence ?? "";
      byId("random").textContent = lines.length ? `The bound that random answers alone will most likely give now: ${lines.join("; ")}.` : "";
      return;
    }
    const { advice, queues, reviewers } = panel;
    byId("advice").textContent = advice.sentence || "An estimate comes with the first fit.";
    fillSelect(byId("kind"), Object.entries(KINDS).map(([key, text]) => [key, `${text} (${count(queues[key])})`]));
    const { answers, errors, expected } = advice.random;
    byId("random").textContent = answers
      ? `Random checks: ${count(answers)} answered, ${count(errors)} of the filled values ${errors === 1 ? "was" : "were"} wrong${expected === null ? "" : ` (${expected.toFixed(1)} expected)`}.`
      : "";
    byId("reviewers").textContent = reviewers ? describeReviewers(reviewers) : "";
    byId("certificate").textContent = certificate
      ? certificate.sentence + (certificate.is_current ? "" : " The values were fitted again after this certificate.")
      : "";
  }

  async refit() {
    await this.page.outbox.flush();
    this.page.running = ["fitting", 0, 0]; // before the request: the fit can end before the response
    this.page.take(await post("/api/fit", {}));
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
    if (this.page.isFinish) return;
    byId("more-dialog").close();
    await this.page.open(row);
  }

  // -- last answers and comments ---------------------------------------------------------

  async history() {
    await this.page.outbox.flush();
    const { answers } = await get("/api/history");
    byId("history-list").replaceChildren(...answers.map(({ row, item, label, value, by, at }) =>
      make("li", {}, this.#makeLink(row, item), ` ${label}: `, make("b", { textContent: WORDS[value] }),
        make("span", { className: "soft", textContent: ` ${by}, ${at.slice(0, 16).replace("T", " ")}` }))));
    if (!answers.length) byId("history-list").textContent = "There is no answer yet.";
  }

  /** The item on the screen: the first one of a wall. */
  get item() {
    return this.page.screen?.entries[0].item;
  }

  showComment() {
    const { item } = this;
    byId("comment-of").textContent = item?.item ?? "There is no item on the screen.";
    byId("comment-save").disabled = byId("comment-text").disabled = !item;
    byId("comment-text").value = item?.comments.find((each) => each.by === this.page.session.by)?.text ?? "";
  }

  async comment() {
    const { page, item } = this;
    const { by } = page.session;
    const text = byId("comment-text").value.trim();
    byId("more-dialog").close();
    page.take(await post("/api/comment", { item: item.id, text, key: makeKey() }));
    item.comments = item.comments.filter((each) => each.by !== by).concat(text ? [{ by, text }] : []);
    if (this.item?.row === item.row) showComments(byId("item"), item); // else another item is on the screen
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
