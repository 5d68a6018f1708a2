// A number in three formats, bit by bit: a click or Enter turns a bit over.

import { element, follow } from "../dom.js";
import { font } from "../drawing/canvas.js";
import { Board, mounting } from "../descend/board.js";

const TALL = 92,
  HEAD = 26;

class Bits extends Board {
  at_ = [0, 0]; // format and bit that the keyboard is at
  /** @type {any} */
  flip = null;

  constructor(parent) {
    super(parent, "A number, bit by bit");
    this.node.tabIndex = 0;
    this.list = element("ul", "ds-key");
    this.root.append(this.list, this.says);
    Object.defineProperty(this.root, "bits", { get: () => ({ cells: this.cells, idle: this.wishes.idle }) });
  }

  wish() {
    return this.flip;
  }

  turn(row, place) {
    this.flip = { number: this.news.rows[row].turned[place] };
    this.at_ = [row, place];
    this.wishes.wish();
  }

  grab(px, py) {
    const found = this.cells?.find((c) => px >= c.x && px < c.x + c.w && py >= c.y && py < c.y + c.h);
    if (found) this.turn(found.row, found.place);
    return false;
  }

  key(e) {
    const [row, place] = this.at_;
    const { rows } = this.news;
    if (e.key === "Enter" || e.key === " ") this.turn(row, place);
    else if (e.key === "ArrowLeft") this.at_ = [row, Math.max(0, place - 1)];
    else if (e.key === "ArrowRight") this.at_ = [row, Math.min(rows[row].bits.length - 1, place + 1)];
    else if (e.key === "ArrowUp" || e.key === "ArrowDown") {
      const next = Math.min(rows.length - 1, Math.max(0, row + (e.key === "ArrowUp" ? -1 : 1)));
      this.at_ = [next, Math.min(place, rows[next].bits.length - 1)];
    } else return false;
    this.refresh();
    return true;
  }

  table() {
    const rows = this.news.rows.map((row) => [row.id, row.value, row.bits.join("")]);
    return { columns: ["format", "value", "bits"], rows };
  }

  draw(ink, width, colours) {
    const { rows, words } = this.news;
    const g = this.surface.begin(width, rows.length * TALL + 4);
    const w = Math.min(30, (width - 8) / 32);
    const h = 34;
    this.cells = [];
    rows.forEach((row, r) => {
      const y = r * TALL;
      g.textBaseline = "middle";
      g.textAlign = "left";
      g.font = font(14, 600);
      g.fillStyle = ink.text;
      g.fillText(row.id, 4, y + HEAD / 2);
      g.font = font(13);
      g.fillText(row.value, 84, y + HEAD / 2);
      row.bits.forEach((bit, place) => {
        const kind = place === 0 ? 0 : place <= row.exponent ? 1 : 2;
        const x = 4 + place * w;
        this.cells.push({ row: r, place, x, y: y + HEAD, w, h });
        g.fillStyle = colours[kind];
        g.globalAlpha = bit ? 0.85 : 0.18;
        g.fillRect(x + 0.75, y + HEAD, w - 1.5, h);
        g.globalAlpha = 1;
        g.fillStyle = ink.text;
        g.font = font(Math.min(15, w * 1.2), bit ? 700 : 400);
        g.textAlign = "center";
        if (bit) g.fillStyle = this.dark ? "#14181c" : "#ffffff";
        g.fillText(String(bit), x + w / 2, y + HEAD + h / 2 + 1);
        if (document.activeElement === this.node && this.at_[0] === r && this.at_[1] === place) {
          g.strokeStyle = ink.text;
          g.lineWidth = 2;
          g.strokeRect(x + 1, y + HEAD, w - 2, h);
        }
      });
      g.textAlign = "left";
      g.font = font(12);
      g.fillStyle = ink.faint;
      g.fillText(row.told, 4, y + HEAD + h + 13);
    });
    follow(
      this.list,
      words.map((word, n) => [word, colours[n]]),
      ([name, background]) => {
        const item = element("li", "");
        const mark = element("i", "");
        mark.style.background = background;
        item.append(mark, element("b", "", { textContent: name }));
        return item;
      },
    );
    this.says.textContent = this.news.says;
  }
}

export const mount = mounting(Bits);
