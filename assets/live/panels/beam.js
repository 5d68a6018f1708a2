// Beam search as it grows: at each step all kept texts go on, the likeliest of all continuations are kept, the others struck out.
// The length penalty only puts what was found in order: it needs no model.

import { Surface, font, ink } from "../drawing/canvas.js";
import { digits, element, percent, powerOfTen, short, visible } from "../dom.js";
import { Work, choice } from "../parts/work.js";

const ROW = 26,
  STEP = 118,
  BOX = 96,
  LEFT = 8,
  TOP = 24,
  PLAY_MS = 900;

export default class BeamSearch {
  constructor(panel) {
    this.panel = panel;
    this.alpha = 1;
    this.at = null; // null: the last step there is
    this.work = new Work(panel, "beams", () => ({ width: this.width, steps: this.steps }), "Search");
    const button = (textContent, title, onclick) =>
      element("button", "un-button", { type: "button", textContent, title, onclick });
    const keep = (name) => (value) => {
      panel.selection.keep({ [name]: value }, panel.app);
      this.at = null;
      this.work.start();
    };
    const bar = element("div", "un-order"),
      steps = element("div", "un-order");
    bar.append(
      choice("Beams", [1, 2, 3, 4, 5, 6, 8], this.width, keep("beams")),
      choice("Steps", [4, 6, 8, 10, 12], this.steps, keep("long")),
    );
    this.where = element("span", "un-total");
    this.slider = element("input", "un-slider", {
      type: "range",
      min: 1,
      max: 8,
      step: 1,
      oninput: () => this.go(Number(this.slider.value)),
    });
    this.slider.setAttribute("aria-label", "Step of the search");
    this.play = button("Play", "Watch it grow", () => this.run());
    steps.append(
      button("‹ Step back", "", () => this.go(this.shown - 1)),
      this.slider,
      button("Step ›", "", () => this.go(this.shown + 1)),
      this.play,
      this.where,
    );
    this.scroller = element("div", "un-strip");
    panel.body.append(bar, steps, this.scroller);
    this.surface = new Surface(this.scroller);
    this.canvas = this.surface.node;
    const penalty = element("div", "un-rule");
    this.penalty = element("input", "un-slider", {
      type: "range",
      min: 0,
      max: 2,
      step: 0.1,
      value: this.alpha,
      id: "un-alpha",
      oninput: () => {
        this.alpha = Number(this.penalty.value);
        this.draw();
      },
    });
    this.penaltyValue = element("span", "un-rule-value");
    penalty.append(
      element("label", "", { htmlFor: "un-alpha", textContent: "Length penalty α" }),
      this.penalty,
      this.penaltyValue,
      element("span", "un-rule-cut"),
    );
    this.ranking = element("ol", "un-list un-ranking");
    panel.body.append(penalty, this.ranking);
    this.surface.onPointer(
      (x, y) => this.point(x, y),
      () => {},
      () => this.point(-1, -1),
    );
  }

  get width() {
    return this.panel.selection.get("beams") ?? 3;
  }
  get steps() {
    return this.panel.selection.get("long") ?? 8;
  }
  rest() {
    this.work.rest();
  }
  ask() {
    return this.work.ask();
  }
  destroy() {
    clearTimeout(this.timer);
    this.work.destroy();
  }

  get count() {
    return this.search?.rows.length ?? 0;
  }
  get shown() {
    return Math.max(1, Math.min(this.at ?? this.count, this.count));
  }

  go(step, playing = false) {
    if (!playing) this.stop();
    this.at = Math.max(1, Math.min(step, this.count));
    this.panel.draw();
  }

  stop() {
    clearTimeout(this.timer);
    this.timer = null;
    this.play.textContent = "Play";
  }

  run() {
    if (this.timer) return this.stop();
    const next = (step) => {
      this.go(step, true);
      if (step >= this.count) return this.stop();
      this.timer = setTimeout(() => next(step + 1), PLAY_MS);
    };
    next(1);
    if (this.timer) this.play.textContent = "Stop";
  }

  draw() {
    const { panel } = this;
    const got = this.work.take();
    if (got) this.search = got;
    const found = this.search;
    panel.say(
      panel.spec.title,
      this.work.progress("steps") ||
        `At each step every kept text is extended by every token. The ${this.width} likeliest extensions are kept (strong); the next ${this.width} are struck out. The number is ln P of the text so far. ■ marks a text that has ended, with a line end or a full stop; it is set aside.${panel.spec.alone ? "" : " The rules above are not used."}`,
    );
    if (!found?.rows.length) {
      this.places = [];
      this.stamp = null;
      this.surface.begin(10, 40);
      this.ranking.replaceChildren();
      panel.read(found?.problem ?? "");
      return;
    }
    const stamp = [found, this.shown, this.alpha, this.work.busy, panel.body.clientWidth, panel.app.dark];
    if (this.stamp?.every((part, i) => part === stamp[i]) && !this.surface.recording) return; // a key leaves it as it is
    this.stamp = stamp;
    this.slider.max = this.count;
    this.slider.value = this.shown;
    this.where.textContent = `step ${this.shown} of ${this.count}`;
    this.penaltyValue.textContent = this.alpha.toFixed(1);
    this.order();
    this.paint();
  }

  // What was found, by its score under this length penalty.
  order() {
    const { found, greedy } = this.search;
    const score = (total, length) => total / length ** this.alpha;
    this.ranked = found
      .map(([text, total, length, ended, path]) => ({
        text,
        total,
        length,
        ended,
        path,
        score: score(total, length),
      }))
      .sort((a, b) => b.score - a.score);
    const whole = this.shown === this.count && !this.work.busy;
    this.best = whole ? this.ranked[0] : null;
    const line = (name, text, total, length, best) => {
      const node = element("li", `un-hypothesis${best ? " un-chosen" : ""}`);
      node.append(
        element("b", "", { textContent: name }),
        element("span", "un-said", { textContent: visible(text).replaceAll("·", " ").trim() }),
        element("span", "un-row-value", {
          textContent: `${digits(total)} / ${length}^${this.alpha.toFixed(1)} = ${digits(score(total, length))}`,
        }),
      );
      return node;
    };
    const rows = whole
      ? this.ranked
          .slice(0, 6)
          .map((h, i) => line(`${i + 1}${h.ended ? " ■" : ""}`, h.text, h.total, h.length, !i))
      : [];
    if (whole && greedy) rows.push(line("greedy", ...greedy));
    const head = element("li", "un-says", {
      textContent: whole
        ? `${this.ranked.length} texts found, best first. Score = ln P / (tokens)^α: α = 0 prefers short texts, a large α long ones. P = e^(ln P): the best has ${powerOfTen(this.ranked[0].total / Math.LN10)}, greedy ${powerOfTen(greedy[1] / Math.LN10)}.`
        : "The texts are ranked after the last step.",
    });
    this.ranking.replaceChildren(head, ...rows);
  }

  paint() {
    const { panel } = this;
    const colours = ink(panel.app.root);
    const { rows } = this.search;
    const steps = rows.slice(0, this.shown);
    const step = Math.max(STEP, Math.min(150, (panel.body.clientWidth - LEFT) / this.count));
    const high = Math.max(...rows.map((r) => r.length));
    const g = this.surface.begin(LEFT + step * this.count, TOP + high * ROW + 4);
    const x = (s) => LEFT + s * step,
      y = (i) => TOP + (i + 0.5) * ROW;
    g.textBaseline = "middle";
    this.places = [];
    steps.forEach((row, s) => {
      const last = s === steps.length - 1;
      const kept = s ? rows[s - 1].flatMap(([, , , , fate], i) => (fate === "kept" ? [i] : [])) : [];
      g.fillStyle = last ? colours.text : colours.faint;
      g.font = font(11, last ? 700 : 400);
      g.textAlign = "left";
      g.fillText(`step ${s + 1}`, x(s), 10);
      row.forEach(([parent, label, one, total, fate], i) => {
        const best = this.best && this.best.path[s] === i;
        const faint = fate === "dropped" && !last;
        const [ax, ay] = s ? [x(s - 1) + BOX, y(kept[parent])] : [x(s), y(i)];
        g.globalAlpha = fate === "dropped" ? (last ? 0.6 : 0.25) : 1;
        g.strokeStyle = best ? colours.accent : colours.faint;
        g.lineWidth = best ? 2.5 : 1;
        g.beginPath();
        g.moveTo(ax, ay);
        g.bezierCurveTo((ax + x(s)) / 2, ay, (ax + x(s)) / 2, y(i), x(s), y(i));
        g.stroke();
        g.fillStyle = colours.ground;
        g.strokeStyle = fate === "dropped" ? colours.line : colours.accent;
        g.lineWidth = best ? 2 : 1;
        g.beginPath();
        g.roundRect(x(s) + 0.5, y(i) - 11, BOX, 22, 4);
        g.fill();
        g.stroke();
        g.font = font(12, fate === "dropped" ? 400 : 600);
        g.fillStyle = faint ? colours.faint : colours.text;
        const word = `${fate === "ended" ? "■ " : ""}${short(label, 9)}`;
        g.fillText(word, x(s) + 5, y(i));
        if (fate === "dropped") {
          g.fillRect(x(s) + 4, y(i), Math.min(g.measureText(word).width + 2, BOX - 40), 1);
        }
        g.font = font(10);
        g.textAlign = "right";
        g.fillText(digits(total), x(s) + BOX - 5, y(i));
        g.textAlign = "left";
        g.globalAlpha = 1;
        this.places.push({ s, i, x: x(s), y: y(i), label, one, total, fate, parent: s ? kept[parent] : -1 });
      });
    });
    this.tell();
  }

  tell() {
    const over = this.over && this.places.find((p) => p.s === this.over.s && p.i === this.over.i);
    if (!over) return this.panel.read("Point at a candidate to read it.");
    const path = [];
    for (let p = over; p; p = this.places.find((q) => q.s === p.s - 1 && q.i === p.parent))
      path.unshift(p.label);
    const said = { kept: "kept", ended: "its sentence has ended, so it is set aside", dropped: "dropped" }[
      over.fate
    ];
    const before = over.total - over.one;
    this.panel.read(
      `“${path.join("")}”: ${digits(before)} + ln ${percent(Math.exp(over.one))} = ${digits(before)} − ${digits(-over.one)} = ${digits(over.total)}; ${said}.`,
    );
  }

  point(x, y) {
    this.over = (this.places ?? []).find((p) => x >= p.x && x <= p.x + BOX && Math.abs(y - p.y) < ROW / 2);
    this.tell();
  }

  table() {
    return {
      columns: ["step", "token", "ln P of the token", "ln P so far", "fate"],
      rows: (this.search?.rows ?? []).flatMap((row, s) =>
        row.map(([, label, one, total, fate]) => [s + 1, visible(label), digits(one), digits(total), fate]),
      ),
    };
  }

  drawn() {
    const rows = (this.search?.rows ?? []).flat();
    return rows.length
      ? {
          "beam.total": {
            axes: ["rank"],
            labels: [rows.map((r) => r[1])],
            values: Float32Array.from(rows, (r) => r[3]),
          },
          "beam.score": {
            axes: ["rank"],
            labels: [this.ranked.map((h) => h.text)],
            values: Float32Array.from(this.ranked, (h) => h.score),
          },
        }
      : {};
  }

  alt() {
    return `${this.panel.title.textContent}. ${this.panel.says.textContent} ${this.where.textContent}. ${(
      this.ranked ?? []
    )
      .slice(0, 3)
      .map((h) => `“${h.text.trim()}”, ln P ${digits(h.total)}`)
      .join("; ")}`;
  }
}
