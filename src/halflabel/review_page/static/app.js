// The page: one question after the other, with map, queue and progress around it.

import { Audit } from "/static/audit.js";
import { byId, fillSelect, notify, plural } from "/static/dom.js";
import { endExample, showExample } from "/static/example.js";
import { Guideline } from "/static/guideline.js";
import { bindKeys } from "/static/keys.js";
import { ItemList } from "/static/list.js";
import { MapPanel } from "/static/map-panel.js";
import { Notes } from "/static/notes.js";
import { Outbox } from "/static/outbox.js";
import * as panel from "/static/panel.js";
import { CODES, WORDS, showNoQuestion, showQuestion } from "/static/question.js";
import { Queue } from "/static/queue.js";
import { Screens } from "/static/screens.js";
import { Selection } from "/static/selection.js";
import { bytes, connect, get, makeKey, noteTable, post } from "/static/transport.js";
import { Updates } from "/static/updates.js";
import { Why } from "/static/why.js";
import { Zoom } from "/static/zoom.js";

const PATIENCE = 150; // milliseconds until the next question appears although the disk is slow

class Page {
  constructor(session) {
    this.session = this.progress = session;
    this.labels = session.labels;
    this.question = null;
    this.chain = Promise.resolve();
    this.running = session.fit ? null : ["starting", 0, 0];
    this.outbox = new Outbox((progress, waiting, error) => this.updates.showSaved(progress, waiting, error));
    this.queue = new Queue(session.labels.length, () => this.questionsArrived());
    this.audit = new Audit((progress, op) => this.auditChanged(progress, op), this.outbox);
    this.why = new Why();
    this.screens = new Screens(this);
    this.zoom = new Zoom();
    this.notes = new Notes(this);
    this.guideline = new Guideline(this);
    this.isConnected = true;
    this.updates = new Updates(this);
    const actions = {
      onSelect: (rows, label) => this.openSelection(rows, label),
      onOpen: (row) => this.openItem(row),
      onAsk: (rows) => this.askAbout(rows),
      onLabel: (label) => this.list.showLabel(label),
    };
    this.list = new ItemList(session.labels, session.columns, actions);
    this.map = new MapPanel(session.labels, actions);
    this.selection = new Selection({
      labels: session.labels,
      ask: (questions, done) => this.askOnly(questions, done),
      changed: (progress) => this.updates.valuesChanged(progress),
      closed: () => this.selectionClosed(),
    });
  }

  async start() {
    byId("title").textContent = this.session.title;
    byId("by").textContent = this.session.by;
    document.title = `${this.session.title} – halflabel review`;
    byId("notes").textContent = this.session.notes.slice(0, 3).join(" ");
    fillSelect(byId("only"), [["", "any label"], ...this.labels.map((name, j) => [j, name])]);
    this.bind();
    panel.showFit(this.progress, this.running);
    const left = this.outbox.adopt(this.session.table);
    if (left) notify(`${plural(left, "answer")} of a page that was closed ${left === 1 ? "is" : "are"} sent now.`);
    this.updates.showSaved(this.progress, left, null);
    connect((kind, content) => this.updates.receive(kind, content));
    this.map.loadPoints(early.points);
    this.map.showLabel(0, false, early.label);
    await this.queue.reset();
    this.advance();
    this.updates.showPanel();
    panel.showChanges();
    await showExample(this);
  }

  bind() {
    bindKeys(this);
    byId("show-changes").onclick = () => byId("changes-dialog").showModal();
    byId("kind").onchange = (event) => this.changeQueue({ kind: event.target.value });
    byId("only").onchange = (event) => this.changeQueue({ label: event.target.value === "" ? null : Number(event.target.value) });
    byId("all-items").onclick = () => this.askAbout(null);
    addEventListener("table-changed", () => this.tableChanged());
    addEventListener("beforeunload", (event) => {
      if (this.outbox.waiting.length) event.preventDefault();
    });
  }

  // -- questions -----------------------------------------------------------------------

  /** Show the next question. */
  advance() {
    if (this.screens.isOn) return;
    this.question = this.queue.next();
    this.show();
  }

  /** Show no question until others are there, so that no key answers one that is no longer asked. */
  drop() {
    this.question = null;
    this.show();
  }

  show() {
    if (this.screens.isOn) return;
    const { question } = this;
    const item = question && this.queue.items.get(question.row);
    this.item = item; // the queue drops its items when a fit arrives
    for (const id of ["yes", "no", "unsure", "skip"]) byId(id).disabled = !item;
    panel.showUpcoming(this.queue, this.labels);
    this.map.follow(question);
    this.guideline.show(item ? question.column : null);
    if (!item) {
      delete document.body.dataset.question;
      showNoQuestion(this.queue, this.progress.audit);
      if (question) this.queue.load([question]).then(() => this.question === question && this.show()).catch(() => {});
      return;
    }
    showQuestion(question, item, this);
    this.since = performance.now();
    document.body.dataset.question = this.queue.number(question);
  }

  questionsArrived() {
    if (!this.question) this.advance();
    else panel.showUpcoming(this.queue, this.labels);
  }

  /** Answer the question; one answer at a time, in the order of the keys. */
  answer(value) {
    const pressed = performance.now();
    this.chain = this.chain.then(() => this.#answer(value, pressed)).catch((error) => notify(error.message, "error"));
  }

  async #answer(value, pressed) {
    const { question } = this;
    if (this.selection.isOpen) return notify("Answer or close the selection first (Esc).");
    if (!question) return;
    const { item } = this;
    const shown = this.session.show_p && !question.why.startsWith("random") && question.why !== "audit";
    const names = { item: item.id, label: this.labels[question.column] };
    const sent = { row: question.row, column: question.column, ...names, value, why: question.why, shown };
    const before = item.states[question.column];
    this.queue.answered.add(this.queue.number(question));
    const saved = this.outbox.send({ ...sent, ms: Math.round(pressed - this.since) });
    const isSaved = await Promise.race([saved, new Promise((resolve) => setTimeout(resolve, PATIENCE))]);
    if (isSaved === false) return this.queue.answered.delete(this.queue.number(question)); // it is asked again
    saved.then((isLate) => isLate || this.askAgain(question, item, before));
    item.states[question.column] = CODES[value];
    this.entryAnswered(question.row, question.column, CODES[value]);
    if (question.why === "sample") this.selection.take(this.queue.number(question), value);
    this.describeAnswer(question, item, value);
    this.advance();
    performance.measure("answer", { start: pressed, end: performance.now() });
  }

  /** The server did not accept an answer while the next question was already on the screen. */
  askAgain(question, item, before) {
    item.states[question.column] = before;
    this.entryAnswered(question.row, question.column, before);
    this.queue.putBack(question);
  }

  entryAnswered(row, column, state) {
    this.map.setState(row, column, state);
    this.list.setState(row, column, state);
  }

  describeAnswer(question, item, value) {
    endExample();
    const known = this.progress.audit ? null : (item.p?.[question.column] ?? null);
    const p = known === null ? "" : ` The model's probability was ${known.toFixed(2)}.`;
    byId("last").textContent = `${item.item}, ${this.labels[question.column]}: ${WORDS[value]}.${p}`;
    this.why.offer(this.progress.audit || !this.progress.fit ? null : { row: item.row, item: item.id, label: this.labels[question.column] });
  }

  async explain() {
    await this.outbox.flush();
    await this.why.ask();
  }

  skip() {
    this.chain = this.chain.then(() => this.#skip());
  }

  #skip() {
    if (this.screens.isOn) return this.screens.skip();
    if (!this.question || this.progress.audit) return;
    this.queue.skip(this.question);
    this.advance();
  }

  /** Take the last answer back and ask it again, or repeat what was taken back. */
  reverse(redo) {
    this.chain = this.chain.then(async () => {
      await this.outbox.flush();
      const result = await post("/api/undo", { redo, key: makeKey() });
      this.updates.showSaved(result, 0, null);
      if (!result.entries.length) return;
      this.why.offer(null);
      const [{ row, column, op, why, screen }] = result.entries;
      notify(redo ? "Repeated." : op === "bulk" ? "The answers of the selection are taken back." : "Taken back.");
      this.map.showLabel(this.map.label);
      this.queue.answered.clear();
      if (screen && !redo) return this.screens.again(result.entries);
      if (redo) this.drop(); // it has its answer again
      if (redo || op === "bulk" || this.screens.isOn) return this.resetQueues();
      if (this.question) this.queue.putBack(this.question);
      this.selection.leaveOut(row * this.labels.length + column);
      this.queue.items.delete(row);
      await this.queue.load([{ row, column }]);
      this.question = this.queue.current = { row, column, why };
      this.show();
    }).catch((error) => notify(error.message, "error"));
  }

  async askOnly(questions, done) {
    this.drop();
    scrollTo(0, 0);
    if (this.screens.view === "cell") this.screens.leave();
    else return this.screens.ask(questions, (number, value) => this.selection.take(number, value), done);
    await this.queue.ask(questions, () => {
      this.queue.reset();
      done();
    });
  }

  /** Rows and columns of this page mean other entries now: it ends, and no answer of it is kept. */
  tableChanged() {
    this.drop();
    this.selection.close();
    panel.showTableChanged(this.outbox.drop());
  }

  // -- queues --------------------------------------------------------------------------

  async changeQueue(change) {
    Object.assign(this.queue, change);
    byId("kind").value = this.queue.kind;
    this.queue.fixed = null;
    this.queue.isEmpty = false;
    this.drop();
    this.selection.close();
    await this.resetQueues();
    if (!this.question) this.advance();
  }

  /** Ask for what the chosen queue holds now. */
  async resetQueues() {
    if (this.screens.view !== "cell") return this.screens.reset();
    await this.queue.reset();
  }

  /** Ask about some items only, or about all again. */
  askAbout(rows) {
    byId("all-items").hidden = !rows;
    byId("all-items").textContent = rows ? `Only ${plural(rows.length, "item")} of the list: ask about all again` : "";
    return this.changeQueue({ rows });
  }

  nextQueue() {
    const { kinds } = this.session;
    this.changeQueue({ kind: kinds[(kinds.indexOf(this.queue.kind) + 1) % kinds.length] });
  }

  /** Show all labels of an item, to answer or to correct them. */
  async openItem(row) {
    if (this.progress.audit) return;
    scrollTo(0, 0); // on a phone
    await this.screens.open(row);
  }

  /** Show all labels of the item on the screen, or go back to the question. */
  openCurrent() {
    if (this.screens.screen?.isOpened) return this.screens.advance();
    const row = this.question?.row ?? this.screens.screen?.entries[0].row;
    return row === undefined ? undefined : this.openItem(row);
  }

  /** Select the items like the one on the screen; on a wall, all items with the same filled value. */
  async selectSimilar() {
    const entry = this.question ?? this.screens.screen?.entries[0];
    if (!entry || this.progress.audit) return;
    const { row, column } = entry;
    const states = [this.screens.screen?.entries[0].proposal ? 2 : 1];
    const { bits } = this.screens.screen?.view === "wall"
      ? await post("/api/list", { column, states, bits: true })
      : await post("/api/near", { row, column });
    this.openSelection(bits, column);
  }

  toggleLasso() {
    if (this.progress.audit) return;
    if (this.list.isOpen) this.list.toggle(false);
    this.map.toggleLasso();
  }

  openSelection(rows, label) {
    if (this.progress.audit) return;
    this.selection.open(rows, label).catch((error) => notify(error.message, "error"));
  }

  /** The selection is closed, perhaps in the middle of its random members. */
  selectionClosed() {
    this.map.clearSelection();
    if (this.queue.fixed) this.changeQueue({});
  }

  // -- fits, audit, outputs --------------------------------------------------------------

  openAudit() {
    if (!this.progress.audit) this.audit.open();
  }

  async auditChanged(progress, op) {
    this.drop();
    this.updates.showSaved(progress, 0, null);
    this.map.showLabel(this.map.label);
    if (op === "finish" && progress.certificate) {
      byId("proof").textContent = progress.certificate.sentence;
      byId("certificate-dialog").showModal();
    }
    byId("last").textContent = "";
    this.why.offer(null);
    scrollTo(0, 0);
    this.queue.answered.clear();
    this.queue.skipped = []; // an audit asks about all of its entries
    await this.screens.setView("cell");
    byId("all-items").hidden = true;
    await this.changeQueue({ kind: "uncertain", label: null, rows: null });
    this.updates.showPanel();
  }
}

// Requested before the session is there, so that a large map is painted early.
const early = { points: bytes("/api/points.bin"), label: bytes("/api/label/0.bin") };

try {
  const session = await get("/api/session");
  noteTable(session.table);
  const page = new Page(session);
  await page.start();
} catch (error) {
  notify(error.message, "error");
}
