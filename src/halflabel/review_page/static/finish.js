// The page in finish mode: one question after the other, and one bar, the bound against its limit.

import { breakable, byId, count, notify, plural } from "/static/dom.js";
import { playSound, showItem } from "/static/item.js";
import { bindActions } from "/static/keys.js";
import { Outbox } from "/static/outbox.js";
import { CODES, WORDS } from "/static/question.js";
import { connect, get, makeKey, noteTable, post } from "/static/transport.js";

const CHANGED = "The question has changed before the key acted. Press it again.";
const LONG = 30; // length of a label that is written in smaller letters
const WIDTH = 4; // the whole bar is this number of times the limit
const BUTTONS = { yes: "j", no: "f", unsure: "k", undo: "u", write: "w", help: "?" };

/** Write a share that is an upper bound: rounded up. */
const percent = (share) => `${(Math.ceil(1000 * share - 1e-9) / 10).toFixed(1)} %`;
const plain = (share) => `${Number((100 * share).toPrecision(6))} %`;
const nameEntry = ({ item, label }) => JSON.stringify([item, label]);

class Finish {
  constructor(session) {
    this.session = this.progress = session;
    this.items = new Map();
    this.answered = new Set(); // on their way to the disk
    this.chain = Promise.resolve();
    this.outbox = new Outbox((progress, waiting, error) => this.saved(progress, waiting, error));
  }

  start() {
    const { title, notes, max_error, confidence } = this.session;
    byId("title").textContent = title;
    document.title = `${title} – halflabel finish`;
    byId("notes").textContent = notes.slice(0, 3).join(" ");
    byId("limit-text").textContent = `at most ${plain(max_error)} (confidence ${plain(confidence)})`;
    byId("end-text").textContent = `${plain(Math.min(WIDTH * max_error, 1))} or more`;
    byId("track").ariaValueMax = WIDTH * max_error;
    byId("table-reload").onclick = () => location.reload();
    addEventListener("table-changed", () => this.tableChanged());
    addEventListener("beforeunload", (event) => this.outbox.waiting.length && event.preventDefault());
    bindActions(this.listActions(), BUTTONS);
    connect((kind, content) => this.receive(kind, content));
    this.take(this.session);
  }

  listActions() {
    return {
      j: { text: "yes", run: () => this.answer(1) },
      f: { text: "no", run: () => this.answer(0) },
      k: { text: "not sure", run: () => this.answer(null) },
      u: { text: "take the last answer back", run: () => this.undo() },
      p: { text: "play or pause the sound", run: () => playSound(byId("item")) },
      w: { text: "write the table as it is now, with its certificate", run: () => this.write() },
      "?": { text: "this list", run: () => this.help() },
    };
  }

  // -- the state -----------------------------------------------------------------------

  receive(kind, content) {
    if (kind === "progress") this.showFit(content);
    else if (kind === "begun") this.showFit(["fitting", 0, 0]);
    else if (kind === "idle") this.showFit(null);
    else if (["fit", "failed", "connected"].includes(kind)) this.refresh().catch(() => {});
    else if (kind === "disconnected") byId("saved").textContent = "The command has ended, or does not respond.";
  }

  async refresh() {
    this.take(await get("/api/progress"));
    if (this.progress.failure) notify(this.progress.failure, "error");
  }

  saved(progress, waiting, error) {
    if (progress) this.take(progress);
    this.showSaved(waiting);
    if (error?.status) notify(error.message, "error");
  }

  showSaved(waiting) {
    byId("saved").textContent = waiting
      ? `${plural(waiting, "answer")} not yet on the disk`
      : `${plural(this.progress.answers, "answer")}, saved`;
  }

  /** Take a state of the server, unless it is older than the one that is shown. */
  take(progress) {
    const { done, table } = progress;
    noteTable(table);
    if (!this.outbox.waiting.length) this.answered.clear();
    if (progress.at < this.progress.at) return this.show();
    const isNews = done && this.progress.done === false;
    this.progress = progress;
    this.showBound();
    byId("undo").disabled = !progress.undo;
    this.showSaved(this.outbox.waiting.length);
    this.show();
    if (isNews) this.write().catch((error) => notify(error.message, "error"));
  }

  showBound() {
    const { bound, entries, left, done, is_ready, is_stated } = this.progress;
    if (!is_ready) return;
    const { max_error } = this.session;
    document.body.classList.toggle("done", done);
    byId("bound").textContent = is_stated ? `At most ${percent(bound)} of ${count(entries)} entries are wrong` : "No bound yet";
    byId("left").textContent = done ? "Done." : `About ${plural(left, "answer")} to go.`;
    byId("bar").style.width = `${100 * Math.min(bound / (WIDTH * max_error), 1) || 0}%`; // 0 of 0 is an empty bar
    Object.assign(byId("track"), { ariaValueNow: bound, ariaValueText: this.progress.sentence });
  }

  showFit(running) {
    byId("fit").hidden = !running;
    if (!running) return;
    const [stage, done, total] = running;
    byId("fit-text").textContent = stage;
    Object.assign(byId("fit-progress"), total ? { value: done, max: total } : {});
  }

  // -- questions -----------------------------------------------------------------------

  show() {
    const question = this.progress.questions.find((each) => !this.answered.has(nameEntry(each)));
    const item = question && this.items.get(question.row);
    this.question = item ? question : null;
    for (const id of ["yes", "no", "unsure"]) byId(id).disabled = !item;
    this.load().catch((error) => notify(error.message, "error"));
    if (!item) return this.showNone(question);
    byId("asked").replaceChildren(...breakable(`${question.label}?`));
    byId("asked").classList.toggle("long", question.label.length > LONG);
    byId("reason").textContent = question.random ? "a random entry" : "an uncertain entry";
    byId("live").textContent = `${question.label}? ${item.item}`;
    showItem(byId("item"), item, this.session.labels, question.column);
    document.body.dataset.question = nameEntry(question);
  }

  showNone(isLoading) {
    delete document.body.dataset.question;
    const { done, waits, is_ready, sentence } = this.progress;
    byId("asked").textContent = done ? "Done" : "";
    byId("reason").textContent = "";
    byId("live").textContent = byId("item").textContent = isLoading
      ? "Loading questions."
      : done
      ? `${sentence} The files are written when this is reached. "Write files" writes them again.`
      : this.answered.size
        ? "The answers are written."
        : waits || !is_ready
        ? "A fit learns from all answers. The next question follows."
        : "All entries are answered.";
  }

  /** Ask for the items of the next questions, one request at a time. */
  async load() {
    const { items } = this;
    const rows = [...new Set(this.progress.questions.map((each) => each.row))].filter((each) => !items.has(each));
    if (!rows.length || this.loading === items) return;
    this.loading = items;
    try {
      for (const item of (await get(`/api/items?rows=${rows.join(",")}`)).items) items.set(item.row, item);
    } finally {
      if (this.loading === items) this.loading = null;
    }
    if (!this.question) this.show();
  }

  /** Act after the keys before. A key answers only the question that was on the screen: an undo may be on its way. */
  answer(value) {
    const shown = this.question && nameEntry(this.question);
    this.chain = this.chain.then(() => {
      const isShown = shown === (this.question && nameEntry(this.question));
      return isShown ? this.question && this.#answer(value) : notify(CHANGED);
    });
  }

  async #answer(value) {
    const { row, column, item, label } = this.question;
    this.answered.add(nameEntry(this.question));
    this.items.get(row).states[column] = CODES[value];
    byId("last").textContent = `${item}, ${label}: ${WORDS[value]}.`;
    const isSaved = this.outbox.send({ row, column, item, label, value });
    this.show();
    if (await isSaved) return;
    this.items = new Map();
    await this.refresh();
  }

  undo() {
    this.chain = this.chain.then(async () => {
      await this.outbox.flush();
      const state = await post("/api/undo", { key: makeKey() });
      this.items = new Map();
      this.take(state);
      byId("last").textContent = "Taken back.";
    }).catch((error) => notify(error.message, "error"));
  }

  async write() {
    await this.outbox.flush();
    const { written } = await post("/api/write", {});
    notify(`Written: ${written.join(", ")}`);
  }

  async help() {
    const { proposals } = await get("/api/session");
    const lines = proposals.map(({ n, precision }) => `${plural(n, "answer")}: about ${percent(1 - precision)}`);
    byId("proposals").textContent = lines.length
      ? `The bound that random answers alone will most likely give now: ${lines.join("; ")}.`
      : "";
    byId("help-dialog").showModal();
  }

  tableChanged() {
    this.outbox.drop();
    this.progress = { ...this.progress, questions: [] };
    byId("table-dialog").showModal();
  }
}

try {
  const session = await get("/api/session");
  new Finish(session).start();
} catch (error) {
  notify(error.message, "error");
}
