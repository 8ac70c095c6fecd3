// The server of the review page, for one stored fit: answers stay in this browser. RECORD comes from play.py.

(() => {
  const NEEDS = "This needs halflabel on your machine. Here you can answer, undo, choose a view and a queue, and look at map and list.";
  const KEPT = "halflabel-play"; // the answers, in this browser
  const CODES = { 1: 6, 0: 5, null: 7 }; // the states of an answered entry
  const { session, items, queues } = RECORD;
  const decode = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const values = RECORD.values.map(decode);
  const stored = values.map((each) => each.slice());
  const progress = { ...session };
  let done = [];
  let undone = [];

  try {
    done = JSON.parse(localStorage.getItem(KEPT)) ?? [];
  } catch {
    // no answer is kept
  }

  /** Write the answers into values, items and counts. */
  function show() {
    values.forEach((each, j) => each.set(stored[j]));
    for (const { row, column, value } of done) values[column][2 * row] = CODES[value];
    for (const item of items) item.states = values.map((each) => each[2 * item.row]);
    const at = new Set(done.map(({ row, column }) => `${row} ${column}`));
    Object.assign(progress, { answers: at.size, undo: done.length > 0, redo: undone.length > 0 });
    progress.per_label = values.map((_, j) => [...at].filter((each) => each.endsWith(` ${j}`)).length);
    try {
      localStorage.setItem(KEPT, JSON.stringify(done));
    } catch {
      // a private window
    }
  }

  function choose({ kind = "uncertain", n = 50, label = null, rows = null, exclude = [] }) {
    const left = new Set(exclude);
    const number = ({ row, column }) => row * session.labels.length + column;
    const isOpen = (each) => values[each.column][2 * each.row] < 5 && !left.has(number(each));
    const every = rows?.flatMap((row) => session.labels.map((_, column) => ({ row, column, why: "item" })));
    const asked = every?.filter((each) => values[each.column][2 * each.row] < 3) ?? queues[kind] ?? [];
    return asked.filter((each) => isOpen(each) && (label === null || each.column === label)).slice(0, n);
  }

  /** Return screens: an item with its questions, or a wall of one label and one filled value. */
  function group({ view, n, size, ...asked }) {
    const groups = new Map();
    for (const each of choose({ ...asked, n: Infinity })) {
      const of = view === "item" ? each.row : `${each.column} ${values[each.column][2 * each.row]}`;
      groups.set(of, [...(groups.get(of) ?? []), each]);
    }
    return { screens: [...groups.values()].slice(0, n).map((entries) => entries.slice(0, size)) };
  }

  function list({ column, text = "", states = [], order, start = 0, bits }) {
    const p = (row) => values[column][2 * row + 1] / 255;
    const sign = { highest: -1, lowest: 1 }[order] ?? 0;
    const found = items
      .filter((item) => item.id.toLowerCase().includes(text.trim().toLowerCase()))
      .filter((item) => !states.length || states.includes(item.states[column]))
      .sort((a, b) => sign * (p(a.row) - p(b.row)));
    if (bits) throw new Error(NEEDS);
    const rows = found.slice(start, start + 50);
    return { total: found.length, rows: rows.map(({ row, item, states: now }) => ({ row, item, state: now[column], p: p(row) })) };
  }

  function reverse({ redo }) {
    const [from, to] = redo ? [undone, done] : [done, undone];
    const entries = [];
    do {
      if (from.length) entries.push(from.at(-1));
      to.push(...from.splice(-1));
    } while (from.length && from.at(-1).screen && from.at(-1).screen === entries[0].screen);
    show();
    return { entries, ...progress };
  }

  function answer({ answers }) {
    done.push(...answers.map(({ row, column, value, why, screen }) => ({ row, column, value, why, screen })));
    undone = [];
    show();
    return { results: answers.map(({ key }) => ({ key, saved: true })), ...progress };
  }

  const REPLIES = {
    "/api/session": () => ({ ...session, ...progress }),
    "/api/progress": () => progress,
    "/api/panel": () => RECORD.panel,
    "/api/changes": () => ({ changed: 0, per_label: [], listed: [], sentence: "" }),
    "/api/history": () => ({
      answers: done.slice(-100).reverse().map(({ row, column, value }) => (
        { row, item: items[row].item, label: session.labels[column], value, by: session.by, at: "" })),
    }),
    "/api/points.bin": () => decode(RECORD.points),
    "/api/label": (_, path) => values[parseInt(path.split("/").pop(), 10)],
    "/api/items": (_, __, query) => ({ items: query.get("rows").split(",").map((row) => items[Number(row)]) }),
    "/api/queue": (body) => ({ questions: choose(body) }),
    "/api/screens": group,
    "/api/list": list,
    "/api/answers": answer,
    "/api/undo": reverse,
  };

  globalThis.fetch = async (address, options = {}) => {
    const [path, query] = String(address).split("?");
    const reply = REPLIES[path] ?? REPLIES[path.replace(/\/[^/]*$/, "")];
    try {
      if (!reply) throw new Error(NEEDS);
      const content = reply(options.body ? JSON.parse(options.body) : {}, path, new URLSearchParams(query));
      return new Response(content instanceof Uint8Array ? content : JSON.stringify(content));
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
