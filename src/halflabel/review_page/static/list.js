// The list of items: what the map shows, for keyboard and screen reader. It follows the label of the map.

import { byId, count, fillSelect, guard, make, notify, plural } from "/static/dom.js";
import { STATES } from "/static/item.js";
import { readBits } from "/static/lasso.js";
import { post } from "/static/transport.js";

const ORDERS = [["table", "order of the table"], ["highest", "highest probability first"], ["lowest", "lowest probability first"]];
const WAIT = 200; // milliseconds after the last letter of a search

export class ItemList {
  /** @param {string[]} labels  @param {string[]} columns  @param {{onOpen: Function, onAsk: Function}} actions */
  constructor(labels, columns, actions) {
    this.labels = labels;
    this.actions = actions;
    this.label = 0;
    this.rows = [];
    fillSelect(byId("list-state"), [["", "any"], ...STATES.map((text, code) => [code, text]), ["flag", "flagged"], ["comment", "with a comment"]]);
    const byColumn = columns.flatMap((name) => [[`up ${name}`, `${name}, lowest first`], [`down ${name}`, `${name}, highest first`]]);
    fillSelect(byId("list-order"), [...ORDERS, ...byColumn]);
    byId("list-state").onchange = () => this.load();
    byId("list-order").onchange = () => this.load();
    byId("list-text").oninput = () => {
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.load(), WAIT);
    };
    byId("list-more").onclick = () => this.load(this.rows.length);
    byId("list-ask").onclick = guard(() => this.ask());
  }

  get isOpen() {
    return !byId("list").hidden;
  }

  toggle(on = !this.isOpen) {
    byId("list").hidden = !on;
    byId("map-box").hidden = on;
    byId("legend").hidden = on;
    byId("as-list").ariaPressed = String(on);
    for (const tool of document.querySelectorAll(".of-map")) tool.hidden = on;
    if (on) this.load();
  }

  /** Follow the label of the map; values may have changed. */
  showLabel(label) {
    this.label = label;
    if (this.isOpen) this.load();
  }

  /** Load the first page, or the one that begins at a row of the list. */
  async load(start = 0) {
    const version = (this.version = (this.version ?? 0) + 1);
    try {
      const { total, rows } = await this.#ask({ start });
      if (version !== this.version) return;
      this.rows = start ? [...this.rows, ...rows] : rows;
      this.total = total;
      this.show(start);
    } catch (error) {
      notify(error.message, "error");
    }
  }

  show(start) {
    const lines = this.rows.slice(start).map((each) => this.makeLine(each));
    if (start) byId("list-rows").append(...lines);
    else byId("list-rows").replaceChildren(...lines);
    byId("list-count").textContent = this.total
      ? `${plural(this.total, "item")}, “${this.labels[this.label]}”; ${count(this.rows.length)} shown`
      : "No item is like this.";
    byId("list-more").hidden = this.rows.length >= this.total;
    byId("list-ask").disabled = !this.total;
    if (start) byId("list-rows").children[start]?.querySelector("button").focus();
  }

  makeLine({ row, item, state, p }) {
    const open = make("button", { type: "button", className: "link", textContent: item, onclick: () => this.actions.onOpen(row) });
    return make("tr", {}, make("th", { scope: "row" }, open),
      make("td", { className: `state s${state}`, textContent: STATES[state] }),
      make("td", { className: "n", textContent: p === null ? "" : p.toFixed(2) }));
  }

  /** Show the answer to an entry. */
  setState(row, column, state) {
    const place = this.rows.findIndex((each) => each.row === row);
    if (!this.isOpen || column !== this.label || place < 0) return;
    this.rows[place].state = state;
    byId("list-rows").children[place].replaceWith(this.makeLine(this.rows[place]));
  }

  /** Ask the questions of the queue about these items only. */
  async ask() {
    const { bits } = await this.#ask({ bits: true });
    this.actions.onAsk(readBits(bits));
  }

  #ask(body) {
    const state = byId("list-state").value;
    const only = state === "" ? {} : /^\d$/.test(state) ? { states: [Number(state)] } : { marked: state };
    const [, direction, sort] = byId("list-order").value.match(/^(up|down) (.*)$/s) ?? [];
    const order = direction ? { sort, descending: direction === "down" } : { order: byId("list-order").value };
    return post("/api/list", { column: this.label, text: byId("list-text").value, ...only, ...order, ...body });
  }
}
