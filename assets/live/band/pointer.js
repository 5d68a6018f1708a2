// What the pointer, the wheel and the keys do on the strip of a long text.

import { digits } from "../dom.js";
import { whole } from "./picture.js";
import { bits } from "./surprises.js";

export class Pointer {
  held = null; // {grip, at}: where in the brush it is held, and the character there

  /** @param {any} band */
  constructor(band) {
    this.band = band;
    const { node } = band;
    node.addEventListener("pointerdown", (e) => this.press(e));
    node.addEventListener("pointermove", (e) => (this.held ? this.drag(e) : this.look(e)));
    for (const name of ["pointerup", "pointercancel"])
      node.addEventListener(name, () => {
        this.held = null;
        band.released();
      });
    node.addEventListener("pointerleave", () => band.say());
    node.addEventListener("wheel", (e) => this.wheel(e), { passive: false });
    node.addEventListener("keydown", (e) => this.key(e));
  }

  wheel(event) {
    if (!event.deltaY) return;
    event.preventDefault();
    this.band.zoom(event.deltaY < 0 ? 0.75 : 4 / 3, this.band.picture.character(event));
  }

  press(event) {
    const { band } = this;
    const peak = band.picture.peakAt(event, band.strip?.peaks);
    if (peak) return band.surprises.jump(peak);
    const [start, stop] = band.shown;
    const at = band.picture.character(event);
    const inside = at >= start && at < stop;
    this.held = { grip: inside ? at - start : (stop - start) / 2, at };
    band.node.setPointerCapture(event.pointerId);
    if (!inside) band.go(at - this.held.grip);
  }

  drag(event) {
    const at = this.band.picture.character(event);
    if (at === this.held.at) return;
    this.held.at = at;
    this.band.go(at - this.held.grip);
  }

  key(event) {
    const { band } = this;
    const [start] = band.shown;
    const { most } = band.app.layout;
    const moves = {
      ...{ ArrowLeft: start - most / 4, ArrowDown: start - most / 4, PageUp: start - most, Home: 0 },
      ...{ ArrowRight: start + most / 4, ArrowUp: start + most / 4, PageDown: start + most },
      End: band.length,
    };
    if (event.key in moves) band.go(moves[event.key]);
    else if (event.key === "+" || event.key === "=") band.zoom(0.5);
    else if (event.key === "-") band.zoom(2);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  look(event) {
    const { band } = this;
    if (!band.strip) return;
    const { mean, max, from, to, peaks } = band.strip;
    const peak = band.picture.peakAt(event, peaks);
    if (peak) return band.say(band.surprises.tell(peak));
    const n = mean.length;
    const i = Math.floor(((band.picture.character(event) - from) / (to - from)) * n);
    if (!(i >= 0 && i < n)) return band.say();
    const edge = (k) => from + Math.round((k * (to - from)) / n);
    const said =
      mean[i] === null
        ? "not read yet, or no known word"
        : `mean ${digits(mean[i])}, highest ${bits(max[i])} bits per character`;
    band.say(`characters ${whole(edge(i) + 1)} to ${whole(edge(i + 1))}: ${said}`);
  }
}
