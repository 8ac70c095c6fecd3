// Words about a question: how many more there are, why it is asked, and what is known.

import { plural } from "/static/dom.js";

export const WORDS = { 1: "yes", 0: "no", null: "not sure" };
export const CODES = { 1: 6, 0: 5, null: 7 };

/** The line next to the question. */
export function describeBlock(question, item, queue, { progress, session }) {
  const inBlock = queue.upcoming.findIndex((each) => each.column !== question.column);
  const left = inBlock < 0 ? queue.upcoming.length : inBlock;
  const parts = left ? [`${plural(left, "more question")} about this label`] : [];
  const reason = describeReason(question, item, queue, progress);
  if (reason) parts.push(reason);
  const p = item.p?.[question.column] ?? null;
  if (session.show_p && p !== null && !["random", "audit", "sample"].includes(question.why)) {
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
export function describeItem(item) {
  return item.cells.map((cell) => (cell.kind === "text" ? cell.text : `${cell.kind} ${cell.column}`)).join(", ").slice(0, 300);
}

/** What is known of an item that has no open label. */
export function describeKnown(item, labels) {
  const known = item.states.map((state, j) => `${labels[j]} ${state === 7 ? WORDS[null] : state % 2 ? "no" : "yes"}`);
  return `${item.item}: no label is open (${known.slice(0, 12).join(", ")}).`;
}
