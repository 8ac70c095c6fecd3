// The server of the review page, for one stored fit: answers stay in this browser. RECORD comes from play.py.

(() => {
  const NEEDS = "This needs halflabel on your machine. Here you can answer, undo, choose a queue, and search.";
  const KEPT = "halflabel-play"; // the answers, in this browser
  const CODES = { 1: 6, 0: 5, null: 7 }; // the states of an answered entry
  const { session, items, screens } = RECORD;
  const stored = items.map((item) => item.states);
  const progress = { ...session };
  let done = [];

  try {
    done = JSON.parse(localStorage.getItem(KEPT)) ?? [];
  } catch {
    // no answer is kept
  }

  /** Write the answers into items and counts. */
  function show() {
    for (const item of items) item.states = [...stored[item.row]];
    for (const { row, column, value } of done) items[row].states[column] = CODES[value];
    const at = new Set(done.map(({ row, column }) => `${row} ${column}`));
    Object.assign(progress, { answers: at.size, undo: done.length > 0 });
    try {
      localStorage.setItem(KEPT, JSON.stringify(done));
    } catch {
      // a private window
    }
  }

  function choose({ kind, view, n, label, exclude }) {
    const left = new Set(exclude);
    const isOpen = ({ row, column }) => items[row].states[column] < 5 && !left.has(row * session.labels.length + column) && (label === null || column === label);
    const found = screens[`${kind} ${view}`].map((screen) => screen.filter(isOpen)).filter((screen) => screen.length);
    return { screens: found.slice(0, n) };
  }

  function list({ column, text, states, start }) {
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    const found = items
      .filter((item) => words.every((word) => item.id.toLowerCase().includes(word)))
      .filter((item) => !states.length || states.includes(item.states[column]));
    return { total: found.length, rows: found.slice(start, start + 50).map(({ row, item, states: now }) => ({ row, item, state: now[column] })) };
  }

  function undo() {
    const entries = done.length ? [done.pop()] : [];
    while (entries[0]?.screen && done.at(-1)?.screen === entries[0].screen) entries.push(done.pop());
    show();
    return { ...progress, entries };
  }

  function answer({ answers }) {
    done.push(...answers.map(({ row, column, value, why, screen }) => ({ row, column, value, why, screen })));
    show();
    return { results: answers.map(({ key }) => ({ key, saved: true })), ...progress };
  }

  const REPLIES = {
    "/api/session": () => ({ ...session, ...progress }),
    "/api/progress": () => progress,
    "/api/panel": () => RECORD.panel,
    "/api/items": (_, __, query) => ({ items: query.get("rows").split(",").map((row) => items[Number(row)]) }),
    "/api/questions": choose,
    "/api/list": list,
    "/api/answers": answer,
    "/api/undo": undo,
  };

  globalThis.fetch = async (address, options = {}) => {
    const [path, query] = String(address).split("?");
    const reply = REPLIES[path];
    try {
      if (!reply) throw new Error(NEEDS);
      const content = reply(options.body ? JSON.parse(options.body) : {}, path, new URLSearchParams(query));
      return new Response(JSON.stringify(content));
    } catch (error) {
      return new Response(JSON.stringify({ error: error.message }), { status: 400 });
    }
  };

  // The page learns of a fit by events only, and there is none.
  globalThis.EventSource = class {
    constructor() {
      setTimeout(() => this.onopen?.());
    }
  };
  show();
})();
