// How fast the start is forgotten: two beliefs before the text, the one sure of a line start and the other of a state
// that one chooses, and how far they are apart after each token, with the text read and without.

import { Surface, font, ink } from "../drawing/canvas.js";
import { digits, element, percent, small, visible } from "../dom.js";
import { rules } from "../marks/axes.js";
import { course } from "../marks/lines.js";
import { along } from "../marks/pointer.js";
import { strip } from "../marks/strip.js";
import { bar, keyItem, select } from "../parts/controls.js";
import * as hmm from "../sums/hmm.js";

const [TOP, HIGH, LEFT, LEAST, SHOWN] = [12, 168, 48, 10, 40];

export default class Forgetting {
  /** @type {any} */
  found;

  constructor(panel) {
    this.panel = panel;
    const model = hmm.tables(panel.reader());
    const names = model.states.slice(1).map((name, i) => [name, hmm.called(model, i + 1)]);
    this.list = select(names, (name) => panel.selection.keep({ with: name }, panel.app), "Other start");
    const label = element("label", "un-search-label", { textContent: "line start against " });
    label.append(this.list);
    const key = element("span", "un-key");
    key.append(keyItem("var(--un-accent)", "text read"), keyItem("var(--un-line-1)", "text unread"));
    panel.body.append(bar(label, key));
    this.surface = new Surface(panel.body);
    this.canvas = this.surface.node;
    along(this, LEFT);
  }

  draw() {
    const { panel } = this;
    const { app, selection } = panel;
    const reader = panel.reader();
    if (!reader.labels.length) {
      this.found = null;
      this.surface.begin(1, 1);
      panel.say(panel.spec.title, "");
      return panel.read("");
    }
    const model = hmm.tables(reader);
    const size = model.states.length;
    const other = Math.max(1, model.states.indexOf(selection.get("with")));
    if (document.activeElement !== this.list) this.list.value = model.states[other];
    const read = Math.min(SHOWN, reader.labels.length - 1);
    const count = Math.max(LEAST, read);
    const found = hmm.apart(model.a, hmm.sure(size, 0), hmm.sure(size, other), count, (n) =>
      n <= read ? hmm.belief(reader, "likely", n) : new Float32Array(size).fill(1),
    );
    const width = panel.body.clientWidth;
    this.step = (width - LEFT - 4) / (count + 1);
    const g = this.surface.begin(width, TOP + HIGH + 26);
    const colours = ink(app.root);
    const unread = getComputedStyle(app.root).getPropertyValue("--un-line-1");
    const y = (p) => TOP + HIGH * (1 - p);
    const x = (n) => LEFT + (n + 0.5) * this.step;
    rules(
      g,
      [0, 0.5, 1].map((p) => [y(p), `${100 * p} %`]),
      { left: LEFT, right: width, colours },
    );
    course(g, count + 1, x, (n) => y(found.unread[n]), unread, 2, 3);
    course(g, read + 1, x, (n) => y(found.read[n]), colours.accent, 2.5, 3.5);
    const now = Math.min(count, selection.token(reader));
    const labels = Array.from({ length: count + 1 }, (_, n) =>
      n && n <= read ? reader.labels[n] : n ? "·" : small("start"),
    );
    strip(g, labels, { left: LEFT, step: this.step, y: TOP + HIGH + 14, now, colours });
    g.strokeStyle = colours.line;
    g.lineWidth = 1;
    g.beginPath();
    g.moveTo(x(now), TOP);
    g.lineTo(x(now), TOP + HIGH);
    g.stroke();
    g.font = font(12, 600);
    const { second } = model;
    panel.say(
      panel.spec.title,
      `Suppose that the text had followed another state than a line start: how far would the belief be from ours (total variation)? Unread, the distance shrinks in the long run by the second eigenvalue of A, here ${digits(second)} a step; with 1 nothing would ever be forgotten. Reading a token usually tells the two beginnings even faster what to think.`,
    );
    const word = now ? `“${visible(labels[now])}”` : "the start";
    const name = hmm.called(model, other);
    panel.read(
      `${now === 1 ? "1 token" : `${now} tokens`} on, at ${word}: a line start and ${name} are ${percent(found.read[now])} apart with the text read, ${percent(found.unread[now])} unread.`,
    );
    this.found = { ...found, labels, until: read };
  }

  table() {
    const { labels = [], until = 0, unread = [], read = [] } = this.found ?? {};
    const rows = labels.map((label, n) => [
      n,
      visible(label),
      n <= until ? percent(read[n]) : "",
      percent(unread[n]),
    ]);
    return { columns: ["step", "token", "apart, text read", "apart, text unread"], rows };
  }

  drawn() {
    const { found } = this;
    if (!found) return {};
    const over = (values) => ({ axes: ["step"], labels: [found.labels], values: Float32Array.from(values) });
    return { "apart.unread": over(found.unread), "apart.read": over(found.read) };
  }
}
