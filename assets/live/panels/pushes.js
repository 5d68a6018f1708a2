// Which part pushed the answer: one signed bar a part of the stream, and for attention one cell a head.  The bars add up.

import { Scale, ink } from "../drawing/canvas.js";
import { digits, element, fit, parts, put, visible } from "../dom.js";

const signed = (v) => `${v >= 0 ? "+" : ""}${digits(v)}`;

export default class Pushes {
  constructor(panel) {
    this.panel = panel;
    this.list = element("ol", "un-list un-pushes");
    this.rows = [];
    panel.body.append(this.list);
  }

  // The bars: [name, what it adds, its heads]; the numbers come as one row a part (engine/analysis/residual_stream/lens.py, `parts`).
  place() {
    const { spec, selection } = this.panel;
    const reader = this.panel.reader();
    const t = selection.token(reader);
    const { layers, heads } = spec;
    const at = (part) => reader.value("push", { label: part, token: t });
    const bars = [
      { name: "the token itself", value: at(0) },
      { name: "its place", value: at(1) },
    ];
    for (let l = 0; l < layers; l++) {
      const first = 2 + l * (heads + 2);
      const each = Array.from({ length: heads }, (_, h) => at(first + h));
      bars.push({
        name: `layer ${l + 1}: attention`,
        layer: l,
        each,
        value: each.reduce((a, v) => a + v, 0) + at(first + heads),
      });
      bars.push({ name: `layer ${l + 1}: feed-forward`, layer: l, value: at(first + heads + 1) });
    }
    bars.push({ name: "bias of the output", value: at(2 + layers * (heads + 2)) });
    return { reader, t, bars: reader.fields.get("push") ? bars : [], answer: reader.notes[t]?.answer ?? "" };
  }

  draw() {
    const { panel } = this;
    const { reader, bars, answer } = this.place();
    panel.say(
      `Direct logit attribution of “${visible(answer)}”`,
      `${panel.spec.says} Model: ${reader.spec.title}.`,
    );
    fit(this.rows, bars.length, () => this.row());
    if (!bars.length) return;
    const most = Math.max(...bars.map((b) => Math.abs(b.value)), 1e-9);
    const { light, dark } = reader.spec.fields.push.scale;
    const scale = new Scale({ low: -2, high: 2, light, dark }, panel.app.dark);
    const { ground } = ink(panel.app.root);
    bars.forEach(({ name, value, each }, i) => {
      const row = this.rows[i];
      put(row.label, name);
      row.bar.style.left = `${value < 0 ? 50 - (50 * -value) / most : 50}%`;
      row.bar.style.width = `${(50 * Math.abs(value)) / most}%`;
      row.bar.className = value < 0 ? "un-less" : "un-more";
      row.value.textContent = signed(value);
      row.heads.hidden = !each;
      each?.forEach((v, h) => {
        const cell = (row.cells[h] ??= row.heads.appendChild(element("i", "un-head")));
        cell.style.background = Math.abs(v) < 0.005 ? ground : scale.css(v);
        cell.title = `${name.replace(": attention", "")}, head ${h + 1}: ${signed(v)}`;
      });
    });
    panel.read(this.sentence(bars, answer));
  }

  row() {
    const row = parts(element("li", "un-push"), {
      label: "un-row-label",
      track: "un-row-bar un-signed",
      value: "un-row-value",
      heads: "un-heads",
    });
    this.list.append(row.root);
    return { ...row, bar: row.track.appendChild(element("i")), cells: [] };
  }

  sentence(bars, answer) {
    const sum = bars.reduce((a, b) => a + b.value, 0);
    const best = bars.reduce((a, b) => (b.value > a.value ? b : a));
    const heads = bars.flatMap(({ each, layer }) =>
      (each ?? []).map((value, h) => ({ value, name: `head ${h + 1} of layer ${layer + 1}` })),
    );
    const head = heads.reduce((a, b) => (b.value > a.value ? b : a));
    return `Total ${signed(sum)}: the logit of “${visible(answer)}” minus the mean of all tokens. Largest share: ${best.name} (${signed(best.value)}); of the heads ${head.name} (${signed(head.value)}).`;
  }

  table() {
    const { bars } = this.place();
    return {
      columns: ["part", "push"],
      rows: bars.flatMap(({ name, value, each }) => [
        [name, signed(value)],
        ...(each ?? []).map((v, h) => [`  head ${h + 1}`, signed(v)]),
      ]),
    };
  }
}
