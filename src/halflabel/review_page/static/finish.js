// The page in finish mode: one question after the other, and one bar, the bound against its limit.

import { byId, count, notify, plural } from "/static/dom.js";
import { playSound, showItem } from "/static/item.js";
import { bindActions } from "/static/keys.js";
import { Outbox } from "/static/outbox.js";
import { connect, get, getNewest, makeKey, noteTable, post } from "/static/transport.js";

const WORDS = { 1: "yes", 0: "no", null: "not sure" };
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
    this.take(await getNewest("/api/progress", () => this.progress));
    if (this.progress.failure) notify(this.progress.failure, "error");
  }

  saved(progress, waiting, error) {
    if (progress) this.take(progress);
    byId("saved").textContent = waiting
      ? `${plural(waiting, "answer")} not yet on the disk`
      : `${plural(this.progress.answers, "answer")}, saved`;
    if (error?.status) notify(error.message, "error");
  }

  take(progress) {
    const { done, table } = progress;
    noteTable(table);
    const isNews = done && this.progress.done === false;
    this.progress = progress;
    if (!this.outbox.waiting.length) this.answered.clear();
    this.showBound();
    byId("undo").disabled = !progress.undo;
    byId("saved").textContent ||= `${plural(progress.answers, "answer")}, saved`;
    this.show();
    if (isNews) this.write().catch((error) => notify(error.message, "error"));
  }

  showBound() {
    const { bound, entries, left, done, is_ready, is_free } = this.progress;
    if (!is_ready) return;
    const { max_error } = this.session;
    document.body.classList.toggle("done", done);
    byId("bound").textContent =
      is_free && !done ? "Uncertain entries first: no bound yet" : `At most ${percent(bound)} of ${count(entries)} entries are wrong`;
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

  async show() {
    const question = this.progress.questions.find((each) => !this.answered.has(nameEntry(each)));
    this.question = null;
    for (const id of ["yes", "no", "unsure"]) byId(id).disabled = true;
    if (!question) return this.showNone();
    const item = await this.load(question.row);
    if (question !== this.progress.questions.find((each) => !this.answered.has(nameEntry(each)))) return;
    this.question = question;
    for (const id of ["yes", "no", "unsure"]) byId(id).disabled = false;
    byId("asked").textContent = `${question.label}?`;
    byId("asked").classList.toggle("long", question.label.length > LONG);
    byId("reason").textContent = question.random ? "a random entry" : "an uncertain entry";
    byId("live").textContent = `${question.label}? ${item.item}`;
    showItem(byId("item"), item, this.session.labels, question.column);
    document.body.dataset.question = nameEntry(question);
  }

  showNone() {
    delete document.body.dataset.question;
    const { done, waits, is_ready, sentence } = this.progress;
    byId("asked").textContent = done ? "Done" : "";
    byId("reason").textContent = "";
    byId("live").textContent = byId("item").textContent = done
      ? `${sentence} The files are written when this is reached. "Write files" writes them again.`
      : this.answered.size
        ? "The answers are written."
        : waits || !is_ready
        ? "A fit learns from all answers. The next question follows."
        : "All entries are answered.";
  }

  /** Return an item, and ask for those of the next questions together with it. */
  async load(row) {
    if (!this.items.has(row)) {
      const rows = [...new Set(this.progress.questions.map((each) => each.row))].filter((each) => !this.items.has(each));
      const { items } = await get(`/api/items?rows=${rows.join(",")}`);
      items.forEach((item) => this.items.set(item.row, item));
    }
    return this.items.get(row);
  }

  async answer(value) {
    const { question } = this;
    if (!question) return;
    const { row, column, item, label } = question;
    this.answered.add(nameEntry(question));
    this.items.delete(row); // its known labels change
    byId("last").textContent = `${item}, ${label}: ${WORDS[value]}.`;
    const isSaved = this.outbox.send({ row, column, item, label, value });
    this.show();
    if (!(await isSaved)) await this.refresh();
  }

  async undo() {
    await this.outbox.flush();
    this.items.clear();
    this.take(await post("/api/undo", { key: makeKey() }));
    byId("last").textContent = "Taken back.";
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
