// The formula of the lesson with this moment's numbers put in.  Templates are data from Python: {field} is a number of
// the selected layer, head, unit and token; {field@-1} the one a token earlier.

import { element, digits, visible } from "../dom.js";

export class Formula {
  constructor(panel) {
    this.panel = panel;
    this.readouts = false;
    this.lines = panel.spec.lines.map(() => element("p", "un-formula"));
    panel.body.append(...this.lines);
  }

  at(shift = 0) {
    const { selection } = this.panel;
    const reader = this.panel.reader();
    const t = selection.token(reader);
    const pick = (name) => selection.get(name) ?? 0;
    const other = selection.get("other");
    return { layer: pick("layer"), head: pick("head"), unit: pick("unit"), token: t + shift, query: t, key: Math.min(other === undefined ? t : other - reader.offset, t) };
  }

  draw() {
    const reader = this.panel.reader();
    const here = this.at();
    const word = (i) => visible(reader.labels[i] ?? "");
    const names = { "#layer": here.layer + 1, "#head": here.head + 1, "#unit": here.unit, "#token": word(here.token), "#before": word(here.token - 1), "#key": word(here.key), "#line": reader.lines[here.token] ?? "" };
    this.panel.spec.lines.forEach((template, i) => {
      const text = template.replace(/\{([^}@]+)(?:@(-?\d+))?\}/g, (_, name, shift) => {
        if (name in names) return String(names[name]);
        const at = this.at(Number(shift ?? 0));
        return digits(at.token < 0 && shift ? 0 : reader.value(name, at));
      });
      if (this.lines[i].textContent !== text) this.lines[i].textContent = text;
    });
  }

  table() { return { columns: ["formula"], rows: this.lines.map((l) => [l.textContent]) }; }
  alt() { return this.lines.map((l) => l.textContent).join(". "); }
}
