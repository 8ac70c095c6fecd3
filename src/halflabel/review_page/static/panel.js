// The right side and the top line: queues, what is left, what the last fit changed, certificate, saved state.

import { byId, count, fillSelect, make, plural } from "/static/dom.js";
import { getNewest } from "/static/transport.js";

const KINDS = {
  uncertain: "uncertain",
  suspects: "doubtful given values",
  boundary: "near the threshold",
  rare: "rare labels",
  changed: "changed by the last fit",
  disagreement: "disagreement",
  random: "random",
};
const SHOWN = 8;

/** The queues with their numbers: of uncertain entries, the number of doubtful ones, wrong in at least one of ten cases. */
export function showQueues(queues, doubtful, kind) {
  const number = (key) => (key === "uncertain" && doubtful !== null ? `${count(doubtful)} doubtful` : count(queues[key] ?? 0));
  fillSelect(byId("kind"), Object.entries(KINDS).map(([key, text]) => [key, `${text} (${number(key)})`]));
  byId("kind").value = kind;
}

export function showUpcoming(queue, labels) {
  const next = queue.upcoming.slice(0, SHOWN).map((each) =>
    make("li", {}, make("span", { className: "name", textContent: queue.items.get(each.row)?.item ?? each.row }),
      make("span", { className: "soft", textContent: labels[each.column] })),
  );
  byId("upcoming").replaceChildren(...next);
}

export function showAdvice(advice) {
  byId("advice").textContent = advice.sentence || "An estimate comes with the first fit.";
  const { answers, errors, expected } = advice.random;
  byId("random").textContent = answers
    ? `Random questions: ${count(answers)} answered, ${count(errors)} of the filled values ${errors === 1 ? "was" : "were"} wrong${expected === null ? "" : ` (${expected.toFixed(1)} expected)`}.`
    : "";
}

/** Several reviewers: their answers, and how often two of them agree about the same entry. */
export function showReviewers(reviewers) {
  byId("reviewers").hidden = !reviewers;
  if (!reviewers) return;
  const { answers, agreement, contested } = reviewers;
  const both = agreement.reduce((sum, each) => sum + each.both, 0);
  const equal = agreement.reduce((sum, each) => sum + each.both * each.equal, 0);
  byId("reviewers-text").textContent = [
    answers.map(([name, number]) => `${name} ${plural(number, "answer")}`).join(", "),
    both ? `; asked twice ${count(both)}, of these equal ${count(Math.round(equal))}` : "",
    contested ? `; contested ${count(contested)}: the queue of disagreement asks about them` : "",
  ].join("") + ".";
  byId("agreement").replaceChildren(...agreement.map(({ label, first, second, both: number, equal: share, kappa }) =>
    make("tr", {}, make("th", { scope: "row", textContent: label }), make("td", { textContent: `${first}, ${second}` }),
      make("td", { className: "n", textContent: `${Math.round(number * share)} of ${number}` }),
      make("td", { className: "n", textContent: kappa === null ? "" : kappa.toFixed(2) }))));
}

export function showProgress(progress, waiting = 0, isConnected = true) {
  const saved = waiting ? `${plural(waiting, "answer")} not yet on the disk` : `${plural(progress.answers, "answer")}, saved`;
  byId("saved").textContent = isConnected
    ? saved
    : `${saved}. The command does not respond: if it was started again, open the address that it prints.`;
  byId("saved").classList.toggle("warn", waiting > 0 || !isConnected);
  byId("undo").disabled = !progress.undo;
  const { certificate } = progress;
  byId("certificate").textContent = certificate
    ? certificate.sentence + (certificate.is_current ? "" : " The values were fitted again after this certificate.")
    : "None yet. An audit asks about random filled entries.";
}

/** End the page in a dialog that only a reload leaves. */
export function showTableChanged(number) {
  const dialog = byId("table-dialog");
  if (dialog.open) return;
  byId("table-lost").textContent = number ? `${plural(number, "answer")} that had not been saved ${number === 1 ? "is" : "are"} not kept.` : "";
  byId("table-reload").onclick = () => location.reload();
  dialog.oncancel = (event) => event.preventDefault();
  for (const other of document.querySelectorAll("dialog[open]")) other.close();
  dialog.showModal();
}

/** The line about the fit: running, failed, or how many answers until the next one. */
export function showFit(progress, running) {
  const bar = byId("fit-progress");
  bar.hidden = !running;
  if (running) {
    const [stage, done, total] = running;
    if (total) [bar.max, bar.value] = [total, done];
    else bar.removeAttribute("value");
    byId("fit-text").textContent = ["fitting", "starting"].includes(stage) ? stage : `fitting: ${stage}`;
  } else if (progress.failure) {
    byId("fit-text").textContent = progress.failure;
  } else {
    const left = Math.max(0, progress.refit_after - progress.new_answers);
    byId("fit-text").textContent = progress.fit
      ? `fitted in ${progress.fit.seconds} s; the next fit comes after ${plural(left, "answer")}`
      : "";
  }
}

export async function showChanges() {
  const changes = await getNewest("/api/changes");
  if (!changes) return;
  byId("changes").textContent = changes.sentence || "Later fits are compared with the first one.";
  byId("show-changes").hidden = !changes.changed;
  const head = make("tr", {}, ...["item", "label", "before", "now"].map((name) => make("th", { scope: "col", textContent: name })));
  const rows = changes.listed.map((each) =>
    make("tr", {}, make("td", { textContent: each.item }), make("td", { textContent: each.label }),
      make("td", { className: "n", textContent: each.before.toFixed(2) }), make("td", { className: "n", textContent: each.after.toFixed(2) })),
  );
  const labels = changes.per_label.slice(0, 12).map((each) => `${each.label}: ${each.to_yes} to yes, ${each.to_no} to no`);
  byId("changes-list").replaceChildren(
    make("p", { textContent: labels.join("; ") }),
    make("table", {}, make("caption", { textContent: "The largest changes of probability" }), make("tbody", {}, head, ...rows)),
  );
}
