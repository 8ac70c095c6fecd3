// A selection with the mouse or a finger: a polygon, drawn into a mask in which every point is looked up.

/** Return the selected items as one bit each, and their number. */
export function selectInside(map, polygon) {
  const start = performance.now();
  const { width, height } = map.canvas;
  const mask = drawMask(polygon, width, height);
  const [factor, left, up] = map.transform();
  const bits = new Uint8Array((map.n + 7) >> 3);
  let number = 0;
  for (let i = 0; i < map.n; i++) {
    const x = (map.points[2 * i] * factor + left) | 0;
    const y = (map.points[2 * i + 1] * factor + up) | 0;
    if (x < 0 || y < 0 || x >= width || y >= height || !mask[4 * (y * width + x) + 3]) continue;
    bits[i >> 3] |= 1 << (i & 7);
    number += 1;
  }
  performance.measure("lasso", { start, end: performance.now() });
  return { bits, number };
}

export function drawLine(context, polygon, colour) {
  const { width, height } = context.canvas;
  context.clearRect(0, 0, width, height);
  if (polygon.length < 2) return;
  tracePolygon(context, polygon);
  context.lineWidth = 1.5 * devicePixelRatio;
  context.strokeStyle = colour;
  context.globalAlpha = 0.08;
  context.fillStyle = colour;
  context.fill();
  context.globalAlpha = 1;
  context.stroke();
}

function drawMask(polygon, width, height) {
  const canvas = new OffscreenCanvas(width, height);
  const context = canvas.getContext("2d", { willReadFrequently: true });
  tracePolygon(context, polygon);
  context.fill();
  return context.getImageData(0, 0, width, height).data;
}

function tracePolygon(context, polygon) {
  context.beginPath();
  for (const [x, y] of polygon) context.lineTo(x * devicePixelRatio, y * devicePixelRatio);
  context.closePath();
}
