// Small helpers around the document.

export const byId = (id) => document.getElementById(id);

/** Make an element with properties and children. */
export function make(name, properties = {}, ...children) {
  const element = Object.assign(document.createElement(name), properties);
  element.append(...children);
  return element;
}

/** Return the parts of a name: a line may end after `_`, and not within a word. */
export const breakable = (name) => name.split(/(?<=_)/).flatMap((part, k) => (k ? [make("wbr"), part] : [part]));

/** Write a number with its thousands set apart. */
export const count = (number) => number.toLocaleString("en");

/** Write a number with its noun. */
export const plural = (number, noun, several = `${noun}s`) => `${count(number)} ${number === 1 ? noun : several}`;

/** Show a sentence for some seconds. The same sentence is there once. */
export function notify(text, kind = "") {
  for (const shown of [...byId("notices").children]) if (shown.textContent === text) shown.remove();
  const notice = make("p", { className: `notice ${kind}`, textContent: text });
  byId("notices").append(notice);
  setTimeout(() => notice.remove(), kind === "error" ? 12_000 : 6_000);
}

/** Fill a select element with [value, text] pairs and keep its choice. */
export function fillSelect(select, pairs) {
  const chosen = select.value;
  select.replaceChildren(...pairs.map(([value, text]) => make("option", { value, textContent: text })));
  if (pairs.some(([value]) => String(value) === chosen)) select.value = chosen;
}

/** Return a function that shows its errors. */
export function guard(run) {
  return async () => {
    try {
      await run();
    } catch (error) {
      notify(error.message, "error");
    }
  };
}
