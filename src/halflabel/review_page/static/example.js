// The first minute: one decision as an example, from a given value of the table. It is no answer, and nothing is sent.

import { byId, make } from "/static/dom.js";
import { bytes, get } from "/static/transport.js";
import { showContent, showSound } from "/static/wall.js";

const SEEN = "halflabel-example=seen"; // a cookie, because the next command has another port, and so other storage
const YEAR = 31_536_000; // seconds
const GIVEN = { yes: 4, no: 3 }; // states of an entry
const MAX_LABELS = 5; // that are searched for a given value

let isOver = false;

/** Show the example to a person who has not answered and not closed it before. */
export async function showExample({ labels, progress }) {
  if (progress.answers || progress.audit || document.cookie.includes(SEEN)) return;
  const found = await findGiven(Math.min(labels.length, MAX_LABELS));
  if (!found) return;
  const { items: [item] } = await get(`/api/items?rows=${found.row}`);
  if (isOver) return; // the person was faster
  const [key, name] = { yes: ["J", "Yes"], no: ["F", "No"] }[found.value];
  byId("example-item").replaceChildren(...showContent(item), ...showSound(item), make("span", { className: "name", textContent: item.item, dir: "auto" }));
  byId("example-label").textContent = `${labels[found.column]}?`;
  byId("example-answer").className = `answered ${found.value}`;
  byId("example-answer").replaceChildren(make("kbd", { textContent: key }), ` ${name}`);
  byId("example-text").textContent = `Your table has ${found.value} here: the answer is the key ${key}, or the button. An answer is saved, and the next `
    + "question follows. This example is neither saved nor counted.";
  byId("example-close").onclick = endExample;
  byId("example").hidden = false;
}

/** Close the example for good: on request, and with the first answer. */
export function endExample() {
  if (isOver) return;
  byId("example").hidden = isOver = true;
  document.cookie = `${SEEN}; max-age=${YEAR}; path=/; samesite=strict`;
}

/** Return the place of a given value of the first labels, a yes if there is one. */
async function findGiven(nLabels) {
  let other = null;
  for (let column = 0; column < nLabels; column += 1) {
    const states = new Uint8Array(await bytes(`/api/label/${column}.bin`)).filter((_, k) => k % 2 === 0);
    const [yes, no] = [states.indexOf(GIVEN.yes), states.indexOf(GIVEN.no)];
    if (yes >= 0) return { row: yes, column, value: "yes" };
    if (no >= 0) other ??= { row: no, column, value: "no" };
  }
  return other;
}
