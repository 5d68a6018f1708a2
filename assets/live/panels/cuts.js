// The lattice of one word: every piece that fits as a bar over its letters, the likeliest cut marked; below the best cuts.

import { element, follow, percent, visible } from "../dom.js";

const SVG = "http://www.w3.org/2000/svg",
  LETTER = 54,
  ROW = 30,
  HEAD = 26;
const shown = (piece) => visible(piece.replaceAll("▁", " "));

export default class Cuts {
  constructor(panel) {
    this.panel = panel;
    this.readouts = false;
    const bar = element("div", "un-order");
    const word = element("label", "un-both", { textContent: "Word " }),
      size = element("label", "un-both", { textContent: "Pieces to keep " });
    this.word = element("input", "un-select", {
      type: "text",
      maxLength: 24,
      placeholder: "the longest of the text",
      id: "un-cut-word",
    });
    this.word.oninput = () => this.keep({ next: this.word.value || undefined });
    this.size = element("select", "un-select");
    for (const n of panel.spec.sizes)
      this.size.append(element("option", "", { value: String(n), textContent: String(n) }));
    this.size.onchange = () => this.keep({ size: Number(this.size.value) });
    word.append(this.word);
    size.append(this.size);
    bar.append(word, size);
    this.holder = element("div", "un-tree-holder", { tabIndex: 0 });
    this.list = element("ol", "un-list");
    this.note = element("p", "un-says");
    panel.body.append(bar, this.holder, this.list, this.note);
  }

  keep(choice) {
    const { selection, app } = this.panel;
    Object.assign(selection.kept, choice);
    app.restSoon();
  }

  // Training takes some milliseconds: asked for in a moment of rest.
  get wish() {
    return JSON.stringify([this.panel.app.box?.value, this.word.value, this.size.value]);
  }
  rest() {
    if (this.wish !== this.sent) {
      this.asking = true;
      this.panel.app.again();
    }
  }
  ask() {
    if (!this.asking) return {};
    this.asking = false;
    this.sent = this.wish;
    return { cuts: this.panel.app.box.value, word: this.word.value, pieces: Number(this.size.value) };
  }

  draw() {
    const { panel } = this;
    const { cuts } = panel.reader().said;
    const [word, size] = [panel.selection.get("next") ?? "", panel.selection.get("size") ?? panel.spec.size];
    if (this.word.value !== word) this.word.value = word;
    if (this.size.value !== String(size)) this.size.value = String(size);
    const old = cuts && cuts.of !== panel.app.text;
    this.holder.classList.toggle("un-stale", !!old);
    this.list.classList.toggle("un-stale", !!old);
    if (!cuts || cuts === this.of) return;
    this.of = cuts;
    const empty = !cuts.edges.length;
    panel.say(
      panel.spec.title,
      empty
        ? "Type a word to see its cuts."
        : `Unigram begins with all characters and with every substring that occurs at least twice among the different words. It removes the least useful until few enough are left, here ${cuts.pieces}. Each has a probability, learned from the text. A bar is a piece that fits; a way from left to right over bars is a cut, and its probability is the product of its pieces'. Dark: much of the probability passes through it. Outlined: the likeliest cut.`,
    );
    this.paint(cuts);
    follow(
      this.list,
      cuts.best.map(([pieces, score, share], i) => [
        pieces.map(shown).join(" | "),
        Math.exp(share),
        -score / Math.LN2,
        i === 0,
      ]),
      row,
    );
    const strange = cuts.edges.filter((e) => !e[5]).map((e) => shown(e[2]));
    const text = empty
      ? ""
      : `${cuts.ways === 1 ? "This is the only cut." : cuts.ways === cuts.best.length ? `These are all ${cuts.ways} cuts.` : `${cuts.ways.toLocaleString("en")} cuts are possible; these are the best ${cuts.best.length}.`} The bar is the cut's share of the word's probability, the number its cost in bits.${strange.length ? ` Not in the text, so no piece: ${[...new Set(strange)].join(" ")}; such a letter costs more than the rarest piece.` : ""}`;
    if (this.note.textContent !== text) this.note.textContent = text;
  }

  paint({ word, edges, best }) {
    const points = Array.from(word),
      rows = [];
    const outlined = new Set();
    let at = 0;
    for (const piece of best[0]?.[0] ?? []) {
      const stop = at + Array.from(piece).length;
      outlined.add(`${at} ${stop}`);
      at = stop;
    }
    for (const edge of [...edges].sort((a, b) => a[1] - a[0] - (b[1] - b[0]) || a[0] - b[0])) {
      let r = rows.findIndex(
        (row) =>
          row.every((e) => e[1] <= edge[0] || e[0] >= edge[1]) &&
          (row[0][1] - row[0][0] === edge[1] - edge[0] ||
            (row[0][1] - row[0][0] > 1 && edge[1] - edge[0] > 1)),
      );
      if (r < 0) {
        r = rows.length;
        rows.push([]);
      }
      rows[r].push(edge);
    }
    const svg = make("svg", {
      width: points.length * LETTER + 2,
      height: HEAD + rows.length * ROW + 4,
      role: "img",
      "aria-label": this.alt(),
    });
    points.forEach((c, i) => svg.append(words("un-leaf-label", i * LETTER + LETTER / 2, 16, shown(c))));
    rows.forEach((row, r) =>
      row.forEach(([start, stop, piece, score, share]) => {
        const bar = make("g", {}),
          on = outlined.has(`${start} ${stop}`);
        const title = make("title", {});
        title.textContent = `${shown(piece)}: p = ${percent(Math.exp(score))}; ${percent(share)} of the word's probability passes through it`;
        bar.append(
          title,
          make("rect", {
            class: `un-leaf${on ? " un-best" : ""}`,
            x: start * LETTER + 2,
            y: HEAD + r * ROW,
            width: (stop - start) * LETTER - 4,
            height: ROW - 5,
            rx: 5,
            style: `fill: color-mix(in srgb, var(--un-accent) ${Math.round(6 + 44 * share)}%, var(--un-ground))`,
          }),
        );
        bar.append(
          words(
            "un-leaf-small",
            ((start + stop) * LETTER) / 2,
            HEAD + r * ROW + 17,
            stop - start > 1 ? `${shown(piece)}  ${percent(Math.exp(score))}` : percent(Math.exp(score)),
          ),
        );
        svg.append(bar);
      }),
    );
    this.holder.replaceChildren(svg);
  }

  table() {
    const { cuts } = this.panel.reader().said;
    return {
      columns: ["from", "to", "piece", "probability", "share of probability"],
      rows: (cuts?.edges ?? []).map(([a, b, piece, score, share]) => [
        a,
        b,
        shown(piece),
        percent(Math.exp(score)),
        percent(share),
      ]),
    };
  }

  drawn() {
    const { cuts } = this.panel.reader().said;
    if (!cuts?.edges.length) return {};
    return {
      "cut.share": {
        axes: ["token"],
        labels: [cuts.edges.map((e) => `${e[0]} ${e[2]}`)],
        values: Float32Array.from(cuts.edges, (e) => e[4]),
      },
    };
  }

  alt() {
    const cuts = this.panel.reader().said.cuts;
    return cuts?.best.length
      ? `All cuts of ${shown(cuts.word)}. The likeliest is ${cuts.best[0][0].map(shown).join(" | ")}, one of ${cuts.ways}.`
      : "Nothing to cut yet.";
  }
}

function row([pieces, share, bits, first]) {
  const node = element("li", `un-row un-cut-row${first ? " un-right" : ""}`),
    bar = element("span", "un-row-bar"),
    fill = element("i", "");
  fill.style.cssText = `width:${100 * share}%;background:${first ? "var(--un-accent)" : "var(--un-faint)"}`;
  bar.append(fill);
  node.append(
    element("span", "un-row-label", { textContent: pieces, title: pieces }),
    bar,
    element("span", "un-row-value", { textContent: `${percent(share)}, ${bits.toFixed(1)} bits` }),
  );
  return node;
}

function make(tag, attributes) {
  const node = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  return node;
}

function words(name, x, y, text) {
  const node = make("text", { class: name, x, y });
  node.textContent = text;
  return node;
}
