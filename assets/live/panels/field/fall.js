// How the numbers of a whole vocabulary fall off, from the largest down, on two logarithmic axes.

import { Surface, font, ink, inside } from "../../drawing/canvas.js";
import { raised } from "../../dom.js";
import { rules } from "../../marks/axes.js";

const LEFT = 40,
  HIGH = 80;

export class Fall {
  constructor(panel) {
    this.panel = panel;
    this.surface = new Surface(panel.body);
  }

  draw({ reader, ranked }) {
    const { panel, surface } = this;
    const curve = ranked?.curve;
    surface.node.hidden =
      !curve || (ranked.along && curve.token !== panel.selection.token(reader) + reader.offset);
    if (surface.node.hidden) return;
    const width = panel.body.clientWidth;
    const g = surface.begin(width, HIGH + 34);
    const colours = ink(panel.app.root);
    const { ranks, p, needed } = curve;
    const last = ranks[ranks.length - 1];
    const far = Math.log10(Math.max(2, last)),
      deep = Math.min(-2, Math.floor(Math.log10(Math.max(1e-12, Math.min(...p.filter((v) => v > 0))))));
    const x = (rank) => LEFT + (Math.log10(rank) / far) * (width - LEFT - 8),
      y = (power) => 6 + (Math.max(deep, power) / deep) * HIGH;
    const marks = [0, Math.round(deep / 2), deep].map((e) => [y(e), e ? `10${raised(e)}` : "1"]);
    rules(g, marks, { left: LEFT, right: width - 6, colours, sharp: false });
    g.strokeStyle = colours.accent;
    g.lineWidth = 2;
    g.beginPath();
    ranks.forEach((rank, i) => g.lineTo(x(rank), y(Math.log10(Math.max(p[i], 1e-30)))));
    g.stroke();
    g.fillStyle = colours.faint;
    g.font = font(11);
    g.textAlign = "left";
    inside(
      g,
      `place 1 to ${last.toLocaleString("en")}: ${needed[0].toLocaleString("en")} hold half of it, ${needed[1].toLocaleString("en")} hold 90 %`,
      LEFT,
      HIGH + 22,
    );
  }
}
