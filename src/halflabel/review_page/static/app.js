// The page: one screen after the other. It is the same for a review and for a finish.

import { Screens, describe, findOpen, isSingle, readValue, WORDS } from "/static/screens.js";
import { byId, guard, make, notify, plural } from "/static/dom.js";
import { playSound } from "/static/item.js";
import { More } from "/static/more.js";
import { Outbox } from "/static/outbox.js";
import { markValue, nextValue, showAccept, showScreen, showNone } from "/static/show.js";
import { showBound, showFitting, showState, showVerdict } from "/static/state.js";
import { connect, get, getNewest, makeKey, noteTable, post } from "/static/transport.js";
import { Why } from "/static/why.js";

const CHANGED = "The screen has changed before the key acted. Press it again.";
const CODES = { 1: 6, 0: 5, null: 7 };
const NAMES = { " ": "Space" };
const BUTTONS = { yes: "j", no: "f", unsure: "k", skip: " ", undo: "u", accept: "Enter", view: "v", why: "x", more: "m", write: "w" };
const ANSWERS_PER_PANEL = 5;

class Page {
  constructor(session) {
    this.session = this.progress = session;
    this.isFinish = "confidence" in session;
    this.labels = session.labels;
    this.screen = null;
    this.chain = Promise.resolve();
    this.undoing = 0;
    this.isConnected = true;
    this.running = session.has_fit ? null : ["starting", 0, 0];
    this.outbox = new Outbox((progress, waiting, error) => this.saved(progress, waiting, error));
    this.screens = new Screens(session.labels.length, session.kind ?? "uncertain", () => this.arrived());
    this.why = new Why();
    this.more = new More(this);
  }

  start() {
    const { title, notes, has_walls, table } = this.session;
    document.title = `${title} – halflabel`;
    byId("notes").textContent = notes.slice(0, 3).join(" ");
    byId("view").hidden = !has_walls;
    this.bindKeys();
    addEventListener("table-changed", () => this.tableChanged());
    addEventListener("beforeunload", (event) => this.outbox.waiting.length && event.preventDefault());
    const left = this.outbox.adopt(table);
    if (left) notify(`${plural(left, "answer")} of a page that was closed ${left === 1 ? "is" : "are"} sent now.`);
    this.show();
    this.take(this.progress);
    connect((kind, content) => this.receive(kind, content));
    this.screens.refill().catch((error) => notify(error.message, "error"));
    this.showPanel();
  }

  // -- keys ------------------------------------------------------------------------------

  bindKeys() {
    this.actions = {
      j: ["yes", () => this.answer(1)],
      f: ["no", () => this.answer(0)],
      k: ["not sure", () => this.answer(null)],
      " ": ["skip", () => this.act(() => this.#skip())],
      u: ["take the last answer back", () => this.undo()],
      "1 to 9": ["the value of a label, or of an item of a wall", () => {}],
      Enter: ["accept all values on the screen", () => this.act(() => this.#accept())],
      v: ["a wall of items with the same value, and back", () => this.toggleView()],
      x: ["why the last answered value has its probability", () => this.explain()],
      p: ["play or pause the sound", () => playSound(document.activeElement.closest("#wall li") ?? byId(byId("wall").hidden ? "item" : "wall"))],
      m: ["numbers, queue, label, search, files", () => this.more.open()],
      w: ["write the files", () => this.write()],
    };
    for (const action of Object.values(this.actions)) action[1] = guard(action[1]);
    for (const [id, key] of Object.entries(BUTTONS)) byId(id).onclick = this.actions[key][1];
    byId("keys").replaceChildren(...Object.entries(this.actions).flatMap(([key, [text]]) =>
      [make("dt", {}, make("kbd", { textContent: NAMES[key] ?? (key.length > 1 ? key : key.toUpperCase()) })), make("dd", { textContent: text })]));
    addEventListener("keydown", (event) => this.press(event));
  }

  press(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || document.querySelector("dialog[open]")) return;
    const { target, key } = event;
    if (target.matches("select, input, textarea")) return;
    const isTile = target.matches(".choice, .tile");
    if (key === " " && (isTile || target.matches("audio"))) return; // it chooses, or plays
    if (key === "Enter" && !isTile && target.matches("a, button, summary")) return;
    if (/^[1-9]$/.test(key)) {
      if (!event.repeat) this.toggle(Number(key) - 1);
      return;
    }
    const action = this.actions[key.length > 1 ? key : key.toLowerCase()];
    if (!action || event.repeat) return;
    if (target.matches("button") && key === " ") target.blur();
    event.preventDefault();
    action[1]();
  }

  /** Act after the keys before, and only about what is on the screen now: an undo may be on its way. */
  act(run) {
    const { screen } = this;
    this.chain = this.chain.then(() => (this.screen === screen ? run() : notify(CHANGED))).catch((error) => notify(error.message, "error"));
    return this.chain;
  }

  // -- screens -----------------------------------------------------------------------------

  /** Show the next screen. */
  advance() {
    this.screen = this.progress.done ? null : this.screens.next();
    this.show();
  }

  /** Show no screen until another one is there, so that no key answers one that is no longer asked. */
  drop() {
    this.screen = this.screens.current = null;
    this.show();
  }

  show() {
    byId("undo").disabled = !this.progress.undo;
    if (!this.screen) return showNone(this);
    showScreen(this, (place) => this.toggle(place));
    this.since = performance.now();
  }

  arrived() {
    if (!this.screen) this.advance();
  }

  answer(value) {
    const pressed = performance.now();
    this.act(() => {
      if (!this.screen) return;
      const entry = isSingle(this.screen) ? this.screen.entries[0] : findOpen(this.screen);
      if (!entry) return;
      entry.value = value;
      if (isSingle(this.screen)) this.#send(this.screen.entries, pressed);
      else this.#mark(entry);
    });
  }

  #accept() {
    const { screen } = this;
    if (!screen || isSingle(screen)) return;
    const open = findOpen(screen);
    if (open) return void notify(`Answer “${this.labels[open.column]}” first.`);
    const known = screen.entries.filter((each) => each.value !== undefined);
    const sent = known.filter((each) => !screen.isOpened || each.item.states[each.column] < 3 || each.value !== each.proposal);
    if (sent.length) this.#send(sent, performance.now(), `${screen.view}-${makeKey()}`);
    else this.advance();
  }

  /** Send the values of entries, and show the next screen at once. */
  #send(entries, pressed, screen) {
    const ms = Math.round((pressed - this.since) / entries.length);
    const answers = entries.map(({ row, column, item, why, value, proposal }) => ({
      row, column, item: item.id, label: this.labels[column], value, why, ms, shown: !isSingle(this.screen) && proposal !== undefined, ...(screen ? { screen } : {}),
    }));
    const before = entries.map((each) => each.item.states[each.column]);
    this.screens.answered(entries, true);
    for (const each of entries) each.item.states[each.column] = CODES[each.value];
    Promise.all(this.outbox.sendAll(answers)).then((saved) => saved.every(Boolean) || this.#rejected(entries.filter((_, k) => !saved[k]), before));
    const shown = entries.find((each) => each.value !== each.proposal) ?? entries[0];
    byId("last").textContent = describe(shown, this.labels, this.isFinish);
    this.why.offer(this.isFinish || !this.progress.has_fit ? null : { row: shown.row, item: shown.item.id, label: this.labels[shown.column] });
    this.advance();
    performance.measure("answer", { start: pressed, end: performance.now() });
  }

  /** The server did not accept some answers: they are asked again. */
  #rejected(entries, before) {
    entries.forEach((each, k) => (each.item.states[each.column] = before[k]));
    this.screens.answered(entries, false);
    this.screens.upcoming.unshift({ view: "item", entries: entries.map((each) => ({ ...each, value: each.proposal })) });
    this.arrived();
  }

  #skip() {
    if (!this.screen || this.isFinish) return;
    this.screens.skip(this.screen);
    this.advance();
  }

  /** Change the value of an entry: as proposed, the other one, not sure. */
  toggle(place) {
    this.act(() => {
      const entry = this.screen && !isSingle(this.screen) && this.screen.entries[place];
      if (!entry) return;
      entry.value = nextValue(entry);
      this.#mark(entry);
    });
  }

  #mark(entry) {
    markValue(entry);
    showAccept(this.screen, this.labels);
    byId("live").textContent = `${this.screen.view === "wall" ? entry.item.item : this.labels[entry.column]}: ${WORDS[entry.value] ?? "open"}`;
  }

  /** Take the last answer or screen back, after the keys before, and ask it again. */
  undo() {
    this.undoing += 1;
    byId("undo").ariaBusy = "true";
    this.chain = this.chain.then(() => this.#undo()).catch((error) => notify(error.message, "error"));
    this.chain = this.chain.then(() => (byId("undo").ariaBusy = String(--this.undoing > 0)));
  }

  async #undo() {
    await this.outbox.flush();
    const { entries: last, ...progress } = await post("/api/undo", { key: makeKey() });
    const entries = last.reverse(); // the last one was first
    this.take(progress);
    if (!entries.length) return;
    this.why.offer(null);
    notify("Taken back.");
    byId("last").textContent = "";
    this.screens.answered(entries, false);
    this.screen = this.screens.current = await this.screens.make(entries[0].screen?.startsWith("wall") ? "wall" : "item", entries);
    this.show();
  }

  /** Ask about another part: a queue, a label or a view. */
  async change(part) {
    document.activeElement.blur(); // Enter accepts the screen
    Object.assign(this.screens, part);
    byId("view").ariaPressed = String(this.screens.view === "wall");
    this.screens.forget(this.outbox.waiting.map(({ answer }) => answer)); // the server has the other answers
    this.drop();
    await this.screens.renew();
    if (!this.screen) this.advance();
  }

  toggleView() {
    if (!this.session.has_walls) return undefined;
    return this.change({ view: this.screens.view === "wall" ? "item" : "wall" });
  }

  /** Show all labels of an item, answered or not. A key that is pressed before they are there is not about them. */
  open(row) {
    if (!this.isFinish) this.chain = this.chain.then(() => this.#open(row)).catch((error) => notify(error.message, "error"));
    return this.chain;
  }

  async #open(row) {
    const { items: [item] } = await get(`/api/items?rows=${row}`);
    const doubt = (column) => (item.p?.[column] == null ? 0 : Math.abs(item.p[column] - 0.5));
    const columns = item.states.map((_, column) => column);
    columns.sort((a, b) => (item.states[a] > 2) - (item.states[b] > 2) || doubt(a) - doubt(b));
    this.screens.putBack();
    const entries = columns.map((column) => ({ row, column, why: "answer", item, proposal: readValue(item.states[column]), value: readValue(item.states[column]) }));
    this.screen = { view: "item", isOpened: true, entries };
    this.show();
  }

  async explain() {
    await this.chain;
    await this.outbox.flush();
    await this.why.ask();
  }

  async write() {
    await this.outbox.flush();
    notify(`Writing ${plural(this.progress.answers, "answer")} and the table.`);
    await post("/api/write", {});
  }

  // -- the state of the server -----------------------------------------------------------

  receive(kind, content) {
    if (kind === "progress") this.running = content;
    else if (kind === "begun") this.running ??= ["fitting", 0, 0];
    else if (kind === "idle") this.running = null;
    else if (kind === "explained") this.why.arrived().catch((error) => notify(error.message, "error"));
    else if (kind === "fit") this.refresh(kind).then(() => this.renew()).catch(() => {});
    else if (["failed", "written"].includes(kind)) this.refresh(kind).catch(() => {}); // "connected" repeats it
    else if (kind === "connected" || kind === "disconnected") this.connectionChanged(kind === "connected");
    showFitting(this.running);
  }

  connectionChanged(isConnected) {
    if (isConnected && !this.isConnected) this.running = null; // what ran may have ended with the command
    this.isConnected = isConnected;
    if (isConnected) this.refresh("connected").catch(() => {});
    showState(this);
  }

  async refresh(kind) {
    const progress = await get("/api/progress");
    this.take(progress);
    if (kind === "failed") notify(progress.failure, "error");
    if (kind === "written") notify(`Written: ${progress.written.join(", ")}`);
    if (kind === "connected" && !this.screen) await this.screens.refill();
  }

  /** Values have changed on the server: the screens to come and the numbers follow. */
  async renew() {
    await this.screens.renew();
    if (!this.screen) this.advance();
    this.showPanel();
  }

  /** Take a state of the server, unless it is older than the one that is shown. */
  take(progress) {
    if (progress.at < this.progress.at) return;
    noteTable(progress.table);
    const [before, wasDone] = [this.progress.answers, this.progress.done];
    this.progress = progress;
    showState(this);
    if (this.isFinish) showBound(this);
    if (Math.floor(before / ANSWERS_PER_PANEL) !== Math.floor(progress.answers / ANSWERS_PER_PANEL)) this.showPanel();
    if (progress.done) this.drop();
    if (progress.done && wasDone === false) this.write().catch((error) => notify(error.message, "error"));
    if (!this.screen) showNone(this);
  }

  saved(progress, waiting, error) {
    if (progress) this.take(progress);
    showState(this); // the state may be older than the one that is shown, but fewer answers wait
    if (error?.status) notify(error.message, "error");
    if (progress && !waiting && !this.screen) this.screens.refill().catch(() => {}); // a finish asks more after each answer
  }

  async showPanel() {
    const panel = await getNewest("/api/panel").catch(() => null); // the next answer asks again
    if (!panel) return;
    this.panel = panel;
    showVerdict(this);
    this.more.show();
  }

  /** Rows and columns of this page mean other entries now: it ends, and no answer of it is kept. */
  tableChanged() {
    const dialog = byId("table-dialog");
    if (dialog.open) return;
    this.drop();
    const lost = this.outbox.drop();
    byId("table-lost").textContent = lost ? `${plural(lost, "answer")} that had not been saved ${lost === 1 ? "is" : "are"} not kept.` : "";
    byId("table-reload").onclick = () => location.reload();
    dialog.oncancel = (event) => event.preventDefault();
    for (const other of document.querySelectorAll("dialog[open]")) other.close();
    dialog.showModal();
  }
}

try {
  const session = await get("/api/session");
  noteTable(session.table);
  new Page(session).start();
} catch (error) {
  notify(error.message, "error");
}
