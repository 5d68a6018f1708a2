// The formula of the lesson with this moment's numbers put in.  Templates are data from Python: {field} is a number of
// the selected layer, head, unit and token; {field@-1} the one a token earlier, {~field} one minus it, {a*b} a product,
// {tanh a} a function, {$field} a symbol.

import { digits, element, fit, put, visible } from "../dom.js";
import { filled } from "../marks/equation.js";

// An argument worked back from a number that was rounded to float32: near the ends of the range little of it is left.
const BACK = {
  logit: (g) => (g >= 1 ? "> 16" : g <= 0 ? "< −80" : about(Math.log(g / (1 - g)), 1 - g)),
  atanh: (g) => (Math.abs(g) >= 1 ? (g > 0 ? "> 9" : "< −9") : about(Math.atanh(g), 1 - Math.abs(g))),
  tanh: (x) => digits(Math.tanh(x)),
};
const about = (x, room) => (room < 1e-4 ? `about ${x.toFixed(1).replace("-", "−")}` : digits(x));

export default class Formula {
  constructor(panel) {
    this.panel = panel;
    this.readouts = false;
    this.lines = [];
  }

  at(shift = 0) {
    const { selection } = this.panel;
    const reader = this.panel.reader();
    const t = selection.token(reader);
    const pick = (name) => selection.get(name) ?? 0;
    const other = selection.get("other");
    return {
      layer: pick("layer"),
      head: pick("head"),
      unit: pick("unit"),
      token: t + shift,
      query: t,
      key: Math.min(other === undefined ? t : other - reader.offset, t),
    };
  }

  draw() {
    const reader = this.panel.reader();
    const here = this.at();
    const word = (i) => visible(reader.labels[i] ?? "");
    const names = {
      "#layer": here.layer + 1,
      "#head": here.head + 1,
      "#unit": here.unit,
      "#token": word(here.token),
      "#before": word(here.token - 1),
      "#key": word(here.key),
    };
    const { lines: templates } = this.panel.spec;
    fit(this.lines, templates.length, () => {
      const root = element("p", "un-formula");
      this.panel.body.append(root);
      return { root };
    });
    templates.forEach((template, i) =>
      put(
        this.lines[i].root,
        filled(template, (what) => (what in names ? names[what] : this.number(reader, what))),
      ),
    );
  }

  number(reader, what) {
    if (what[0] === "$") {
      const [name, shift] = what.slice(1).split("@");
      const symbol = reader.spec.fields[name]?.symbol ?? name;
      return shift ? symbol.replace(/_t$/, `_t${shift.replace("-", "−")}`) : symbol;
    }
    const [, back, product] = what.match(/^(?:(\w+) )?(.*)$/);
    let value = 1;
    for (const factor of product.split("*")) {
      const [, less, name, shift] = factor.match(/^(~?)([^@]+)(?:@(-?\d+))?$/);
      const at = this.at(Number(shift ?? 0));
      if (at.token < 0 && reader.offset > 0) return "…"; // before the window: not here
      const x = at.token < 0 ? 0 : reader.value(name, at);
      value *= less ? 1 - x : x;
    }
    return back ? BACK[back](value) : digits(value);
  }

  table() {
    return { columns: ["formula"], rows: this.lines.map(({ root }) => [root.textContent]) };
  }
  alt() {
    return this.lines.map(({ root }) => root.textContent).join(". ");
  }
}
