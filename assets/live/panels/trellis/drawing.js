// What is drawn in a trellis: lines back, paths, circles, names.

import { font } from "../../drawing/canvas.js";
import { cut } from "../../marks/strip.js";
import * as hmm from "../../sums/hmm.js";

const FAINTEST = 1e-7; // beside the likeliest path: a worse one has no line

const x = (box, t) => box.left + (t + 0.5) * box.step;
const y = (box, s) => box.top + (box.place.get(s) + 0.5) * box.row;

// A line through the states of a path; where one has no row the line breaks.
function course(g, box, path, colour, width, dashes = []) {
  g.strokeStyle = colour;
  g.lineWidth = width;
  g.lineJoin = "round";
  g.setLineDash(dashes);
  g.beginPath();
  path.forEach((s, t) => {
    if (box.place.has(s)) g[t && box.place.has(path[t - 1]) ? "lineTo" : "moveTo"](x(box, t), y(box, s));
  });
  g.stroke();
  g.setLineDash([]);
}

// The path back from a state.
function behind(reader, t, s) {
  const path = [s];
  for (; t > 0; t--) path.unshift(reader.value("path.back", { token: t, state: path[0] }));
  return path;
}

export function lines(g, box, { reader, now, path, own, state, colours, mine, backs }) {
  g.fillStyle = colours.accent;
  g.globalAlpha = 0.09;
  g.fillRect(box.left + now * box.step, 0, box.step, box.top + box.row * box.rows.length);
  g.globalAlpha = 1;
  if (backs) {
    g.lineWidth = 1;
    g.strokeStyle = colours.text;
    for (let t = 1; t < box.count; t++)
      for (const s of box.rows) {
        const back = reader.value("path.back", { token: t, state: s });
        const best = reader.value("path.best", { token: t, state: s });
        if (best < FAINTEST || !box.place.has(back)) continue;
        g.globalAlpha = 0.1 + 0.5 * (1 - Math.log(best) / Math.log(FAINTEST));
        g.beginPath();
        g.moveTo(x(box, t - 1), y(box, back));
        g.lineTo(x(box, t), y(box, s));
        g.stroke();
      }
    g.globalAlpha = 1;
  }
  course(g, box, path, colours.accent, 4);
  if (state !== path[now]) course(g, box, behind(reader, now, state), colours.text, 2);
  if (own) course(g, box, own, mine, 3, [6, 4]);
}

export function circles(g, box, { reader, view, now, path, best, state, colours, differs }) {
  const most = Math.min(box.row * (box.row < 26 ? 0.6 : 0.44), box.step * 0.45);
  for (let t = 0; t < box.count; t++) {
    const belief = hmm.belief(reader, view, t);
    for (const s of box.rows) {
      const on = path[t] === s;
      g.fillStyle = on ? colours.accent : best[t] === s ? differs : colours.faint;
      g.beginPath();
      g.arc(x(box, t), y(box, s), Math.max(1.2, most * Math.sqrt(belief[s])), 0, 2 * Math.PI);
      g.fill();
      if (t !== now || s !== state) continue;
      g.strokeStyle = colours.text;
      g.lineWidth = 2;
      g.beginPath();
      g.arc(x(box, t), y(box, s), most, 0, 2 * Math.PI);
      g.stroke();
    }
  }
}

export function names(g, box, { model, now, path, best, labels, state, colours, differs }, scrolled) {
  g.textBaseline = "middle";
  g.textAlign = "center";
  labels.forEach((label, t) => {
    g.font = font(13, t === now ? 700 : 600);
    g.fillStyle = t === now ? colours.accent : colours.text;
    g.fillText(cut(g, label, box.step - 4), x(box, t), 11);
    const other = best[t] !== path[t];
    g.font = font(11, 600);
    g.fillStyle = colours.accent;
    g.fillText(cut(g, model.states[path[t]], box.step - 3), x(box, t), 26);
    if (!other) return;
    g.fillStyle = differs;
    g.fillText(cut(g, model.states[best[t]], box.step - 3), x(box, t), 39);
  });
  // the names of the states, over what is scrolled away
  g.fillStyle = colours.ground;
  if (scrolled) g.fillRect(scrolled, 0, box.left, box.top + box.row * box.rows.length);
  g.textAlign = "right";
  for (const s of box.rows) {
    const on = s === state;
    g.font = font(box.row < 26 ? 12 : 13, on ? 700 : 400);
    g.fillStyle = on ? colours.accent : colours.text;
    g.fillText(cut(g, hmm.called(model, s), box.left - 10), scrolled + box.left - 8, y(box, s));
  }
}
