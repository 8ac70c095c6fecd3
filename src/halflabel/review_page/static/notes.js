// What a person writes about an item, a comment or a flag; and the last answers, of which each can be opened again.

import { byId, guard, make, notify } from "/static/dom.js";
import { showComments } from "/static/item.js";
import { WORDS } from "/static/question.js";
import { get, makeKey, post } from "/static/transport.js";

const FLAG = "\u2691"; // the first character of the comment on a flagged item

export class Notes {
  /** @param {object} page  the page with its session, question and screens */
  constructor(page) {
    this.page = page;
  }

  /** The item on the screen: of the tile with the focus, on a wall. */
  get item() {
    const { screens, item } = this.page;
    const entries = screens.screen?.entries ?? [];
    return screens.isOn ? (entries.find((each) => each.button === document.activeElement) ?? entries[0])?.item : item;
  }

  read(item) {
    return item.comments.find((each) => each.by === this.page.session.by)?.text ?? "";
  }

  comment() {
    const { item } = this;
    if (!item) return;
    byId("comment-of").textContent = item.item;
    byId("comment-text").value = this.read(item);
    byId("comment-save").onclick = guard(async () => {
      await this.save(item, byId("comment-text").value.trim());
      byId("comment-dialog").close();
    });
    byId("comment-dialog").showModal();
  }

  /** Flag the item, or take the flag away. The rest of its comment stays. */
  async flag() {
    const { item } = this;
    if (!item) return;
    const text = this.read(item);
    const isFlagged = text.startsWith(FLAG);
    await this.save(item, isFlagged ? text.slice(FLAG.length).trim() : `${FLAG} ${text}`.trim());
    notify(isFlagged ? "The flag is taken away." : "Flagged: the list shows all flagged items (M, State).");
  }

  async save(item, text) {
    const { page } = this;
    const { by } = page.session;
    page.updates.showSaved(await post("/api/comment", { item: item.id, text, key: makeKey() }), page.outbox.waiting.length, null);
    item.comments = item.comments.filter((each) => each.by !== by).concat(text ? [{ by, text }] : []);
    if (this.item?.row === item.row) showComments(byId("item"), item); // else another item is on the screen
  }

  async history() {
    await this.page.outbox.flush();
    const { answers } = await get("/api/history");
    byId("history-list").replaceChildren(...answers.map((each) => this.makeLine(each)));
    byId("history-none").hidden = answers.length > 0;
    byId("history-dialog").showModal();
  }

  makeLine({ row, item, label, value, by, at }) {
    const open = guard(async () => {
      byId("history-dialog").close();
      await this.page.openItem(row);
    });
    return make("li", {}, make("button", { type: "button", className: "link", textContent: item, onclick: open }),
      ` ${label}: `, make("b", { textContent: WORDS[value] }), make("span", { className: "soft", textContent: ` ${by}, ${at.slice(0, 16).replace("T", " ")}` }));
  }
}
