// A sentence under the filters of a classifier: how well each place matches, the best match framed, and what it adds to the
// answer; a filter can be switched off.

import { Scale, Surface, font, ink, legend } from "../drawing/canvas.js";
import { digits, percent, small, visible } from "../dom.js";
import { cellAt, columnNames, frame, grid } from "../marks/grid.js";
import { cut } from "../marks/strip.js";
import { bar, button } from "../parts/controls.js";
import { answer, covered, matchedAt, strongest, switchedOff, tables } from "../sums/textcnn.js";
import { series } from "../wire.js";

const ANSWER = 40, // high
  WORDS = 58,
  ROW = 26,
  LEGEND = 34;

export default class Phrases {
  constructor(panel) {
    this.panel = panel;
    this.store = {};
    this.one = button("", () => this.turn());
    this.all = button("All filters on", () => panel.selection.keep({ picks: undefined }, panel.app));
    panel.body.append(bar(this.one, this.all));
    this.surface = new Surface(panel.body);
    this.canvas = this.surface.node;
    const { selection } = panel;
    this.surface.onPointer(
      (x, y) => selection.look(this.find(x, y)),
      (x, y) => {
        const place = this.find(x, y);
        if ("unit" in place) selection.keep(place, panel.app);
      },
      () => selection.leave(),
    );
  }

  get off() {
    return switchedOff(this.panel.selection.get("picks"), tables(this.panel.reader()).count);
  }

  turn() {
    const { off, panel } = this;
    const { unit } = this.what;
    if (!off.delete(unit)) off.add(unit);
    panel.selection.keep({ picks: [...off].join(",") || undefined, unit }, panel.app);
  }

  find(x, y) {
    const at = cellAt(this.box, x, y);
    const row = Math.floor((y - (this.box?.y ?? 0)) / ROW);
    const unit = this.what?.rows[row];
    if (unit === undefined) return {};
    return at ? { unit, other: at[1] + this.what.reader.offset } : { unit };
  }

  what = /** @type {any} */ (null);

  // The filters that add most to each side, the chosen one among them.
  /** @returns {any} */
  look() {
    const { panel, off } = this;
    const { selection, spec } = panel;
    const reader = panel.reader();
    const model = tables(reader);
    const t = reader.labels.length ? selection.token(reader) : -1; // of the words up to here
    if (t < 0) return { reader, model, t, rows: [] };
    const found = answer(reader, t, off);
    const rows = strongest(found.each, spec.rows);
    for (const unit of off) if (!rows.includes(unit)) rows.push(unit);
    const chosen = selection.kept.unit;
    if (chosen < model.count && !rows.includes(chosen)) rows.push(chosen);
    if (!rows.length) rows.push(0); // nothing matches
    const looked = selection.get("unit");
    return { reader, model, t, ...found, rows, off, unit: looked < model.count ? looked : rows[0] };
  }

  draw() {
    const { panel } = this;
    const what = (this.what = this.look());
    const { reader, model, t, rows, unit } = what;
    const width = panel.body.clientWidth;
    this.box = null;
    this.one.hidden = this.all.hidden = t < 0;
    const { title, says } = panel.spec;
    const whole = t === reader.labels.length - 1;
    panel.say(whole ? title : `Which phrases decide, up to “${visible(reader.labels[t])}”`, says);
    if (t < 0) {
      this.surface.begin(width, 1);
      return panel.read("Type a sentence.");
    }
    this.one.textContent = what.off.has(unit) ? `Filter ${unit}: switch on` : `Filter ${unit}: switch off`;
    this.all.disabled = !what.off.size;
    const narrow = width < 560;
    const left = narrow ? 0 : Math.min(220, width * 0.24);
    const right = narrow ? width * 0.3 : Math.min(240, width * 0.24);
    const top = ANSWER + WORDS;
    const g = this.surface.begin(width, top + rows.length * ROW + LEGEND + 10);
    const colours = ink(panel.app.root);
    const box = { x: left, y: top, w: width - left - right, h: rows.length * ROW };
    this.box = { ...box, rows: rows.length, columns: reader.labels.length };
    this.answered(g, what, width, colours);
    columnNames(g, this.box, reader.labels.map(visible), this.token(), colours, WORDS);
    const scale = new Scale(model.scales.match, panel.app.dark);
    this.cells(g, what, scale, colours);
    this.evidence(g, what, { x: left + box.w, wide: right }, colours);
    if (!narrow) this.names(g, what, left, colours);
    const at = rows.indexOf(unit);
    g.strokeStyle = colours.accent;
    g.lineWidth = 1.5;
    if (at >= 0) g.strokeRect(1, top + at * ROW + 1, width - 2, ROW - 3);
    legend(g, left, top + box.h + 12, Math.min(150, box.w / 2), scale, "match", colours);
    panel.read(this.said(what));
  }

  // Where the pointer is; -1 beside the words.
  token() {
    const { other } = this.panel.selection.hovered;
    return other === undefined ? -1 : other - this.panel.reader().offset;
  }

  // The two classes, and how the answer lies between them.
  answered(g, { p, sides, model }, width, colours) {
    const [a, b] = sides;
    const share = p[b] / (p[a] + p[b]);
    const style = getComputedStyle(this.panel.app.root);
    const colour = (/** @type {number} */ side) => style.getPropertyValue(`--un-reader-${side}`);
    g.textBaseline = "middle";
    g.font = font(13, 600);
    const narrow = width < 560;
    const [one, other] = [`${model.names[a]} ${percent(p[a])}`, `${percent(p[b])} ${model.names[b]}`];
    const room = narrow ? width / 2 - 4 : width * 0.3;
    g.fillStyle = colours.text;
    g.textAlign = "left";
    g.fillText(cut(g, one, room), 0, 10);
    g.textAlign = "right";
    g.fillText(cut(g, other, room), width, 10);
    const [x, y, wide] = narrow ? [0, 22, width] : [room + 6, 3, width - 2 * room - 12];
    g.fillStyle = colour(1);
    g.fillRect(x, y, wide * (1 - share), 14);
    g.fillStyle = colour(0);
    g.fillRect(x + wide * (1 - share), y, wide * share, 14);
  }

  cells(g, { reader, model, rows, off, t }, scale, colours) {
    const { box } = this;
    const field = reader.fields.get("response");
    const count = reader.labels.length;
    const values = new Float32Array(rows.length * count);
    rows.forEach((unit, r) => {
      for (let at = 0; at < count; at++) values[r * count + at] = field.values[at * model.count + unit];
    });
    grid(g, this.store, box, { values, columns: count, down: count, across: 1 }, scale, colours);
    const read = (box.w / count) * (t + 1);
    g.globalAlpha = 0.8; // what comes later is not read yet
    g.fillStyle = colours.ground;
    if (read < box.w) g.fillRect(box.x + read, box.y, box.w - read, box.h);
    g.globalAlpha = 1;
    rows.forEach((unit, r) => {
      const last = matchedAt(reader, unit, t);
      const first = last - covered(model, unit) + 1;
      g.globalAlpha = off.has(unit) ? 0.25 : 1;
      const step = box.w / count;
      const x = box.x + Math.max(0, first) * step;
      g.strokeStyle = colours.text;
      g.lineWidth = 2;
      if (last >= 0) g.strokeRect(x + 1, box.y + r * ROW + 3, (last + 1) * step + box.x - x - 2, ROW - 7);
      g.globalAlpha = 1;
    });
    const at = this.token();
    if (at >= 0 && at < count) frame(g, box, { column: at }, colours, 1);
  }

  // What each best match adds, to one side or to the other.
  evidence(g, { rows, each, off, sides, model }, { x, wide }, colours) {
    const style = getComputedStyle(this.panel.app.root);
    const most = Math.max(0.2, ...rows.map((unit) => Math.abs(each[unit])));
    const middle = x + 12 + (wide - 12) / 2;
    const room = (wide - 12) / 2 - 2;
    const top = this.box.y;
    g.font = font(11);
    g.fillStyle = colours.faint;
    g.textAlign = "right";
    const [one, other] = sides.map((side) => model.names[side]);
    const fits = Math.max(...[one, other].map((name) => g.measureText(`← ${name}`).width)) < room;
    g.fillText(fits ? `← ${one}` : "←", middle - 3, top - 12);
    g.textAlign = "left";
    g.fillText(fits ? `${other} →` : "→", middle + 3, top - 12);
    rows.forEach((unit, r) => {
      const value = each[unit];
      const y = this.box.y + r * ROW;
      const long = (room * Math.abs(value)) / most;
      g.globalAlpha = off.has(unit) ? 0.25 : 1;
      g.fillStyle = style.getPropertyValue(`--un-reader-${value < 0 ? 1 : 0}`);
      g.fillRect(value < 0 ? middle - long : middle, y + 4, Math.max(1, long), ROW - 9);
      g.fillStyle = colours.text;
      g.textAlign = value < 0 ? "left" : "right";
      g.font = font(11);
      g.fillText(
        off.has(unit) ? small("off") : digits(Math.abs(value)),
        middle + (value < 0 ? 4 : -4),
        y + ROW / 2,
      );
      g.globalAlpha = 1;
    });
    g.fillStyle = colours.line;
    g.fillRect(middle, this.box.y, 1, rows.length * ROW);
  }

  names(g, { reader, model, rows, unit, off, t }, left, colours) {
    rows.forEach((one, r) => {
      g.font = font(13, one === unit ? 700 : 400);
      g.textAlign = "right";
      g.fillStyle = off.has(one) ? colours.faint : one === unit ? colours.accent : colours.text;
      g.fillText(
        cut(g, phrase(reader, model, one, matchedAt(reader, one, t)), left - 12),
        left - 8,
        this.box.y + r * ROW + ROW / 2 - 1,
      );
    });
  }

  said({ reader, model, t, unit, off, p, sides, each, rows }) {
    const k = p.indexOf(Math.max(...p));
    const at = this.token();
    if (this.panel.selection.get("unit") === undefined && at < 0) {
      const side = k === sides[1] ? 1 : -1;
      const best = rows.filter((u) => !off.has(u) && side * each[u] > 0)[0];
      const answered = `${model.names[k]}, ${percent(p[k])}.`;
      if (best === undefined) return answered;
      return `${answered} Most for it: “${phrase(reader, model, best, matchedAt(reader, best, t))}”.`;
    }
    const side = model.names[sides[each[unit] < 0 ? 0 : 1]];
    const last = matchedAt(reader, unit, t);
    if (!reader.value("largest", { token: t, unit }))
      return `Filter ${unit} covers ${covered(model, unit)} words. Nothing here matches it.`;
    const words = phrase(reader, model, unit, last);
    const whole = `Filter ${unit} covers ${covered(model, unit)} words. It matches “${words}” best, ${digits(reader.value("largest", { token: t, unit }))}, which adds ${digits(Math.abs(each[unit]))} towards ${side}.`;
    if (off.has(unit)) return `Filter ${unit} is switched off. ${whole}`;
    if (at < 0 || at >= reader.labels.length) return whole;
    const here = phrase(reader, model, unit, at);
    return `“${here}” matches filter ${unit} with ${digits(reader.value("response", { token: at, unit }))}. ${whole}`;
  }

  drawn() {
    const { t, model, p } = this.look();
    return t < 0 ? {} : { "drawn.label": series("label", model.names, p) };
  }

  table() {
    const { reader, model, t, rows, each, off, sides } = this.what ?? this.look();
    const columns = ["filter", "words it covers", "best match", "how well", "adds", "towards"];
    if (t < 0) return { columns, rows: [] };
    return {
      columns,
      rows: rows.map((unit) => [
        String(unit),
        String(covered(model, unit)),
        phrase(reader, model, unit, matchedAt(reader, unit, t)),
        digits(reader.value("largest", { token: t, unit })),
        off.has(unit) ? "off" : digits(Math.abs(each[unit])),
        model.names[sides[each[unit] < 0 ? 0 : 1]],
      ]),
    };
  }
}

/** The words that a filter covers, up to the last one; an ellipsis for what lies before those shown. @param {any} reader @param {any} model @param {number} unit @param {number} last */
export function phrase(reader, model, unit, last) {
  if (last < 0) return "…";
  const first = Math.max(0, last - covered(model, unit) + 1);
  return reader.labels
    .slice(first, last + 1)
    .map(visible)
    .join(" ");
}
