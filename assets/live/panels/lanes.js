// Teacher forcing: what the decoder reads and what it shall write, one place apart, and what each place costs.

import { digits, element, percent, short, small, visible } from "../dom.js";
import { listPointing } from "../marks/pointer.js";

export default class Lanes {
  constructor(panel) {
    this.panel = panel;
    this.strip = element("div", "un-strip", { tabIndex: 0, role: "group" }); // it scrolls by keyboard, too
    this.strip.setAttribute("aria-label", panel.spec.title);
    this.node = element("table", "un-lanes");
    this.strip.append(this.node);
    panel.body.append(this.strip);
    listPointing(panel, this.node, "t", (t) => panel.reader().place(t));
  }

  // Per place: what is read, what shall be written, the bits that costs, the likeliest.
  places() {
    const reader = this.panel.reader();
    const { labels } = reader,
      last = labels.length - 1;
    const closed = labels[last] === reader.spec.end && last > 0; // an end that was typed is a target, and nothing follows it
    return labels.slice(0, closed ? last : undefined).map((label, t) => ({
      label,
      target: labels[t + 1] ?? reader.spec.end,
      bits: t < last ? reader.bits[t + 1] : reader.value("ends", { token: t }),
      best: reader.top[t]?.[0] ?? ["", NaN],
    }));
  }

  draw() {
    const { panel } = this;
    const reader = panel.reader(),
      places = this.places(),
      now = panel.selection.token(reader);
    const row = (name, of, className = "") => {
      const line = element("tr", className);
      line.append(
        element("th", "", { textContent: name, scope: "row" }),
        ...places.map((place, t) => {
          const cell = element("td", t === now ? "un-chosen" : "", { textContent: of(place) });
          cell.dataset.t = String(t);
          return cell;
        }),
      );
      return line;
    };
    this.node.replaceChildren(
      row("decoder reads", (p) => short(p.label, 16)),
      row("shall write", (p) => short(p.target, 16), "un-target"),
      row("gives that", (p) => percent(2 ** -p.bits)),
      row("loss, nats", (p) => digits(p.bits * Math.LN2)),
      row(small("likeliest"), (p) => (p.best[0] === p.target ? "✓" : short(p.best[0], 16))),
    );
    panel.say(panel.spec.title, panel.spec.says);
    const nats = places.reduce((sum, p) => sum + p.bits * Math.LN2, 0) / Math.max(1, places.length);
    panel.read(
      places.length
        ? `Mean loss over ${places.length === 1 ? "1 place" : `${places.length} places`}: ${digits(nats)} nats, if the sentence ends here. All places are computed at once; ${places.filter((p) => p.best[0] === p.target).length} of ${places.length} have the right word first.`
        : "",
    );
  }

  table() {
    return {
      columns: ["decoder reads", "shall write", "probability", "loss in nats", small("likeliest")],
      rows: this.places().map((p) => [
        visible(p.label),
        visible(p.target),
        percent(2 ** -p.bits),
        digits(p.bits * Math.LN2),
        visible(p.best[0]),
      ]),
    };
  }
}
