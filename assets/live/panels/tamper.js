// Change numbers while the model runs: any field that something follows from, at any place along its axes, and what then
// changes of what the model expects.  Edits stand in the address; engine/analysis/surgery.py reads them.

import { History, OPERATIONS } from "../sums/edits.js";
import { element, percent, short, visible } from "../dom.js";
import { answered, pickOf } from "../parts/inspected.js";

const ALONG = new Set(["token", "query", "key", "source", "seen"]);
const PLACES = /^(\*|\d{1,6}(-\d{0,6})?)$/;

export default class Tamper {
  constructor(panel) {
    this.panel = panel;
    this.readouts = false;
    this.history = new History();
    this.chosen = null;
    const line = (...parts) => {
      const node = element("div", "un-order");
      node.append(...parts);
      return node;
    };
    this.field = this.select(
      "Field",
      Object.keys(panel.spec.sites).map((name) => [name, name]),
    );
    this.how = this.select("Operation", Object.entries(OPERATIONS));
    this.value = element("input", "un-amount", { type: "number", step: "any", value: "0" });
    this.value.setAttribute("aria-label", "Value");
    this.slider = element("input", "un-slider", { type: "range", min: -1, max: 1, step: 0.01, value: "0" });
    this.slider.setAttribute("aria-label", "Value, as a slider");
    this.places = element("div", "un-order");
    const button = (textContent, title, onclick) =>
      element("button", "un-button", { type: "button", textContent, title, onclick });
    this.add = button("Add this edit", "Add the edit set by the controls", () => this.put());
    this.undo = button("Undo", "Undo the last change", () => this.step("undo"));
    this.redo = button("Redo", "Redo the change", () => this.step("redo"));
    this.none = button("Remove all", "No edits", () => this.change([], true));
    this.problems = element("p", "un-says", { role: "status" });
    this.list = element("ul", "un-list un-edits");
    this.list.setAttribute("aria-label", "Edits");
    this.head = element("h4", "un-change-head");
    this.moves = element("ol", "un-list");
    this.rows = [];
    this.says = element("p", "un-says");
    this.body = element("div", "");
    this.body.append(
      line(element("span", "", { textContent: "In" }), this.field),
      this.places,
      line(this.how, this.value, this.slider),
      line(this.add, this.undo, this.redo, this.none),
    );
    panel.body.append(this.body, this.problems, this.list, this.head, this.moves, this.says);
    this.field.onchange = () => {
      this.touched = true;
      this.place();
      this.live(true);
    };
    this.how.onchange = () => {
      this.limits();
      this.live(true);
    };
    this.value.oninput = () => {
      this.slider.value = this.value.value;
      this.live(false);
    };
    this.slider.oninput = () => {
      this.value.value = this.slider.value;
      this.live(false);
    };
    this.slider.onchange = this.value.onchange = () => this.live(true);
  }

  select(name, options) {
    const node = element("select", "un-select");
    node.setAttribute("aria-label", name);
    node.append(...options.map(([value, textContent]) => element("option", "", { value, textContent })));
    return node;
  }

  get edits() {
    return (this.panel.selection.kept.edits ?? "").split(",").filter(Boolean);
  }
  get site() {
    return this.panel.spec.sites[this.field.value] ?? {};
  }

  // An input for each axis of the field, filled with where the page looks.
  place() {
    const { panel } = this;
    const reader = panel.reader();
    const token = panel.selection.keptToken(reader) + reader.offset;
    this.inputs = new Map();
    const nodes = Object.entries(this.site).map(([axis, size]) => {
      const label = element("label", "un-pick", { textContent: `${axis} ` });
      const first =
        axis === "token" || axis === "query"
          ? panel.selection.kept.token === undefined && axis === "token"
            ? "*"
            : String(token)
          : ALONG.has(axis) || axis === "dim" || axis === "next"
            ? "*"
            : String(Math.min(pickOf(panel.selection, axis), (size ?? 1) - 1));
      const input = element("input", "un-amount", {
        type: "text",
        value: first,
        maxLength: 13,
        title: `One ${axis} (3), several (3-9)${ALONG.has(axis) ? ", to the end (3-)" : ""} or all (*)${size ? `, from 0 to ${size - 1}` : ", counted from 0"}`,
      });
      input.setAttribute("aria-label", `${axis}: one (3), several (3-9) or all (*)`);
      input.oninput = () => {
        this.touched = true;
        this.live(false);
      };
      input.onchange = () => this.live(true);
      label.append(input);
      this.inputs.set(axis, input);
      return label;
    });
    this.places.replaceChildren(element("span", "", { textContent: "at" }), ...nodes);
    this.limits();
  }

  limits() {
    const about = this.panel.reader().spec.fields[this.field.value];
    const { low, high } = about?.scale ?? { low: -1, high: 1 };
    const reach = Math.max(Math.abs(low), Math.abs(high));
    const [min, max] = { set: [low, high], scale: [0, 2], add: [-reach, reach], freeze: [0, 0] }[
      this.how.value
    ];
    Object.assign(this.slider, { min, max, step: (max - min) / 200 || 1, value: this.value.value });
    for (const option of this.how.options)
      option.disabled = option.value === "freeze" && !this.panel.spec.frozen.includes(this.field.value);
    if (this.how.selectedOptions[0]?.disabled) this.how.value = "set";
    for (const node of [this.value, this.slider]) node.disabled = this.how.value === "freeze";
  }

  // What the controls say, as an edit; null where it is none.
  draft() {
    const places = [];
    for (const [axis, input] of this.inputs ?? []) {
      const said = input.value.trim() || "*";
      if (!PLACES.test(said)) return null;
      if (said !== "*") places.push(`${axis}=${said}`);
    }
    const value = Number(this.value.value);
    if (!Number.isFinite(value) || this.value.value === "") return null;
    if (
      this.how.value === "set" &&
      this.panel.spec.gates.includes(this.field.value) &&
      (value < 0 || value > 1)
    )
      return null;
    return [
      this.field.value,
      ...places,
      this.how.value,
      ...(this.how.value === "freeze" ? [] : [String(Math.round(value * 1e6) / 1e6)]),
    ].join(":");
  }

  put() {
    const draft = this.draft();
    const { edits } = this;
    if (!draft || edits.length >= this.panel.spec.most) return;
    this.chosen = edits.length;
    this.change([...edits, draft], true);
  }

  // The chosen edit follows the controls.
  live(done) {
    const draft = this.draft();
    this.add.disabled = !draft;
    if (!draft || this.chosen === null) return;
    const { edits } = this;
    if (edits[this.chosen] === undefined || edits[this.chosen] === draft) return;
    edits[this.chosen] = draft;
    this.change(edits, done);
  }

  change(edits, done) {
    const { selection, app } = this.panel;
    const before = selection.kept.edits ?? "";
    this.before ??= before;
    if (done) {
      this.history.did(this.before);
      this.before = undefined;
    }
    if (!edits.length) this.chosen = null;
    selection.keep({ edits: edits.join(",") || undefined }, app);
    app.again();
  }

  step(way) {
    const { selection, app } = this.panel;
    const found = this.history[way](selection.kept.edits ?? "");
    if (found === undefined) return;
    this.chosen = null;
    selection.keep({ edits: found || undefined }, app);
    app.again();
  }

  draw() {
    const { panel } = this;
    const reader = panel.reader();
    panel.root.style.order = "1000"; // below every picture
    const { sites } = panel.spec;
    const names = Object.keys(sites);
    this.body.hidden = !names.length;
    if (!names.length) {
      this.says.textContent = "No number that this model shows can be edited.";
      return;
    }
    const { shows, edited } = answered(reader);
    if (!this.touched && !this.edits.length) {
      const mine = shows.find((name) => sites[name] && name !== panel.spec.tells) ?? names[0];
      if (this.field.value !== mine) {
        this.field.value = mine;
        this.where = null;
      }
    }
    const { kept } = panel.selection;
    const where = JSON.stringify([
      this.field.value,
      kept.layer,
      kept.head,
      kept.unit,
      kept.picks,
      kept.token,
    ]);
    if (this.where !== where && this.chosen === null && !this.body.contains(document.activeElement)) {
      this.where = where;
      this.place();
    }
    if (!this.inputs) this.place();
    this.add.disabled = !this.draft() || this.edits.length >= panel.spec.most;
    this.undo.disabled = !this.history.past.length;
    this.redo.disabled = !this.history.future.length;
    this.none.disabled = !this.edits.length;
    const problems = (reader.said.problems ?? []).join(" ");
    if (this.problems.textContent !== problems) this.problems.textContent = problems;
    this.drawList(reader);
    this.drawMoves(reader, edited);
  }

  drawList(reader) {
    const { edits } = this;
    const key = JSON.stringify([edits, this.chosen]);
    if (key === this.listed) return;
    this.listed = key;
    this.list.replaceChildren(
      ...edits.map((edit, n) => {
        const item = element("li", "un-edit");
        const choose = element("button", "un-button", {
          type: "button",
          textContent: this.words(edit),
          title: "Change this edit with the controls",
        });
        choose.setAttribute("aria-pressed", String(this.chosen === n));
        choose.onclick = () => {
          this.chosen = this.chosen === n ? null : n;
          if (this.chosen !== null) this.fill(edit);
          this.panel.draw();
        };
        const remove = element("button", "un-button", { type: "button", textContent: "Remove" });
        remove.setAttribute("aria-label", `Remove: ${this.words(edit)}`);
        remove.onclick = () => {
          this.chosen = null;
          this.change(
            this.edits.filter((_, i) => i !== n),
            true,
          );
        };
        item.append(choose, remove);
        return item;
      }),
    );
  }

  // An edit of the address in the controls: by name, or in the order of the page Surgery.
  parts(edit) {
    const [name, ...rest] = edit.split(":");
    const how = rest.findIndex((word) => word in OPERATIONS);
    const axes = Object.keys(this.panel.spec.sites[name] ?? {});
    const order = [
      ...axes.filter((axis) => !ALONG.has(axis) && !(axis === "dim" && axes.includes("head"))),
      ...axes.filter((axis) => ALONG.has(axis)),
    ];
    const at = Object.fromEntries(
      rest
        .slice(0, Math.max(0, how))
        .map((word, i) => (word.includes("=") ? word.split("=") : [order[i], word])),
    );
    return { name, at, how: rest[how] ?? "", value: rest[how + 1] };
  }

  fill(edit) {
    const { name, at, how, value } = this.parts(edit);
    if (!this.panel.spec.sites[name]) return;
    this.field.value = name;
    this.how.value = how;
    this.place();
    for (const [axis, input] of this.inputs) input.value = at[axis] ?? "*";
    if (value !== undefined) this.value.value = value;
    this.limits();
  }

  words(edit) {
    const { name, at, how, value } = this.parts(edit);
    const done = { set: `held at ${value}`, scale: `times ${value}`, add: `plus ${value}`, freeze: "frozen" }[
      how
    ];
    const places = Object.entries(at)
      .filter(([, n]) => n !== "*")
      .map(
        ([axis, n]) =>
          `${axis} ${["layer", "head"].includes(axis) ? n.replace(/\d+/g, (k) => Number(k) + 1) : n}`,
      );
    return done
      ? `${name}${places.length ? ` at ${places.join(", ")}` : " everywhere"}: ${done}`.replace(
          / -(?=\d)/g,
          " −",
        )
      : edit;
  }

  drawMoves(reader, edited) {
    const { tells } = this.panel.spec;
    const t = this.panel.selection.token(reader);
    const rows = edited ? (reader.moves[t] ?? []) : [];
    this.head.textContent = rows.length
      ? `${tells} at “${short(reader.labels[t] ?? "", 18)}”: as it is → edited`
      : "";
    const most = Math.max(...rows.flatMap(([, p, q]) => [p, q]), 1e-9);
    while (this.rows.length > rows.length) this.rows.pop().root.remove();
    while (this.rows.length < rows.length) {
      const row = {
        root: element("li", "un-row un-move"),
        label: element("span", "un-row-label"),
        bars: element("span", "un-move-bars"),
        value: element("span", "un-row-value"),
        before: element("i", "un-before"),
        after: element("i", "un-after"),
      };
      row.bars.append(row.before, row.after);
      row.root.append(row.label, row.bars, row.value);
      this.moves.append(row.root);
      this.rows.push(row);
    }
    rows.forEach(([label, p, q], i) => {
      const row = this.rows[i];
      row.label.textContent = short(label, 18);
      row.before.style.width = `${(100 * p) / most}%`;
      row.after.style.width = `${(100 * q) / most}%`;
      row.value.textContent = `${percent(p)} → ${percent(q)}`;
    });
    const same = rows.every(([, p, q]) => p === q);
    this.says.textContent = !this.edits.length
      ? "No edits: the pictures show the run as it is. Layers and heads are counted from 0 in these fields, as in the code."
      : !tells
        ? "The pictures show the effect; this model gives no probabilities."
        : rows.length && same
          ? "What the model expects here does not change."
          : rows.length
            ? "Largest changes first. Grey: original; colour: edited."
            : "";
  }

  table() {
    const reader = this.panel.reader();
    const rows = reader.moves[this.panel.selection.token(reader)] ?? [];
    return {
      columns: ["expected", "as it is", "edited"],
      rows: rows.map(([label, p, q]) => [visible(label), percent(p), percent(q)]),
    };
  }

  alt() {
    return `${this.panel.title.textContent}. ${this.edits.map((edit) => this.words(edit)).join("; ") || "No edits."} ${this.head.textContent}`;
  }
}
