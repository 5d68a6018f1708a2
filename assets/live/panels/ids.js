// The prepared tokens in order, each over its number; numbers that come again share a colour.

import { element, follow, short } from "../dom.js";

const COLOURS = 8;

export default class Ids {
  constructor(panel) {
    this.panel = panel;
    this.list = element("div", "un-ids");
    this.list.addEventListener("pointerover", (e) => {
      const node = e.target.closest("[data-t]");
      const reader = panel.reader();
      if (node)
        panel.selection.look({
          token: Number(node.dataset.t),
          reader: reader.spec.id,
          span: reader.spans[node.dataset.t],
        });
    });
    this.list.addEventListener("pointerleave", () => panel.selection.leave());
    panel.body.append(this.list);
  }

  draw() {
    const reader = this.panel.reader();
    const { ids = [] } = reader.said;
    const counts = new Map();
    for (const id of ids) counts.set(id, (counts.get(id) ?? 0) + 1);
    const again = [...counts].filter(([, n]) => n > 1).map(([id]) => id);
    const colours = new Map(again.map((id, n) => [id, n % COLOURS]));
    follow(
      this.list,
      ids.map((id, t) => [reader.labels[t], id, colours.get(id) ?? -1]),
      chip,
    );
    const now = this.panel.selection.get("token") === undefined ? -1 : this.panel.selection.token(reader);
    [...this.list.children].forEach((node, t) => node.classList.toggle("un-here", t === now));
    const often = [...counts].sort((a, b) => b[1] - a[1])[0];
    const most =
      often && often[1] > 1
        ? ` Most frequent: “${reader.labels[ids.indexOf(often[0])]}”, ${often[1]} times.`
        : "";
    this.panel.read(
      ids.length
        ? `${ids.length} ${ids.length === 1 ? "token" : "tokens"}, ${counts.size} different: a vocabulary of ${counts.size} plus padding.${most}`
        : "No tokens are left. Type something, or switch a step off.",
    );
  }

  drawn() {
    const reader = this.panel.reader();
    const { ids = [] } = reader.said;
    return ids.length
      ? { id: { axes: ["token"], labels: [reader.labels], values: Float32Array.from(ids) } }
      : {};
  }

  table() {
    const reader = this.panel.reader();
    return {
      columns: ["token", "number", "characters of the typed text"],
      rows: (reader.said.ids ?? []).map((id, t) => [reader.labels[t], id, reader.spans[t].join(" to ")]),
    };
  }

  alt() {
    return `Tokens and their numbers. ${this.panel.readout.textContent}`;
  }
}

function chip([label, id, colour], t) {
  const node = element("span", `un-id${colour < 0 ? "" : " un-id-again"}`);
  if (colour >= 0) node.style.setProperty("border-color", `var(--un-reader-${colour})`);
  node.dataset.t = String(t);
  node.append(
    element("span", "un-id-token", { textContent: short(label, 24) }),
    element("b", "", { textContent: String(id) }),
  );
  return node;
}
