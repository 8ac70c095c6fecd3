// The question on the screen: how many more there are, why it is asked, and what is known.

import { breakable, byId, plural } from "/static/dom.js";
import { showItem } from "/static/item.js";

const LONG = 30; // length of a label that is written in smaller letters

export const WORDS = { 1: "yes", 0: "no", null: "not sure" };
export const CODES = { 1: 6, 0: 5, null: 7 };

export function showQuestion(question, item, page) {
  const label = page.labels[question.column];
  byId("asked").replaceChildren(...breakable(`${label}?`));
  byId("asked").classList.toggle("long", label.length > LONG);
  byId("block").textContent = describeBlock(question, item, page.queue, page);
  byId("live").textContent = `${label}? ${item.item}. ${describeItem(item)}`;
  showItem(byId("item"), item, page.labels, question.column);
  byId("item").scrollTop = 0;
}

export function showNoQuestion(queue, audit) {
  byId("asked").textContent = "";
  byId("block").textContent = "";
  byId("live").textContent = byId("item").textContent = !queue.isEmpty
    ? "Loading questions."
    : audit
      ? "All answers of the audit are there."
      : "This queue is empty. Choose another one (N), or write the files (W).";
}

/** The line next to the question. */
function describeBlock(question, item, queue, { progress, session }) {
  const inBlock = queue.upcoming.findIndex((each) => each.column !== question.column);
  const left = inBlock < 0 ? queue.upcoming.length : inBlock;
  const parts = left ? [`${plural(left, "more question")} about this label`] : [];
  const reason = describeReason(question, item, queue, progress);
  if (reason) parts.push(reason);
  const p = item.p?.[question.column] ?? null;
  if (session.show_p && p !== null && !["random", "random of a part", "audit"].includes(question.why)) {
    parts.push(`p ${p.toFixed(2)}`);
  }
  return parts.join("; ");
}

function describeReason({ why, column }, item, queue, progress) {
  const state = item.states[column];
  const value = state % 2 === 0 ? "yes" : "no";
  if (why === "suspects") return `given: ${value}, in doubt`;
  if (why === "disagreement" && [5, 6].includes(state)) return `your answer: ${value}, in doubt`;
  if (why !== "random") return "";
  if (!progress.fit) return "random questions until the first fit";
  return queue.kind === "random" ? "" : "a random question";
}

/** The beginning of an item, for a screen reader. */
function describeItem(item) {
  return item.cells.map((cell) => (cell.kind === "text" ? cell.text : `${cell.kind} ${cell.column}`)).join(", ").slice(0, 300);
}
