// Requests to the server of this page. Every request that changes something carries a header that no other page can send.

export const PAGE = makeKey(); // the name of this page: no other page is asked what it holds

let table = null; // the digest of the table that this page is about

const HEADERS = { "Content-Type": "application/json", "X-Halflabel": "review" };

async function check(response) {
  if (response.ok) return response;
  let text = response.statusText;
  try {
    text = (await response.clone().json()).error ?? text;
  } catch {
    text = (await response.text()) || text;
  }
  const error = new Error(text);
  error.status = response.status;
  if (error.status === 409) dispatchEvent(new Event("table-changed"));
  throw error;
}

export async function get(path) {
  return (await check(await fetch(path))).json();
}

const newest = new Map(); // path -> its last request

/** Return a state, or null if it was requested once more in the meantime. */
export async function getNewest(path) {
  const request = get(path);
  newest.set(path, request);
  const state = await request;
  return newest.get(path) === request ? state : null;
}

/** Send a request with the table that it is about: for another one, the server keeps nothing. */
export async function post(path, body) {
  const sent = JSON.stringify({ table, page: PAGE, ...body });
  const response = await check(await fetch(path, { method: "POST", headers: HEADERS, body: sent }));
  reopen(); // a command that takes a request sends messages, too
  return response.json();
}

/** Take the table of the session, or notice that the command, started again, has another one. */
export function noteTable(digest) {
  table ??= digest;
  if (table !== digest) dispatchEvent(new Event("table-changed"));
}

const PAUSE = 1000; // milliseconds before the first new source of messages; each further pause is twice as long
const MAX_PAUSE = 30_000;

let reopen = () => {};

/**
 * Call `receive(kind, content)` for every message of the server. The browser repairs a broken connection by itself, but
 * not one that was rejected, as by a command that was started again and does not know this browser yet.
 */
export function connect(receive) {
  let source = null;
  let pause = PAUSE;
  let timer = 0;
  const open = () => {
    clearTimeout(timer);
    source = new EventSource(`/api/events?page=${PAGE}`);
    source.onmessage = (event) => {
      const { kind, content } = JSON.parse(event.data);
      receive(kind, content);
    };
    source.onopen = () => {
      pause = PAUSE;
      receive("connected");
    };
    source.onerror = () => {
      receive("disconnected");
      if (source.readyState !== EventSource.CLOSED) return;
      timer = setTimeout(open, pause);
      pause = Math.min(2 * pause, MAX_PAUSE);
    };
  };
  reopen = () => {
    if (source.readyState === EventSource.CLOSED) open();
  };
  open();
}

/** Return a key for one record: the server writes a record that is sent twice only once. */
export function makeKey() {
  return Array.from(crypto.getRandomValues(new Uint32Array(3)), (n) => n.toString(36)).join("");
}
