// The map of the items: one canvas, pixels written directly, so that a million points can be moved smoothly.

const RADIUS = [[3000, 3.4], [20000, 2.2], [200000, 1.2], [Infinity, 0.6]];
const SOFT = 30_000; // up to this number of points, discs have smooth edges
const MAX_ZOOM = 200;

export class ItemMap {
  /** @param {HTMLCanvasElement} canvas  @param {number[]} size  the largest coordinates of the points */
  constructor(canvas, size = [65535, 65535]) {
    this.canvas = canvas;
    this.size = size;
    this.context = canvas.getContext("2d", { alpha: false });
    this.n = 0;
    this.onTop = new Uint32Array(0);
    this.view = { x: 0, y: 0, scale: 1 };
    this.colour = "state";
    this.selected = null;
    this.scheduled = false;
    this.readPalette();
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
      this.readPalette();
      this.draw();
    });
  }

  setPoints(buffer) {
    this.points = new Uint16Array(buffer);
    this.n = this.points.length / 2;
    if (this.cells?.length !== 2 * this.n) this.setLabel(new Uint8Array(2 * this.n).buffer); // until it is there
    this.view = { x: 0, y: 0, scale: 1 };
    this.selected = null;
    this.draw();
  }

  /** Two bytes per item: state and probability. */
  setLabel(buffer) {
    this.cells = new Uint8Array(buffer);
    this.listTop();
    this.draw();
  }

  /** List the items that are painted last. */
  listTop() {
    const rows = [];
    for (let i = 0; 2 * i < this.cells.length; i++) if (this.cells[2 * i] > 2 && this.cells[2 * i] < 8) rows.push(i);
    this.onTop = Uint32Array.from(rows);
  }

  readPalette() {
    const style = getComputedStyle(document.documentElement);
    const read = (name) => parseColour(style.getPropertyValue(name));
    const [paper, yes, no, open] = ["--paper", "--accent", "--no", "--faint"].map(read);
    this.paper = pack(paper);
    const fade = (colour, by = 0.45) => mix(colour, paper, by);
    const states = [open, fade(no), fade(yes), no, yes, no, yes, fade(open, 0.3), fade(no, 0.7), fade(yes, 0.7)];
    this.states = Uint32Array.from(states.map(pack));
    this.shades = Uint32Array.from({ length: 256 }, (_, i) =>
      pack(i < 128 ? mix(no, open, i / 128) : mix(open, yes, (i - 128) / 127)),
    );
    this.dimmed = pack(mix(open, paper, 0.6));
  }

  resize() {
    const ratio = devicePixelRatio;
    const { width, height } = this.canvas.getBoundingClientRect();
    const size = [Math.max(1, Math.round(width * ratio)), Math.max(1, Math.round(height * ratio))];
    if (this.image && this.canvas.width === size[0] && this.canvas.height === size[1]) return;
    [this.canvas.width, this.canvas.height] = size;
    this.image = this.context.createImageData(...size);
    this.pixels = new Uint32Array(this.image.data.buffer);
  }

  /** From coordinates of the points to pixels: [factor, x, y]. */
  transform() {
    const { width, height } = this.canvas;
    const margin = 12 * devicePixelRatio;
    const [across, down] = this.size;
    const factor = Math.min((width - 2 * margin) / across, (height - 2 * margin) / down) * this.view.scale;
    return [factor, width / 2 - (across / 2 + this.view.x) * factor, height / 2 - (down / 2 + this.view.y) * factor];
  }

  draw() {
    if (this.scheduled) return;
    this.scheduled = true;
    requestAnimationFrame(() => {
      this.scheduled = false;
      this.paint();
    });
  }

  paint() {
    if (!this.canvas.offsetParent) return;
    const start = performance.now();
    this.resize();
    this.pixels.fill(this.paper);
    if (this.n) {
      const radius = this.radius();
      const stamp = makeStamp(radius, this.n <= SOFT);
      this.paintItems(null, stamp);
      this.paintItems(this.onTop, stamp); // given and answered entries lie on top of the others
    }
    this.context.putImageData(this.image, 0, 0);
    performance.measure("frame", { start, end: performance.now() });
    if (this.n && !this.hasPainted) this.hasPainted = performance.mark("map painted");
    this.painted?.();
  }

  radius() {
    const base = RADIUS.find(([limit]) => this.n <= limit)[1];
    return base * devicePixelRatio * Math.min(3, Math.sqrt(this.view.scale));
  }

  /** Paint all items, or those of a list. */
  paintItems(list, stamp) {
    const { points, cells, selected, pixels, dimmed } = this;
    const { width, height } = this.canvas;
    const [factor, left, up] = this.transform();
    const colours = this.colour === "p" ? this.shades : this.states;
    const offset = this.colour === "p" ? 1 : 0;
    const { reach, dx } = stamp;
    const [right, low] = [width - reach, height - reach];
    const number = list ? list.length : this.n;
    for (let k = 0; k < number; k++) {
      const i = list ? list[k] : k;
      const x = (points[2 * i] * factor + left) | 0;
      const y = (points[2 * i + 1] * factor + up) | 0;
      if (x < reach || y < reach || x >= right || y >= low) continue;
      const colour = selected && !((selected[i >> 3] >> (i & 7)) & 1) ? dimmed : colours[cells[2 * i + offset]];
      if (dx) blend(pixels, y * width + x, width, stamp, colour);
      else pixels[y * width + x] = colour;
    }
  }

  /** Return the nearest item within some pixels of a place of the canvas, or -1. */
  find(x, y, reach = 10) {
    if (!this.n) return -1;
    const [factor, left, up] = this.transform();
    const px = (x * devicePixelRatio - left) / factor;
    const py = (y * devicePixelRatio - up) / factor;
    let best = (reach * devicePixelRatio / factor) ** 2;
    let found = -1;
    for (let i = 0; i < this.n; i++) {
      const dx = this.points[2 * i] - px;
      const dy = this.points[2 * i + 1] - py;
      const d = dx * dx + dy * dy;
      if (d < best) [best, found] = [d, i];
    }
    return found;
  }

  /** Return the place of an item in pixels of the page. */
  place(row) {
    return this.placeAt(this.points[2 * row], this.points[2 * row + 1]);
  }

  placeAt(x, y) {
    const [factor, left, up] = this.transform();
    return [(x * factor + left) / devicePixelRatio, (y * factor + up) / devicePixelRatio];
  }

  pan(dx, dy) {
    const [factor] = this.transform();
    this.view.x -= (dx * devicePixelRatio) / factor;
    this.view.y -= (dy * devicePixelRatio) / factor;
    this.draw();
  }

  zoom(by, x, y) {
    const [factor, left, up] = this.transform();
    const at = [(x * devicePixelRatio - left) / factor, (y * devicePixelRatio - up) / factor];
    const scale = Math.min(MAX_ZOOM, Math.max(0.5, this.view.scale * by));
    const kept = this.view.scale / scale;
    const [across, down] = this.size;
    this.view.x = at[0] - across / 2 - (at[0] - across / 2 - this.view.x) * kept;
    this.view.y = at[1] - down / 2 - (at[1] - down / 2 - this.view.y) * kept;
    this.view.scale = scale;
    this.draw();
  }

  reset() {
    this.view = { x: 0, y: 0, scale: 1 };
    this.draw();
  }
}

/** Offsets and coverages of the pixels of a disc. */
function makeStamp(radius, soft) {
  if (radius < 0.9) return { reach: 1, dx: null };
  const reach = Math.ceil(radius);
  const dx = [], dy = [], alpha = [];
  for (let y = -reach; y <= reach; y++) {
    for (let x = -reach; x <= reach; x++) {
      const cover = Math.min(1, Math.max(0, radius + 0.5 - Math.hypot(x, y)));
      if (cover > (soft ? 0 : 0.5)) {
        dx.push(x);
        dy.push(y);
        alpha.push(soft ? cover : 1);
      }
    }
  }
  return { reach: reach + 1, dx, dy, alpha };
}

function blend(pixels, at, width, stamp, colour) {
  const { dx, dy, alpha } = stamp;
  for (let k = 0; k < dx.length; k++) {
    const place = at + dy[k] * width + dx[k];
    const a = alpha[k];
    if (a === 1) {
      pixels[place] = colour;
      continue;
    }
    const old = pixels[place];
    const r = (old & 255) + ((colour & 255) - (old & 255)) * a;
    const g = ((old >> 8) & 255) + (((colour >> 8) & 255) - ((old >> 8) & 255)) * a;
    const b = ((old >> 16) & 255) + (((colour >> 16) & 255) - ((old >> 16) & 255)) * a;
    pixels[place] = (255 << 24) | (b << 16) | (g << 8) | r;
  }
}

const mix = (a, b, share) => a.map((value, k) => value + (b[k] - value) * share);
const pack = ([r, g, b]) => ((255 << 24) | (Math.round(b) << 16) | (Math.round(g) << 8) | Math.round(r)) >>> 0;

/** Read a colour such as #0b6477. */
function parseColour(text) {
  const hex = text.trim().slice(1);
  const full = hex.length === 3 ? [...hex].map((digit) => digit + digit).join("") : hex;
  return [0, 2, 4].map((k) => parseInt(full.slice(k, k + 2), 16));
}
