// How a map of points is looked at: closer, moved aside, in three dimensions turned.  Hovering looks, dragging moves or
// turns, a lasso goes around words; the wheel zooms once the map has the focus.

import { reached } from "../drawing/canvas.js";

const [FLIGHT_MS, CLOSEST] = [400, 200];
const most = (low, high, v) => Math.max(low, Math.min(high, v));

export class Camera {
  zoom = 1;
  centre = [0, 0]; // in pixels
  turned = [0.6, 0.35];
  drag = null;
  lassoing = false;
  width;
  high;
  map;

  /** @param {{cloud: any, canvas: HTMLElement, draw: () => void, look: (x: number, y: number) => void, keep: (x: number, y: number) => void,
   *   choose?: (path: number[][]) => void, stale?: boolean}} map is drawn again when something moves, `stale` where its points moved */
  constructor(map) {
    this.map = map;
    this.listen(map.canvas);
  }

  get view() {
    const [a, b] = this.turned;
    return {
      scale: (Math.min(this.width, this.high) / 2 / this.map.cloud.reach) * this.zoom,
      turn: [Math.cos(a), Math.sin(a), Math.cos(b), Math.sin(b)],
      left: this.width / 2 + this.centre[0],
      top: this.high / 2 + this.centre[1],
    };
  }

  land() {
    cancelAnimationFrame(this.flight);
  }

  whole() {
    this.land();
    this.zoom = 1;
    this.centre = [0, 0];
    this.moved();
  }

  zoomBy(factor, px = this.width / 2, py = this.high / 2) {
    const zoom = most(1, CLOSEST, this.zoom * factor),
      f = zoom / this.zoom;
    const dx = px - this.width / 2,
      dy = py - this.high / 2;
    this.centre = zoom === 1 ? [0, 0] : [(this.centre[0] - dx) * f + dx, (this.centre[1] - dy) * f + dy];
    this.zoom = zoom;
    this.moved();
  }

  moved() {
    this.map.stale = true;
    this.soon ??= requestAnimationFrame(() => {
      this.soon = undefined;
      this.map.draw();
    });
  }

  // To a place of the map, which comes to the middle.
  fly(place) {
    const end = Math.max(this.zoom, 5),
      { zoom, centre } = this,
      started = performance.now();
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    const step = () => {
      const f = still ? 1 : Math.min(1, (performance.now() - started) / FLIGHT_MS),
        s = f * f * (3 - 2 * f);
      this.zoom = zoom * (end / zoom) ** s;
      this.centre = [0, 0];
      const [x, y] = this.map.cloud.to(place, this.view);
      this.centre = [
        (this.width / 2 - x) * s + centre[0] * (1 - s),
        (this.high / 2 - y) * s + centre[1] * (1 - s),
      ];
      this.map.stale = true;
      this.map.draw();
      if (f < 1) this.flight = requestAnimationFrame(step);
    };
    this.land();
    step();
  }

  listen(node) {
    const { map } = this;
    const at = (e) => {
      const r = node.getBoundingClientRect();
      return [e.clientX - r.left, e.clientY - r.top];
    };
    const away = () => map.look(-1e6, -1e6);
    reached(node, { look: (x, y) => map.look(x, y), keep: (x, y) => map.keep(x, y), leave: away });
    node.addEventListener("pointerdown", (e) => {
      const [x, y] = at(e);
      const { centre, turned } = this;
      this.drag = { x, y, far: 0, centre, turned, path: this.lassoing ? [[x, y]] : null };
      node.setPointerCapture(e.pointerId);
    });
    node.addEventListener("pointermove", (e) => {
      const [x, y] = at(e);
      if (this.drag) this.pull(x, y, e.shiftKey);
      else map.look(x, y);
    });
    node.addEventListener("pointerup", (e) => {
      const { drag } = this;
      const [x, y] = at(e);
      this.drag = null;
      if (drag?.path && drag.far > 6) {
        this.lassoing = false;
        map.choose(drag.path);
      } else if (!drag || drag.far < 4) map.keep(x, y);
    });
    node.addEventListener("pointercancel", () => {
      this.drag = null;
      map.draw();
    });
    node.addEventListener("pointerleave", () => {
      if (!this.drag) away();
    });
    const wheel = (e) => {
      if (document.activeElement !== node || !e.deltaY) return;
      e.preventDefault();
      const [x, y] = at(e);
      this.zoomBy(e.deltaY < 0 ? 1.2 : 1 / 1.2, x, y);
    };
    node.addEventListener("wheel", wheel, { passive: false });
  }

  pull(x, y, shift) {
    const { drag, map } = this;
    const dx = x - drag.x,
      dy = y - drag.y;
    drag.far = Math.max(drag.far, Math.abs(dx) + Math.abs(dy));
    if (drag.path) {
      drag.path.push([x, y]);
      return map.draw();
    }
    if (map.cloud.dims === 3 && !shift)
      this.turned = [drag.turned[0] + dx / 160, most(-1.5, 1.5, drag.turned[1] + dy / 160)];
    else this.centre = [drag.centre[0] + dx, drag.centre[1] + dy];
    this.moved();
  }
}
