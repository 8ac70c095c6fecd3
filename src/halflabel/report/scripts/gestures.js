// Mouse, fingers and keys on a map: one pointer moves it or draws a lasso, two fingers zoom it.

/**
 * @param {ItemMap} map
 * @param {{isLasso: () => boolean, draw: Function, select: Function, open: Function, point: Function, leave: Function}} on
 */
export function bindGestures(map, on) {
  const { canvas } = map;
  const fingers = new Map();
  let moved = 0;
  let polygon = null;
  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    fingers.set(event.pointerId, [event.offsetX, event.offsetY]);
    moved = 0;
    polygon = on.isLasso() && fingers.size === 1 ? [[event.offsetX, event.offsetY]] : null;
    on.draw(polygon);
  });
  canvas.addEventListener("pointermove", (event) => {
    const here = [event.offsetX, event.offsetY];
    const before = fingers.get(event.pointerId);
    if (!before) return on.point(...here);
    fingers.set(event.pointerId, here);
    moved += Math.abs(here[0] - before[0]) + Math.abs(here[1] - before[1]);
    const other = [...fingers].find(([id]) => id !== event.pointerId)?.[1];
    if (other) return map.zoom(distance(here, other) / Math.max(1, distance(before, other)), ...other);
    if (!polygon) return map.pan(here[0] - before[0], here[1] - before[1]);
    polygon.push(here);
    on.draw(polygon);
  });
  const end = (event) => {
    if (!fingers.delete(event.pointerId) || fingers.size) return;
    const [drawn, row] = [polygon, moved < 4 ? map.find(event.offsetX, event.offsetY) : -1];
    polygon = null;
    if (drawn) return on.select(drawn);
    if (row >= 0) on.open(row);
  };
  canvas.addEventListener("pointerup", end);
  canvas.addEventListener("pointercancel", (event) => {
    fingers.delete(event.pointerId);
    on.draw((polygon = null));
  });
  canvas.addEventListener("pointerleave", () => on.leave());
  canvas.addEventListener("dblclick", () => map.reset());
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    map.zoom(Math.exp(-event.deltaY / 400), event.offsetX, event.offsetY);
  }, { passive: false });
  canvas.addEventListener("keydown", (event) => moveByKey(map, event));
}

const distance = (a, b) => Math.hypot(a[0] - b[0], a[1] - b[1]);

function moveByKey(map, event) {
  const { width, height } = map.canvas.getBoundingClientRect();
  const steps = { ArrowLeft: [40, 0], ArrowRight: [-40, 0], ArrowUp: [0, 40], ArrowDown: [0, -40] };
  if (steps[event.key]) map.pan(...steps[event.key]);
  else if (event.key === "+") map.zoom(1.4, width / 2, height / 2);
  else if (event.key === "-") map.zoom(1 / 1.4, width / 2, height / 2);
  else return;
  event.preventDefault();
  event.stopPropagation();
}
