// The back-off ladder of one next word, from the longest order down: what was counted, what is taken off, what the longer
// orders left, and what that adds to the probability.  The word is the one hovered or chosen, else the likeliest.

import { digits, element, orderColour, percent, probability, visible } from "../dom.js";

export default class Ladder {
  constructor(panel) {
    this.panel = panel;
    this.list = element("ol", "un-list un-ladder");
    this.sum = element("p", "un-formula");
    panel.body.append(this.list, this.sum);
    this.readouts = false;
    this.rungs = [];
  }

  // {label, p, steps} of the word looked at; steps from the shortest order up.
  chosen() {
    const { panel } = this;
    const reader = panel.reader();
    const t = panel.selection.token(reader);
    const top = reader.top[t] ?? [];
    const hovered = panel.selection.hovered.next;
    const name = hovered ?? (panel.app.word() || top[0]?.[0]);
    const row = top.find(
      (r) =>
        r[0] === (!hovered && reader.find?.word === name && reader.find.label ? reader.find.label : name),
    );
    if (row) return { reader, t, label: row[0], p: row[1], steps: row[2] };
    const found = reader.find?.word === name ? reader.found[t] : null;
    return found?.length
      ? { reader, t, label: reader.find.label, p: found[0], steps: found[3] }
      : { reader, t, label: name ?? "" };
  }

  // From the longest order down, what the panel tells of each.
  steps() {
    const { reader, t, label, p, steps } = this.chosen();
    if (!steps) return { reader, t, label, rungs: [] };
    const { method } = reader.spec;
    const n = steps.length - 1;
    let weight = 1;
    let sum = 0;
    const rungs = [];
    for (let m = n; m >= 0; m--) {
      const [part, count, total, discount] = steps[m];
      const gamma = m ? reader.value("backoff", { token: t, order: m }) : 0;
      const given = t - (m - 2); // the first token of the context
      const context =
        m > 1
          ? given >= 0
            ? reader.labels
                .slice(given, t + 1)
                .map(visible)
                .join(" ")
            : null
          : "";
      const places =
        method.adjusted &&
        m < n &&
        !(m > 1 && given >= 0 && reader.spans[given][1] === 0 && given + reader.offset === 0);
      rungs.push({
        m,
        part,
        count,
        total,
        discount,
        gamma,
        weight,
        context,
        places,
        before: sum,
        name: reader.spec.orders[m],
        predicted: method.predicted,
        cut: method.cut,
      });
      sum += part;
      weight *= gamma;
    }
    return { reader, t, label, p, rungs };
  }

  draw() {
    const { panel } = this;
    const { reader, t, label, p, rungs } = this.steps();
    const after = reader.spans[t]?.[1] === 0 ? "at the start" : `after “${visible(reader.labels[t] ?? "")}”`;
    panel.say(
      `Where P(“${visible(label)}”) comes from, ${after}`,
      `${panel.spec.says}${panel.app.word() ? "" : " Click a bar to open another word."}`,
    );
    while (this.rungs.length > rungs.length) this.rungs.pop().root.remove();
    while (this.rungs.length < rungs.length) this.rungs.push(this.rung());
    const orders = reader.spec.orders.length;
    rungs.forEach((r, i) => {
      const row = this.rungs[i];
      row.dot.style.background = row.fill.style.background = `var(${orderColour(r.m, orders)})`;
      put(
        row.name,
        r.m === 0
          ? "uniform"
          : r.m === 1
            ? `${r.name}: ${visible(label)}`
            : `${r.name}: ${r.context ?? "…"} → ${visible(label)}`,
      );
      put(row.value, share(r.part));
      row.skip.style.width = `${((100 * r.before) / p).toFixed(2)}%`;
      row.fill.style.width = `${((100 * r.part) / p).toFixed(2)}%`;
      put(row.says, words(r));
      put(row.formula, formula(r));
      row.formula.hidden = !row.formula.textContent;
    });
    const terms = rungs.filter((r) => r.part > 0).map((r) => probability(r.part));
    put(
      this.sum,
      rungs.length
        ? `P(${visible(label)}) = ${terms.length > 1 ? `${terms.join(" + ")} = ` : ""}${probability(p)}${p >= SMALL ? ` = ${percent(p)}` : ""}`
        : "",
    );
  }

  rung() {
    const row = {
      root: element("li", "un-rung"),
      head: element("div", "un-rung-head"),
      dot: element("i", "un-dot"),
      name: element("b", "un-rung-name"),
      value: element("span", "un-row-value"),
      bar: element("span", "un-row-bar"),
      skip: element("i", ""),
      fill: element("i", ""),
      says: element("p", "un-rung-says"),
      formula: element("p", "un-formula"),
    };
    row.head.append(row.dot, row.name, row.value);
    row.bar.append(row.skip, row.fill);
    row.root.append(row.head, row.bar, row.says, row.formula);
    this.list.append(row.root);
    return row;
  }

  table() {
    const { rungs } = this.steps();
    const rows = rungs.map((r) => [
      r.name,
      r.context ?? "",
      r.m ? r.count : "",
      r.m ? r.total : "",
      r.m ? digits(r.discount) : "",
      digits(r.weight),
      r.m ? digits(r.gamma) : "",
      digits(r.part),
    ]);
    return {
      columns: ["order", "context", "count", "of", "discount", "weight", "left to the next", "adds"],
      rows,
    };
  }

  alt() {
    return `${this.panel.title.textContent}. ${this.sum.textContent}`;
  }
}

const put = (node, text) => {
  if (node.textContent !== text) node.textContent = text;
};
const SMALL = 1e-5; // below that per cent say nothing
const share = (p) => (p >= SMALL ? percent(p) : probability(p));
const whole = (n) => n.toLocaleString("en");

// What the order has seen, and what it leaves.
function words(r) {
  if (r.m === 0) return `Each of the ${whole(r.predicted)} words gets an equal share of the rest.`;
  const left = `leaves γ = ${probability(r.gamma)} to the next shorter order`;
  if (r.context === null)
    return "The text is too short for a context of this length, so the next shorter order gets everything.";
  if (!r.total)
    return `This context was never counted${r.cut ? ", or was pruned to keep the model small" : ""}, so the next shorter order gets everything: γ = 1.`;
  if (!r.count && r.cut)
    return `Never counted here, or pruned to keep the model small; ${whole(r.total)} in total. This order ${left}.`;
  if (!r.count)
    return `${r.places ? `Never counted here, of ${whole(r.total)} in all` : `Not once in the ${whole(r.total)} times the context was counted`}; ${left}.`;
  const seen = r.places
    ? `Counted by the ${whole(r.count)} different ${r.count === 1 ? "word" : "words"} that stand${r.count === 1 ? "s" : ""} before it, of ${whole(r.total)} for all next words`
    : `Counted ${whole(r.count)} ${r.count === 1 ? "time" : "times"} in ${whole(r.total)}`;
  const taken = Math.abs(r.discount) > 1e-6 * r.count ? `; discount D = ${digits(r.discount)}` : "";
  return `${seen}${taken}; ${left}.`;
}

function formula(r) {
  const times = r.weight === 1 ? "" : ` × ${probability(r.weight)}`;
  if (r.m === 0) return r.part > 0 ? `1 / ${whole(r.predicted)}${times} = ${probability(r.part)}` : "";
  if (!r.count || !r.total)
    return r.part > 0 ? `what is shared out here${times} = ${probability(r.part)}` : "";
  if (!(r.part > 0)) return "0: a longer order has already answered";
  const counted =
    Math.abs(r.discount) > 1e-6 * r.count
      ? `(${whole(r.count)} ${r.discount < 0 ? "+" : "−"} ${digits(Math.abs(r.discount))})`
      : whole(r.count);
  return `${counted} / ${whole(r.total)}${times} = ${probability(r.part)}`;
}
