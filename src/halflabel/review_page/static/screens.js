// The screens to come: fetched ahead of time, together with the items that they are about.

import { get, post } from "/static/transport.js";

const BATCH = { item: 24, wall: 2 }; // screens of one request
const LOW = { item: 12, wall: 1 }; // screens that are left when the next ones are requested
const ITEMS = 50; // of one request
const MAX_SKIPPED = 500;

export const WORDS = { 1: "yes", 0: "no", null: "not sure" };

/** Return the value of a state: 1, 0, null for "not sure", undefined if there is none. */
export const readValue = (state) => (state === 0 ? undefined : state === 7 ? null : Number(state % 2 === 0));

/** Whether a screen is one question, asked without a proposal. */
export const isSingle = ({ view, entries, isOpened }) => view === "item" && entries.length === 1 && !isOpened;

/** Return the first entry of a screen that needs an answer of its own, because it is asked without a proposal. */
export const findOpen = ({ view, entries, isOpened }) => (view === "item" && !isOpened ? entries.find((each) => each.value === undefined) : undefined);

/** Return a sentence about an answer, with the probability unless it is hidden. */
export function describe({ item, column, value }, labels, isHidden) {
  const p = isHidden ? null : (item.p?.[column] ?? null);
  return `${item.item}, ${labels[column]}: ${WORDS[value]}.${p === null ? "" : ` Probability ${p.toFixed(2)}.`}`;
}

export class Screens {
  /** @param {number} nLabels  @param {string} kind  @param {() => void} arrived  called when new screens have arrived */
  constructor(nLabels, kind, arrived) {
    Object.assign(this, { nLabels, kind, arrived, label: null, view: "item" });
    this.upcoming = [];
    this.current = null;
    this.skipped = [];
    this.done = new Set(); // the numbers of the entries that were answered here
    this.version = 0;
    this.asked = null;
    this.isEmpty = undefined; // unknown before the first response
  }

  number({ row, column }) {
    return row * this.nLabels + column;
  }

  answered(entries, isAnswered) {
    for (const each of entries) this.done[isAnswered ? "add" : "delete"](this.number(each));
  }

  /** Keep only the answers that are on their way. */
  forget(waiting) {
    this.done = new Set(waiting.map((each) => this.number(each)));
    this.upcoming = [];
    this.isEmpty = undefined;
  }

  skip(screen) {
    this.skipped = [...this.skipped, ...screen.entries.map((each) => this.number(each))].slice(-MAX_SKIPPED);
  }

  /** Take the next screen, or null. */
  next() {
    this.upcoming = this.#leaveOut(this.upcoming, this.done);
    this.current = this.upcoming.shift() ?? null;
    if (this.upcoming.length < LOW[this.view] && this.asked !== this.version) this.refill().catch(() => {}); // the next answer reports it
    return this.current;
  }

  /** Put the screen on the screen back: another one takes its place. */
  putBack() {
    if (this.current) this.upcoming.unshift(this.current);
    this.current = null;
  }

  /** Replace what is held as soon as other screens are there, because values have changed. The current one stays. */
  renew() {
    this.version += 1;
    return this.refill(true);
  }

  /** Fetch further screens, one request at a time: one that is on its way can be older than the last answer, so that another follows. */
  async refill(isNew = false) {
    const { version } = this;
    this.isStale = this.asked === version && !isNew;
    if (this.isStale) return;
    this.asked = version;
    try {
      await this.#refill(version, isNew);
    } finally {
      if (this.asked === version) this.asked = null;
    }
    if (this.isStale && version === this.version) await this.refill();
  }

  #hold(screens) {
    return screens.flatMap((screen) => screen?.entries.map((each) => this.number(each)) ?? []);
  }

  async #refill(version, isNew) {
    const { kind, label, view } = this;
    const held = this.#hold([this.current, ...(isNew ? [] : this.upcoming)]);
    const exclude = [...new Set([...held, ...this.skipped, ...this.done])];
    const { screens } = await post("/api/questions", { kind, label, view, exclude, held, n: BATCH[view] });
    if (version !== this.version) return;
    const items = await this.load(screens.flat());
    if (version !== this.version) return;
    if (isNew) this.upcoming = [];
    const known = new Set([...this.#hold([this.current, ...this.upcoming]), ...this.skipped, ...this.done]); // they may have changed
    const made = screens.map((entries) => ({ view, entries: this.fill(view, entries, items) }));
    this.upcoming.push(...this.#leaveOut(made, known));
    this.isEmpty = !this.upcoming.length;
    this.arrived();
  }

  #leaveOut(screens, known) {
    const left = screens.map((screen) => ({ ...screen, entries: screen.entries.filter((each) => !known.has(this.number(each))) }));
    return left.filter(({ entries }) => entries.length);
  }

  /** Return entries with their items. The value of an entry is the filled one, unless it is asked without it. */
  fill(view, entries, items) {
    return entries.map((each) => {
      const item = items.get(each.row);
      const isHidden = view === "item" && (entries.length === 1 || each.why === "random");
      const proposal = isHidden ? undefined : readValue(item.states[each.column]);
      return { ...each, item, proposal, value: proposal };
    });
  }

  /** Return a screen about entries that were taken back, with their items as they are now. */
  async make(view, entries) {
    this.putBack();
    return { view, entries: this.fill(view, entries, await this.load(entries)) };
  }

  /** Fetch the items of entries. */
  async load(entries) {
    const items = new Map();
    const rows = [...new Set(entries.map((each) => each.row))];
    for (let start = 0; start < rows.length; start += ITEMS) {
      const part = rows.slice(start, start + ITEMS);
      for (const item of (await get(`/api/items?rows=${part.join(",")}`)).items) items.set(item.row, item);
    }
    for (const { cells } of items.values()) for (const cell of cells) if (cell.kind === "image") new Image().src = cell.source;
    return items;
  }
}
