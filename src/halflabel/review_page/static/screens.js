// Screens of several entries: an item with its doubtful labels, or a wall of items of one label. One key accepts all.

import { markValue, nextValue, showChips } from "/static/chips.js";
import { byId, count, guard, notify, plural } from "/static/dom.js";
import { showItem } from "/static/item.js";
import { CODES, WORDS } from "/static/question.js";
import { get, makeKey, post } from "/static/transport.js";
import { showWall } from "/static/wall.js";

export const VIEWS = ["cell", "item", "wall"];
const BATCH = { item: 8, wall: 3 }; // screens of one request
const LOW = { item: 4, wall: 1 }; // screens that are left when the next ones are requested
const WITHOUT_PROPOSAL = ["random", "random of a part", "audit", "twice"]; // asked without the filled value

export class Screens {
  /** @param {object} page  the page with its queue, outbox and map */
  constructor(page) {
    this.page = page;
    this.view = "cell";
    this.screen = null;
    this.upcoming = [];
    this.items = new Map();
    this.version = 0;
    this.asked = null;
    for (const view of VIEWS) byId(`view-${view}`).onclick = guard(() => this.setView(view));
    byId("wall-size").onchange = guard(() => this.reset());
    byId("accept").onclick = guard(() => this.accept());
  }

  /** Whether a screen is shown, or will be, in place of one question. */
  get isOn() {
    return this.view !== "cell" || this.screen !== null;
  }

  async setView(view, change = {}) {
    document.activeElement.blur(); // Enter accepts the screen
    if (this.page.progress.audit && view !== "cell") return;
    this.view = view;
    for (const each of VIEWS) byId(`view-${each}`).ariaPressed = String(each === view);
    byId("wall-size-label").hidden = view !== "wall";
    this.screen = this.page.question = null;
    this.page.queue.putCurrentBack();
    if (view !== "cell") return this.reset();
    this.leave();
    await this.page.changeQueue(change);
  }

  /** Leave an item that was opened: one question is shown again. */
  leave() {
    this.screen = null;
    this.hide();
  }

  nextView() {
    return this.setView(VIEWS[(VIEWS.indexOf(this.view) + 1) % VIEWS.length]);
  }

  /** Drop what is held, and show the first screen of the queue. */
  async reset() {
    this.screen = null;
    this.upcoming = [];
    this.show();
    await this.renew();
  }

  /** Replace the screens to come, because values or the queue have changed. The one on the screen stays. */
  async renew() {
    if (this.view === "cell") return;
    this.version += 1;
    await this.refill(true);
  }

  /** Ask for more screens, and show the first one if there was none. */
  async refill(isNew = false) {
    const { version, view } = this;
    if (this.asked === version && !isNew) return; // one request at a time
    this.asked = version;
    let isHere = false;
    try {
      isHere = await this.#refill(version, view, isNew);
    } finally {
      if (this.asked === version) this.asked = null;
    }
    if (isHere && !this.screen && (isNew || this.upcoming.length)) this.advance();
  }

  /** Return whether the screens of a request are still the ones that are needed. */
  async #refill(version, view, isNew) {
    const { kind, label, rows, skipped, answered, nLabels } = this.page.queue;
    const shown = [this.screen, ...(isNew ? [] : this.upcoming)].flatMap((each) => each?.entries ?? []);
    const held = shown.map((each) => each.row * nLabels + each.column);
    const exclude = [...new Set([...held, ...skipped, ...answered])];
    const asked = { view, kind, label, rows, exclude, held, n: BATCH[view], size: Number(byId("wall-size").value) };
    const { screens } = await post("/api/screens", asked);
    if (version !== this.version || view !== this.view) return false;
    const items = isNew ? new Map() : this.items;
    await this.page.queue.load(screens.flat(), items);
    if (version !== this.version || view !== this.view) return false;
    this.items = items;
    if (isNew) this.upcoming = [];
    this.upcoming.push(...this.leaveOutKnown(screens).map(({ entries }) => this.make(view, entries)));
    this.isEmpty = !this.upcoming.length;
    return true;
  }

  /** Leave out what is here, or was answered, since the screens were requested. */
  leaveOutKnown(screens) {
    const { skipped, nLabels } = this.page.queue;
    const number = ({ row, column }) => row * nLabels + column;
    const known = new Set([...skipped, ...[this.screen, ...this.upcoming].flatMap((each) => each?.entries.map(number) ?? [])]);
    return this.leaveOut(screens.map((entries) => ({ entries: entries.filter((each) => !known.has(number(each))) })));
  }

  /** Return screens without the entries that were answered. */
  leaveOut(screens) {
    const left = screens.map((each) => ({ ...each, entries: each.entries.filter((entry) => !this.page.queue.has(entry)) }));
    return left.filter(({ entries }) => entries.length);
  }

  /** Return a screen. The value of an entry is the filled one, unless the question is asked without it. */
  make(view, questions, facts = {}, items = this.items) {
    const entries = questions.map((each) => {
      const item = items.get(each.row);
      const proposal = view === "item" && WITHOUT_PROPOSAL.includes(each.why) ? undefined : readValue(item.states[each.column]);
      return { ...each, item, proposal, value: proposal };
    });
    return { view, entries, ...facts };
  }

  advance() {
    this.screen = null;
    if (this.view === "cell") {
      this.leave();
      return this.page.advance();
    }
    this.upcoming = this.leaveOut(this.upcoming); // an item that was opened, or an answer that was repeated
    this.screen = this.upcoming.shift() ?? null;
    if (this.upcoming.length < LOW[this.view]) this.refill().catch(() => {});
    this.show();
  }

  hide() {
    document.body.dataset.view = "cell";
    byId("chips").hidden = byId("wall").hidden = byId("accept").hidden = true;
    byId("item").hidden = false;
    for (const id of ["yes", "no", "unsure"]) byId(id).hidden = false;
  }

  show() {
    const { screen, page } = this;
    const view = screen?.view ?? this.view;
    delete document.body.dataset.question;
    document.body.dataset.view = view;
    for (const id of ["yes", "no", "unsure"]) byId(id).hidden = true;
    byId("accept").hidden = false;
    byId("accept").disabled = byId("skip").disabled = !screen;
    byId("item").hidden = view === "wall";
    byId("wall").hidden = view !== "wall";
    byId("chips").hidden = view !== "item";
    page.map.follow(screen && { row: screen.entries[0].row, column: screen.entries[0].column });
    if (!screen) return this.showNothing();
    this.since = performance.now();
    const { entries } = screen;
    const toggle = (place) => this.toggle(place);
    if (view === "wall") {
      byId("asked").textContent = `${page.labels[entries[0].column]}?`;
      showWall(byId("wall"), entries, toggle);
    } else {
      byId("asked").textContent = entries[0].item.item;
      showItem(byId("item"), entries[0].item);
      byId("item").scrollTop = 0;
      showChips(byId("chips"), entries, page.labels, toggle);
    }
    byId("asked").classList.add("long");
    byId("block").textContent = view === "wall"
      ? `${plural(entries.length, "item")} filled with ${WORDS[entries[0].proposal]}: choose the exceptions`
      : `${plural(entries.length, "label")}: change what is wrong`;
    byId("live").textContent = `${byId("asked").textContent} ${byId("block").textContent}`;
    this.showAccept();
    document.body.dataset.question = `${view} ${entries[0].row} ${entries[0].column}`;
  }

  showNothing() {
    for (const id of ["asked", "block", "item", "chips", "wall"]) byId(id).textContent = "";
    const text = this.isEmpty === undefined ? "Loading."
      : !this.page.progress.fit ? "A wall shows filled values: it needs the first fit."
      : "This queue has no more questions. Choose another queue (N), or write the files (W).";
    byId(this.view === "wall" ? "wall" : "item").textContent = byId("live").textContent = text;
    this.showAccept();
  }

  showAccept() {
    const values = (this.screen?.entries ?? []).map((each) => each.value);
    const parts = [1, 0, null].map((value) => [values.filter((each) => each === value).length, WORDS[value]]);
    const text = parts.filter(([number]) => number).map(([number, word]) => `${count(number)} ${word}`).join(", ");
    byId("accept-text").textContent = text ? `Accept: ${text}` : "Accept";
  }

  /** Change the value of an entry: as proposed, the other one, not sure. */
  toggle(place) {
    this.page.act(() => this.#toggle(this.screen?.entries[place]));
  }

  #toggle(entry) {
    if (!entry) return;
    entry.value = nextValue(entry);
    markValue(entry);
    this.showAccept();
    byId("live").textContent = `${this.page.labels[entry.column]}: ${WORDS[entry.value] ?? "open"}`;
  }

  /** Take a number. Return whether a key is no action: a number, or a key that presses the button with the focus. */
  takeKey(event) {
    const isTile = event.target.matches(".choice, .tile");
    if (event.key === " " && isTile) return true;
    if (event.key === "Enter") return !this.screen || (!isTile && event.target.matches("a, button"));
    if (!this.screen || !/^[0-9]$/.test(event.key)) return false;
    if (event.key === "0") this.fillBlank();
    else if (!event.repeat) this.toggle(Number(event.key) - 1);
    event.preventDefault();
    return true;
  }

  /** Set all labels without a value to "no". */
  fillBlank() {
    this.page.act(() => this.#fillBlank());
  }

  #fillBlank() {
    for (const entry of this.screen?.entries ?? []) {
      if (entry.value === undefined) [entry.value] = [0, markValue({ ...entry, value: 0 })];
    }
    this.showAccept();
  }

  /** Answer all entries of the screen at once. */
  accept() {
    return this.page.act(() => this.#accept());
  }

  #accept() {
    const { screen, page } = this;
    if (!screen) return;
    const known = screen.entries.filter((each) => each.value !== undefined);
    const isOpen = (each) => each.item.states[each.column] < 3;
    const sent = known.filter((each) => !screen.isOpened || isOpen(each) || each.value !== each.proposal);
    if (known.length < screen.entries.length && page.progress.fit && !screen.isOpened) {
      return notify("One label is asked without a proposal: answer it first.");
    }
    if (!sent.length) return screen.isOpened ? this.advance() : notify("No label has a value: press its number, or 0 for no.");
    const key = `${screen.view}-${makeKey()}`;
    const ms = Math.round((performance.now() - this.since) / sent.length);
    const answers = sent.map(({ row, column, item, why, value, proposal }) => ({
      row, column, item: item.id, label: page.labels[column], value, why, shown: proposal !== undefined, screen: key, ms,
    }));
    const { answered, nLabels } = page.queue;
    for (const each of sent) answered.add(each.row * nLabels + each.column);
    const saved = Promise.all(page.outbox.sendAll(answers));
    saved.then((all) => all.every(Boolean) || this.rejected(sent));
    for (const each of sent) {
      each.item.states[each.column] = CODES[each.value];
      page.entryAnswered(each.row, each.column, CODES[each.value]);
    }
    const changed = sent.find((each) => each.value !== each.proposal) ?? sent[0];
    page.describeAnswer(changed, changed.item, changed.value);
    this.advance();
  }

  /** The server did not accept every answer: what the table holds is shown again. */
  rejected(sent) {
    for (const each of sent) this.page.queue.answered.delete(each.row * this.page.queue.nLabels + each.column);
    this.page.updates.valuesChanged(this.page.progress);
  }

  skip() {
    const { skipped, nLabels } = this.page.queue;
    for (const each of this.screen?.entries ?? []) skipped.push(each.row * nLabels + each.column);
    this.advance();
  }

  /** Show all labels of an item, answered or not, as the person asks for it. */
  async open(row) {
    const { items: [item] } = await get(`/api/items?rows=${row}`);
    this.items.set(row, item);
    const doubt = (column) => (item.p?.[column] == null ? 0 : Math.abs(item.p[column] - 0.5));
    const columns = item.states.map((_, column) => column);
    columns.sort((a, b) => (item.states[a] > 2) - (item.states[b] > 2) || doubt(a) - doubt(b));
    this.putBack();
    this.screen = this.make("item", columns.map((column) => ({ row, column, why: "answer" })), { isOpened: true });
    this.show();
  }

  /** Show again what was taken back. */
  async again(entries) {
    const items = new Map();
    await this.page.queue.load(entries, items);
    this.putBack();
    this.screen = this.make(entries[0].screen.split("-")[0], entries, {}, items);
    this.show();
  }

  putBack() {
    if (this.screen && !this.screen.isOpened) this.upcoming.unshift(this.screen);
    this.page.queue.putCurrentBack();
    this.page.question = null;
  }
}

/** Return the value of a state: 1, 0, null for "not sure", undefined if there is none. */
const readValue = (state) => (state === 0 ? undefined : state === 7 ? null : Number(state % 2 === 0));
