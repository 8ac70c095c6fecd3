// The state of the task: the verdict with its ring, the bound of a finish, the running fit, and what is saved.

import { byId, make, plural } from "/static/dom.js";

const WIDTH = 4; // the bar of a finish ends at this many times the limit

/** Write a share that is an upper bound: rounded up. */
const percent = (share) => `${(Math.ceil(1000 * share - 1e-9) / 10).toFixed(1)} %`;
const plain = (share) => `${Number((100 * share).toPrecision(6))} %`;

/** The first sentence, with a ring: the share of filled values that are probably right. */
export function showVerdict({ panel, isFinish }) {
  if (isFinish) return;
  const { filled, expected, is_enough, sentence } = panel.advice;
  const [first, ...rest] = (sentence || "An estimate comes with a fit.").split(/(?<=[.]) (?=[A-Z0-9])/);
  byId("verdict").replaceChildren(first, make("span", { className: "rest", textContent: ` ${rest.join(" ")}` }));
  byId("share").style.strokeDasharray = `${expected === null ? 0 : 100 * (1 - expected / (filled || 1))} 100`;
  byId("ring").classList.toggle("enough", is_enough);
}

/** The bound of a finish against its limit. */
export function showBound({ progress, session }) {
  const { bound, values, left, done, has_fit, max_error, sentence } = progress;
  byId("bound").hidden = !has_fit;
  byId("ring").style.display = "none";
  if (!has_fit) return void (byId("verdict").textContent = "The first fit chooses the questions.");
  document.body.classList.toggle("done", done);
  const first = bound === null ? "No bound yet." : `At most ${percent(bound)} of ${plural(values, "value")} are wrong.`;
  byId("verdict").textContent = `${first} ${done ? "Done." : `About ${plural(left, "answer")} to go.`}`;
  byId("limit").textContent = `at most ${plain(max_error)} (confidence ${plain(session.confidence)})`;
  byId("end").textContent = `${plain(Math.min(WIDTH * max_error, 1))} or more`;
  byId("level").style.width = `${100 * Math.min((bound ?? 1) / (WIDTH * max_error), 1) || 0}%`; // 0 of 0 is an empty bar
  Object.assign(byId("track"), { ariaValueNow: bound ?? 1, ariaValueText: sentence, ariaValueMax: WIDTH * max_error });
}

export function showFitting(running) {
  const bar = byId("fitting");
  bar.hidden = !running;
  if (!running) return void (byId("fit-text").textContent = "");
  const [stage, done, total] = running;
  if (total) [bar.max, bar.value] = [total, done];
  else bar.removeAttribute("value");
  byId("fit-text").textContent = ["fitting", "starting"].includes(stage) ? `A fit runs.` : `A fit runs: ${stage}.`;
}

/** What is saved. */
export function showState({ progress, outbox, isConnected, isFinish }) {
  const waiting = outbox.waiting.length;
  const saved = waiting ? `${plural(waiting, "answer")} not yet on the disk` : `${plural(progress.answers, "answer")}, saved`;
  byId("saved").textContent = isConnected ? `${saved}.` : `${saved}. The command does not respond: if it was started again, open the address that it prints.`;
  byId("saved").classList.toggle("warn", waiting > 0 || !isConnected);
  document.body.classList.toggle("lost", !isConnected); // then the sentence has a line of its own
  byId("undo").disabled = !progress.undo;
  byId("skip").hidden = isFinish; // its order is fixed
}
