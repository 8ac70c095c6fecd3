// The page: one question after the other, with map, queue and progress around it.

import { Audit } from "/static/audit.js";
import { byId, fillSelect, notify, plural } from "/static/dom.js";
import { endExample, showExample } from "/static/example.js";
import { bindKeys } from "/static/keys.js";
import { ItemList } from "/static/list.js";
import { MapPanel } from "/static/map-panel.js";
import { Notes } from "/static/notes.js";
import { Outbox } from "/static/outbox.js";
import * as panel from "/static/panel.js";
import { CODES, WORDS, showNoQuestion, showQuestion } from "/static/question.js";
import { Queue } from "/static/queue.js";
import { Screens } from "/static/screens.js";
import { bytes, connect, get, noteTable } from "/static/transport.js";
import { Undo } from "/static/undo.js";
import { Updates } from "/static/updates.js";
import { Why } from "/static/why.js";
import { Zoom } from "/static/zoom.js";

const CHANGED = "The screen has changed before the key acted. Press it again.";

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
    this.isConnected = true;
    this.updates = new Updates(this);
    this.undo = new Undo(this);
    const actions = {
      onOpen: (row) => this.openItem(row),
      onAsk: (rows, selected) => this.askAbout(rows, selected),
      onLabel: (label) => this.list.showLabel(label),
    };
    this.list = new ItemList(session.labels, session.columns, actions);
    this.map = new MapPanel(session.labels, actions);
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

  /** What a key is about: the question, or the screen of several entries. */
  get shown() {
    return this.screens.isOn ? this.screens.screen : this.item && this.question;
  }

  /** Act after the keys before, and only about what is on the screen now: an undo may be on its way. */
  act(run) {
    const { shown } = this;
    this.chain = this.chain.then(() => (this.shown === shown ? run() : notify(CHANGED))).catch((error) => notify(error.message, "error"));
    return this.chain;
  }

  answer(value) {
    const pressed = performance.now();
    this.act(() => this.#answer(value, pressed));
  }

  #answer(value, pressed) {
    const { question, item } = this;
    if (this.screens.isOn || !this.shown) return;
    const shown = this.session.show_p && !question.why.startsWith("random") && question.why !== "audit";
    const names = { item: item.id, label: this.labels[question.column] };
    const sent = { row: question.row, column: question.column, ...names, value, why: question.why, shown };
    const before = item.states[question.column];
    this.queue.answered.add(this.queue.number(question));
    const saved = this.outbox.send({ ...sent, ms: Math.round(pressed - this.since) });
    saved.then((isSaved) => isSaved || this.askAgain(question, item, before));
    item.states[question.column] = CODES[value];
    this.entryAnswered(question.row, question.column, CODES[value]);
    this.describeAnswer(question, item, value);
    this.advance();
    performance.measure("answer", { start: pressed, end: performance.now() });
  }

  /** The server did not accept an answer. */
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
    await this.chain;
    await this.outbox.flush();
    await this.why.ask();
  }

  skip() {
    this.act(() => this.#skip());
  }

  #skip() {
    if (this.screens.isOn) return this.screens.skip();
    if (!this.shown || this.progress.audit) return;
    this.queue.skip(this.question);
    this.advance();
  }

  /** Rows and columns of this page mean other entries now: it ends, and no answer of it is kept. */
  tableChanged() {
    this.drop();
    panel.showTableChanged(this.outbox.drop());
  }

  // -- queues --------------------------------------------------------------------------

  async changeQueue(change) {
    Object.assign(this.queue, change, { isEmpty: false });
    byId("kind").value = this.queue.kind;
    byId("only").value = this.queue.label ?? "";
    this.queue.answered = new Set(this.outbox.waiting.map(({ answer }) => this.queue.number(answer))); // the server has the others
    this.drop();
    await this.resetQueues();
    if (!this.question) this.advance();
  }

  /** Ask for what the chosen queue holds now. */
  async resetQueues() {
    if (this.screens.view !== "cell") return this.screens.reset();
    await this.queue.reset();
  }

  /** Ask about some items only, which are perhaps selected on the map, or about all again. */
  askAbout(rows, selected = null) {
    this.map.showSelection(selected);
    if (this.screens.view === "cell") this.screens.leave(); // an item that was opened
    byId("all-items").hidden = !rows;
    byId("all-items").textContent = rows ? `Only ${plural(rows.length, "item")}: ask about all again` : "";
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

  toggleLasso() {
    if (this.progress.audit) return;
    if (this.list.isOpen) this.list.toggle(false);
    this.map.toggleLasso();
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
    this.queue.skipped = []; // an audit asks about all of its entries
    byId("all-items").hidden = true;
    this.map.showSelection(null);
    await this.screens.setView("cell", { kind: "uncertain", label: null, rows: null });
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
