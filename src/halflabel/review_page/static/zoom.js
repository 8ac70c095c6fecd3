// A picture as large as the window: wheel, pinch, keys and buttons zoom, a pointer moves it.

import { byId } from "/static/dom.js";

const MAX = 40;

export class Zoom {
  constructor() {
    this.dialog = byId("zoom-dialog");
    this.image = byId("zoom-image");
    this.fingers = new Map();
    this.bind(byId("zoom-box"));
    byId("zoom-in").onclick = () => this.scale(1.5);
    byId("zoom-out").onclick = () => this.scale(1 / 1.5);
    byId("zoom-fit").onclick = () => this.reset();
    byId("item").addEventListener("click", (event) => event.target.matches(".picture, .mark") && this.open(event.target));
    this.dialog.addEventListener("keydown", (event) => {
      const by = { "+": 1.5, "-": 1 / 1.5 }[event.key];
      if (by) this.scale(by);
      if (event.key === "0") this.reset();
    });
  }

  /** Show a picture, by default the first one of the item. */
  open(picture = document.querySelector("#item .picture, #item .mark, .tile:focus img")) {
    if (!picture) return;
    [this.image.src, this.image.alt] = [picture.src, picture.alt];
    this.image.classList.toggle("small", picture.matches(".mark, .small"));
    this.dialog.showModal();
    this.reset();
  }

  reset() {
    this.view = { x: 0, y: 0, scale: 1 };
    this.#show();
  }

  /** Zoom around a place of the box, by default its centre. */
  scale(by, x = 0, y = 0) {
    const { view } = this;
    const scale = Math.min(MAX, Math.max(1, view.scale * by));
    view.x = x - ((x - view.x) * scale) / view.scale;
    view.y = y - ((y - view.y) * scale) / view.scale;
    view.scale = scale;
    this.#show();
  }

  bind(box) {
    const place = ({ clientX, clientY }) => {
      const { left, top, width, height } = box.getBoundingClientRect();
      return [clientX - left - width / 2, clientY - top - height / 2];
    };
    box.addEventListener("wheel", (event) => {
      event.preventDefault();
      this.scale(Math.exp(-event.deltaY / 400), ...place(event));
    }, { passive: false });
    box.addEventListener("pointerdown", (event) => {
      box.setPointerCapture(event.pointerId);
      this.fingers.set(event.pointerId, place(event));
    });
    box.addEventListener("pointermove", (event) => this.#move(event.pointerId, place(event)));
    for (const name of ["pointerup", "pointercancel"]) box.addEventListener(name, (event) => this.fingers.delete(event.pointerId));
  }

  /** One finger moves the picture, two fingers zoom it around the one that rests. */
  #move(finger, here) {
    const before = this.fingers.get(finger);
    if (!before) return;
    this.fingers.set(finger, here);
    const other = [...this.fingers].find(([id]) => id !== finger)?.[1];
    const apart = (a) => Math.hypot(a[0] - other[0], a[1] - other[1]);
    if (other) return this.scale(apart(here) / Math.max(1, apart(before)), ...other);
    this.view.x += here[0] - before[0];
    this.view.y += here[1] - before[1];
    this.#show();
  }

  #show() {
    const { x, y, scale } = this.view;
    this.image.style.transform = `translate(${x}px, ${y}px) scale(${scale})`;
  }
}
