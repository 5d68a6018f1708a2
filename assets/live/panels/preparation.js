// A pipeline of text preparation: one row a step, ordered by hand, with each change marked where it happened.

import { element, follow } from "../dom.js";

const MARKS = { " ": "·", "\t": "→", "\n": "⏎\n", "\r": "␍" };
const marked = (text) => text.replace(/[ \t\n\r]/g, (c) => MARKS[c]);
const plain = (text) => text.replace(/[\t\n\r]/g, (c) => MARKS[c]);

export default class Preparation {
  now;
  marked;

  constructor(panel) {
    this.panel = panel;
    this.readouts = false;
    this.kinds = new Map(panel.spec.kinds.map((kind) => [kind.id, kind]));
    const bar = element("div", "un-order");
    bar.append(element("span", "un-search-label", { textContent: "Begin with" }));
    this.presets = panel.spec.presets.map(([textContent, steps]) => {
      const node = element("button", "un-button", {
        type: "button",
        textContent,
        onclick: () => this.put(steps),
      });
      bar.append(node);
      return { node, steps };
    });
    this.more = element("select", "un-select");
    this.more.setAttribute("aria-label", "Add a step at the end");
    this.more.append(element("option", "", { value: "", textContent: "Add a step…" }));
    for (const { id, title } of panel.spec.kinds)
      this.more.append(element("option", "", { value: id, textContent: title }));
    this.more.onchange = () => {
      const kind = this.kinds.get(this.more.value);
      if (kind)
        this.put([...this.steps, [kind.id, kind.choices[0]?.[0]].filter(Boolean).join(".")].join("-"));
      this.more.value = "";
    };
    bar.append(this.more);
    this.list = element("ol", "un-list un-prep");
    this.list.addEventListener("pointerover", (e) => this.look(e));
    this.list.addEventListener("pointerleave", () => panel.selection.leave());
    panel.body.append(bar, this.list);
    this.rows = [];
  }

  get written() {
    return this.panel.selection.get("steps") ?? this.panel.spec.steps;
  }
  get steps() {
    return this.written === "none" ? [] : this.written.split("-");
  }
  get said() {
    return this.panel.reader().said;
  }

  ask() {
    return { steps: this.written };
  }

  put(steps) {
    const { selection, app } = this.panel;
    selection.keep({ steps: steps || "none" }, app);
    app.again();
  }

  look({ target }) {
    const node = target.closest("[data-t]");
    const reader = this.panel.reader();
    if (!node) return this.panel.selection.leave();
    const token = Number(node.dataset.t);
    this.panel.selection.look({ token, reader: reader.spec.id, span: reader.spans[token] });
  }

  // Move a step; the button that was pressed keeps the focus.
  move(i, by, name) {
    const steps = this.steps;
    [steps[i], steps[i + by]] = [steps[i + by], steps[i]];
    this.focus = [i + by, name];
    this.put(steps.join("-"));
  }

  change(i, part) {
    this.put(
      this.steps
        .map((step, k) => (k === i ? part : step))
        .filter(Boolean)
        .join("-"),
    );
  }

  build(rows) {
    const shape = JSON.stringify(rows.map(({ id, choice, on }) => [id, choice, on]));
    if (shape === this.shape) return;
    this.shape = shape;
    this.rows = [this.typed(), ...rows.map((row, i) => this.row(row, i, rows.length))];
    const held = this.list.contains(document.activeElement); // whoever types by now keeps the box
    this.list.replaceChildren(...this.rows.map(({ root }) => root));
    const [place, name] = (held && this.focus) || [];
    const buttons = this.rows[place + 1]?.buttons;
    if (buttons) (buttons[name]?.disabled ? buttons.on : buttons[name])?.focus();
    this.focus = null;
  }

  typed() {
    const root = element("li", "un-prep-row"),
      text = element("p", "un-prep-text"),
      head = element("div", "un-prep-head");
    head.append(element("span", "un-prep-title", { textContent: "Typed" }));
    root.append(head, text);
    return { root, text, buttons: {} };
  }

  row({ id, choice, on }, i, count) {
    const kind = this.kinds.get(id);
    const root = element("li", `un-prep-row${on ? "" : " un-prep-off"}`),
      head = element("div", "un-prep-head"),
      side = element("div", "un-prep-side");
    const name = [id, choice].filter(Boolean).join(".");
    const button = (key, textContent, title, onclick, disabled = false) => {
      const node = element("button", "un-button", { type: "button", textContent, title, onclick, disabled });
      node.setAttribute("aria-label", `${title}: ${kind.title}`);
      return (buttons[key] = node);
    };
    const buttons = {};
    const toggle = button("on", on ? "On" : "Off", on ? "Switch off" : "Switch on", () => {
      this.focus = [i, "on"];
      this.change(i, on ? `${name}.off` : name);
    });
    toggle.setAttribute("aria-pressed", String(on));
    const tools = element("div", "un-prep-tools");
    tools.append(
      toggle,
      button("up", "↑", "Move up", () => this.move(i, -1, "up"), i === 0),
      button("down", "↓", "Move down", () => this.move(i, 1, "down"), i === count - 1),
      button("gone", "✕", "Remove", () => {
        this.focus = [Math.max(0, i - 1), "gone"];
        this.change(i, "");
      }),
    );
    head.append(
      element("span", "un-prep-title", { textContent: `${i + 1}  ${kind.title}`, title: kind.says }),
    );
    if (kind.choices.length) {
      const select = element("select", "un-select");
      select.setAttribute("aria-label", `${kind.title}: how`);
      for (const [value, textContent] of kind.choices)
        select.append(element("option", "", { value, textContent, selected: value === choice }));
      select.onchange = () => {
        this.focus = [i, "choice"];
        this.change(i, `${id}.${select.value}${on ? "" : ".off"}`);
      };
      buttons.choice = select;
      head.append(select);
    }
    head.append(tools);
    const text = element("p", "un-prep-text"),
      note = element("p", "un-prep-note"),
      warned = element("div", "un-prep-warned");
    side.append(text, note, warned);
    root.append(head, side);
    return { root, text, note, warned, buttons, kind };
  }

  draw() {
    const { rows, typed } = this.said;
    if (!rows) return;
    this.build(rows);
    const written = this.said.steps;
    for (const { node, steps } of this.presets) node.setAttribute("aria-pressed", String(steps === written));
    follow(this.rows[0].text, typed, piece);
    rows.forEach((row, i) => {
      const mine = this.rows[i + 1];
      const says = !row.on
        ? "Switched off."
        : row.count
          ? `${row.count} ${row.count === 1 ? "change" : "changes"}`
          : "Nothing to change.";
      if (mine.note.textContent !== says) mine.note.textContent = says;
      mine.text.hidden = !row.parts;
      if (row.parts) follow(mine.text, row.parts, piece);
      const warned = row.warned.join("\n");
      if (mine.warned.textContent !== warned) mine.warned.textContent = warned;
      mine.warned.hidden = !warned;
    });
    const reader = this.panel.reader();
    const now = this.panel.selection.get("token") === undefined ? -1 : this.panel.selection.token(reader);
    if (now === this.now && this.marked === this.said) return;
    for (const node of this.list.querySelectorAll(".un-here")) node.classList.remove("un-here");
    if (now >= 0)
      for (const node of this.list.querySelectorAll(`[data-t="${now}"]`)) node.classList.add("un-here");
    [this.now, this.marked] = [now, this.said];
  }

  drawn() {
    const rows = (this.said.rows ?? []).filter((row) => row.on);
    return rows.length
      ? {
          changes: {
            axes: ["step"],
            labels: [rows.map(({ id }) => id)],
            values: Float32Array.from(rows, (row) => row.count),
          },
        }
      : {};
  }

  table() {
    const rows = (this.said.rows ?? []).filter((row) => row.on);
    return {
      columns: ["step", "how", "changes", "text after this step"],
      rows: rows.map((row) => [
        this.kinds.get(row.id).title,
        row.choice,
        row.count,
        row.parts ? marked(row.parts.map((p) => p[0]).join("")).replaceAll("⏎\n", "⏎") : "unchanged",
      ]),
    };
  }

  alt() {
    return `Step by step. ${(this.said.rows ?? []).map((row) => `${this.kinds.get(row.id).title}: ${row.on ? `${row.count} changes` : "off"}`).join(", ")}.`;
  }
}

// One piece of a row: as it is, struck out, put in, or left alone for a reason.
function piece([now, was, why, t]) {
  const made = (tag, name, textContent) => element(tag, name, { textContent, title: why });
  const root = element("span", "");
  if (t >= 0) root.dataset.t = String(t);
  if (was === null) root.textContent = plain(now);
  else if (was === now) root.append(made("span", "un-prep-kept", now));
  else if (was.toLowerCase() === now) root.append(made("ins", "", now));
  else {
    if (was)
      root.append(made("del", /^\s+$/.test(was) ? "un-prep-gap" : "", marked(was).replaceAll("⏎\n", "⏎")));
    if (now) root.append(made("ins", "", marked(now)));
  }
  return root;
}
