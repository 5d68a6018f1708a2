// Masks of dropout in time: three forms, a column for each step, a row for each unit.

import { element, follow } from "../dom.js";
import { font } from "../drawing/canvas.js";
import { Board, mounting } from "../descend/board.js";

const HEAD = 24,
  FOOT = 22,
  TALL = 250,
  GAP = 22;

class Masks extends Board {
  constructor(parent) {
    super(parent, "Masks of dropout in time");
    this.list = element("ul", "ds-key");
    this.root.append(this.list, this.says);
    Object.defineProperty(this.root, "masks", { get: () => this.news?.forms });
  }

  grab() {
    return false;
  }

  table() {
    const { forms, words } = this.news;
    const rows = forms.flatMap((form) =>
      form.cells.flatMap((column, t) => column.map((kind, u) => [form.name, t + 1, u + 1, words[2 - kind]])),
    );
    return { columns: ["form", "step", "unit", "what becomes of it"], rows };
  }

  draw(ink, width, colours) {
    const { forms, words } = this.news;
    const across = width < 600 ? 1 : forms.length;
    const wide = (width - (across - 1) * GAP) / across;
    const g = this.surface.begin(width, (HEAD + TALL + FOOT) * Math.ceil(forms.length / across));
    forms.forEach((form, n) => {
      const left = (n % across) * (wide + GAP);
      const top = Math.floor(n / across) * (HEAD + TALL + FOOT);
      g.textBaseline = "middle";
      g.textAlign = "left";
      g.font = font(13, 600);
      g.fillStyle = ink.text;
      g.fillText(form.name, left, top + HEAD / 2);
      const w = wide / form.cells.length;
      const h = TALL / form.cells[0].length;
      form.cells.forEach((column, t) =>
        column.forEach((kind, u) => {
          g.fillStyle = kind === 0 ? ink.faint : colours[0];
          g.globalAlpha = [0.12, 0.25, 0.9][kind];
          g.fillRect(left + t * w + 0.5, top + HEAD + u * h + 0.5, w - 1, h - 1);
        }),
      );
      g.globalAlpha = 1;
      g.font = font(12);
      g.fillStyle = ink.faint;
      g.fillText(form.told, left, top + HEAD + TALL + FOOT / 2);
    });
    follow(
      this.list,
      [
        [words[0], colours[0], 0.9],
        [words[1], colours[0], 0.25],
        [words[2], ink.faint, 0.12],
      ],
      ([name, background, opacity]) => {
        const item = element("li", "");
        const mark = element("i", "");
        Object.assign(mark.style, { background, opacity, height: "12px" });
        item.append(mark, element("b", "", { textContent: name }));
        return item;
      },
    );
    this.says.textContent = this.news.says;
  }
}

export const mount = mounting(Masks);
