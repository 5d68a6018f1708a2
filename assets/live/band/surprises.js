// The most surprising places of a long text: one after the other, or as a list.

import { digits, element, follow, short } from "../dom.js";
import { button } from "../parts/controls.js";
import { whole } from "./picture.js";

export const bits = (b) => (b >= 1e9 ? "∞" : digits(b));

export class Surprises {
  peaks = []; // [start, stop, label, bits, token]

  /** @param {any} band */
  constructor(band) {
    this.band = band;
    this.list = element("ol", "un-band-list", { hidden: true });
    const add = (text, title, act) => button(text, act, { title });
    this.before = add("‹ previous surprise", "Go to the marked place before this one", () => this.next(-1));
    this.after = add("next surprise ›", "Go to the marked place after this one", () => this.next(1));
    this.places = add("List of surprises", "The marked places as a list", () => this.open(this.list.hidden));
    this.open(false);
  }

  open(on) {
    this.list.hidden = !on;
    this.places.setAttribute("aria-expanded", String(on));
  }

  take(peaks) {
    this.peaks = peaks;
    const items = peaks.map((peak) => ({ said: this.tell(peak), peak }));
    follow(this.list, items, ({ said, peak }) => {
      const row = element("li", "");
      row.append(button(said, () => this.jump(peak)));
      return row;
    });
  }

  next(step) {
    const { band, peaks } = this;
    const { kept } = band.app.selection;
    const [start, stop] = band.shown;
    const here = kept.span && kept.reader === band.strip?.reader ? kept.span[0] : step > 0 ? start - 1 : stop;
    const found = step > 0 ? peaks.find((p) => p[0] > here) : peaks.findLast((p) => p[0] < here);
    if (found) return this.jump(found);
    const side = step > 0 ? "after" : "before";
    const far = band.strip?.done ? "" : " in what has been read so far";
    band.readout.textContent = `There is no marked place ${side} this one${far}.`;
  }

  jump(peak) {
    const { band } = this;
    const { app, strip } = band;
    const [a, b, , , token] = peak;
    app.selection.keep({ token, reader: strip.reader, span: [a, b] }, app);
    const [start, stop] = app.window;
    if (a < start + 8 || b > stop - 8) band.go(Math.max(0, a - app.layout.most / 2));
    const [from, to] = band.ends;
    if (a < from || a >= to) band.show(null);
    this.seeks = true;
    band.say(this.tell(peak));
  }

  // A token of a letter or two says little without what stands before it.
  tell([a, b, label, amount]) {
    const before = b - a < 3 && a > 0 && this.band.app.points.slice(Math.max(0, a - 12), a).join("");
    const after = before ? `after “…${short(before)}”, ` : "";
    return `“${short(label, 24)}” ${after}at character ${whole(a + 1)}: ${bits(amount)} bits`;
  }

  // After a jump: the token among those under the text box, once its window is here.
  draw(reader) {
    this.before.disabled = this.after.disabled = this.places.disabled = !this.peaks.length;
    const { chips, selection } = this.band.app;
    const { span } = selection.kept;
    const t = selection.token(reader);
    const chip = chips.nodes[t];
    if (!this.seeks || !span || !chip || reader.spans[t]?.[0] !== span[0]) return;
    this.seeks = false;
    chips.root.scrollTop = chip.offsetTop - chips.root.offsetTop - 40;
  }
}
