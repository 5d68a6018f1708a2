// Lines as batches: a cell for each token, and those that are only filled up; packed, a bar for each step.

import { element, follow } from "../dom.js";
import { font } from "../drawing/canvas.js";
import { Board, mounting } from "../descend/board.js";

const LEFT = 62,
  RIGHT = 12,
  TOP = 4,
  GAP = 30, // above each batch, for its name
  BARS = 34, // below each packed batch
  LOWEST = 440,
  SMALLEST = 10; // of the words behind the name of a batch

class Matrix extends Board {
  /** @type {any} */
  over = null;

  constructor(parent) {
    super(parent, "Lines as batches");
    this.list = element("ul", "ds-key");
    this.root.append(this.list, this.says);
    Object.defineProperty(this.root, "matrix", {
      get: () => ({ cells: this.cells?.length, over: this.over, batches: this.news?.batches }),
    });
  }

  grab() {
    return false;
  }

  look(px, py) {
    const { wide, high } = this;
    this.over =
      (this.cells ?? []).find((c) => px >= c.x && px < c.x + wide && py >= c.y && py < c.y + high) ?? null;
    this.refresh();
  }

  draw(ink, width, colours) {
    const { news } = this;
    const packed = news.mode === "packed";
    const longest = Math.max(1, ...news.batches.map((b) => b.width));
    const rows = news.batches.reduce((n, b) => n + b.rows.length, 0);
    const fixed = TOP + news.batches.length * (GAP + (packed ? BARS : 4));
    const high = (this.high = Math.max(11, Math.min(28, (LOWEST + 60 - fixed) / rows)));
    const wide = (this.wide = Math.min(30, (width - LEFT - RIGHT) / longest));
    const height = Math.max(LOWEST, fixed + rows * high);
    const g = this.surface.begin(width, height);
    this.cells = [];
    let y = TOP;
    news.batches.forEach((batch, n) => {
      g.textBaseline = "middle";
      g.textAlign = "left";
      g.font = font(13, 600);
      g.fillStyle = ink.text;
      g.fillText(batch.name, 4, y + GAP / 2);
      const named = g.measureText(batch.name).width;
      g.fillStyle = ink.faint;
      g.font = font(13);
      const fits = (width - 20 - named) / g.measureText(batch.told).width;
      g.font = font(Math.max(SMALLEST, Math.min(13, 13 * fits)));
      g.fillText(batch.told, 16 + named, y + GAP / 2);
      y += GAP;
      batch.rows.forEach((row) => {
        g.textAlign = "right";
        g.font = font(Math.min(12, high - 1));
        g.fillStyle = ink.faint;
        g.fillText(String(row.line), LEFT - 8, y + high / 2);
        const end = packed ? row.tokens.length : batch.width;
        for (let t = 0; t < end; t++)
          this.cell(g, ink, colours, LEFT + t * wide, y, { row, t, n, token: row.tokens[t], packed });
        y += high;
      });
      if (packed) this.bars(g, ink, colours, batch, y);
      y += packed ? BARS : 4;
    });
    follow(
      this.list,
      [[news.words[0], colours[0]], ...(packed ? [[news.words[2], colours[1]]] : [[news.words[1], ""]])],
      ([name, background]) => {
        const item = element("li", "");
        const mark = element("i", "");
        if (background) mark.style.background = background;
        else mark.className = "bt-pad";
        mark.style.height = "12px";
        item.append(mark, element("b", "", { textContent: name }));
        return item;
      },
    );
    this.says.textContent = this.over ? this.told(this.over) : news.says;
  }

  table() {
    const { batches, mode } = this.news;
    const rows = batches.flatMap((batch) =>
      batch.rows.flatMap((row) => {
        const end = mode === "packed" ? row.tokens.length : batch.width;
        return Array.from({ length: end }, (_, t) => [
          batch.name,
          row.line,
          t + 1,
          row.tokens[t] ?? "padding",
        ]);
      }),
    );
    return { columns: ["batch", "line", "place", "token"], rows };
  }

  told({ row, t, token, packed }) {
    if (token === undefined) return `Line ${row.line}, place ${t + 1}: padding, no token.`;
    const place = packed ? `; number ${row.places[t] + 1} of the packed data` : "";
    return `Line ${row.line}, place ${t + 1}: “${token}”${place}.`;
  }

  cell(g, ink, colours, x, y, of) {
    const { wide, high } = this;
    const inset = wide > 6 ? 0.75 : 0.25;
    const box = [x + inset, y + inset, wide - 2 * inset, high - 2 * inset];
    this.cells.push({ x, y, ...of });
    if (of.token === undefined) {
      g.globalAlpha = 0.16;
      g.fillStyle = ink.faint;
      g.fillRect(...box);
      g.globalAlpha = 0.6;
      g.strokeStyle = ink.faint;
      g.lineWidth = 1;
      g.beginPath();
      g.moveTo(box[0], box[1] + box[3]);
      g.lineTo(box[0] + Math.min(box[2], box[3]), box[1] + box[3] - Math.min(box[2], box[3]));
      g.stroke();
      g.globalAlpha = 1;
    } else {
      g.globalAlpha = 0.3;
      g.fillStyle = colours[0];
      g.fillRect(...box);
      g.globalAlpha = 1;
      if (wide >= 8 && high >= 11) {
        g.fillStyle = ink.text;
        g.font = font(Math.min(14, wide * 1.1, high - 1));
        g.textAlign = "center";
        g.fillText(of.token === " " ? "·" : of.token, x + wide / 2, y + high / 2 + 0.5);
      }
    }
    const { over } = this;
    const same =
      over &&
      over.n === of.n &&
      (of.packed ? over.t === of.t : over.row.line === of.row.line && over.t === of.t);
    if (same) {
      g.strokeStyle = ink.text;
      g.lineWidth = 1.5;
      g.strokeRect(...box);
    }
  }

  // How many lines go on at each step.
  bars(g, ink, colours, batch, y) {
    const most = Math.max(...batch.sizes);
    const room = BARS - 16;
    batch.sizes.forEach((size, t) => {
      const tall = (room * size) / most;
      g.fillStyle = colours[1];
      g.globalAlpha = this.over && this.over.t === t && batch.rows.includes(this.over.row) ? 1 : 0.6;
      g.fillRect(LEFT + t * this.wide + 0.75, y + 3, Math.max(1, this.wide - 1.5), tall);
      g.globalAlpha = 1;
      if (this.wide >= 12) {
        g.fillStyle = ink.text;
        g.font = font(11);
        g.textAlign = "center";
        g.fillText(String(size), LEFT + (t + 0.5) * this.wide, y + tall + 10);
      }
    });
    g.fillStyle = ink.faint;
    g.font = font(11);
    g.textAlign = "right";
    g.fillText("at work", LEFT - 8, y + 12);
  }
}

export const mount = mounting(Matrix);
