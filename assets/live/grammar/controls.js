// The bar over a declared picture.

import { element, labelled, put } from "../dom.js";
import { button, select, slider } from "../parts/controls.js";
import { Player, overTokens } from "../parts/player.js";
import { said } from "./template.js";

/** @import { Picture } from "./picture.js" */

/** @param {Picture} picture @param {any} spec */
export const made = (picture, spec) => KINDS[spec.kind](picture, spec);

// For Python: what is chosen, where it reads that.
const asked = (name, asks, now) => (asks ? { asks: now, ask: () => ({ [name]: now() }) } : {});

// Each: {node: one node or several, whole: it is a bar by itself, draw(there), and perhaps ask() for Python, asks() what that reads, destroy()}.
const KINDS = {
  choice({ panel, source }, { name, options, first, asks }) {
    const node = options.map(([value, words]) => {
      const made = button(words, () => panel.selection.keep({ [name]: value }, panel.app));
      made.dataset.view = value;
      return made;
    });
    const draw = () => {
      const kept = panel.selection.get(name);
      const now = options.some(([value]) => value === kept) ? kept : first;
      source.chosen[name] = now;
      source.words[name] = () => options.find(([value]) => value === now)[1];
      for (const one of node) one.setAttribute("aria-pressed", String(one.dataset.view === now));
    };
    return { node, draw, ...asked(name, asks, () => panel.selection.kept[name] ?? first) };
  },

  // A number, moved; its sentence says what it stands for.
  amount({ panel, source }, { name, low = 0, high, step, first, says, asks }) {
    const now = () => Math.max(low, Math.min(high, Number(panel.selection.get(name) ?? first)));
    const words = element("span", "un-search-label");
    const range = { min: low, max: high, step, value: now() };
    const move = slider((value) => panel.selection.keep({ [name]: value }, panel.app), range, name, true);
    const draw = () => {
      source.extras[name] = now();
      if (Number(move.value) !== now()) move.value = String(now());
      put(words, said(source, says));
      move.setAttribute("aria-label", words.textContent);
    };
    return { node: [words, move], draw, ...asked(name, asks, now) };
  },

  switch(picture, { name, label, first = false }) {
    let on = first;
    const node = button(label, () => {
      on = !on;
      picture.draw();
    });
    const draw = () => {
      picture.source.extras[name] = Number(on);
      node.setAttribute("aria-pressed", String(on));
    };
    return { node, draw };
  },

  // A place on an axis: where all pictures look, or under a name of its own, as its label.
  pick({ panel, source }, { axis, name, label, aria, start = 0, asks }) {
    const { spec } = source.reader;
    const labels = spec.labels[axis];
    const options = (spec.called?.[axis] ?? labels)
      .map((words, i) => [name ? labels[i] : i, words])
      .slice(start);
    const keep = (value) => (name ? { [name]: value } : source.place(axis, Number(value)));
    const list = select(options, (value) => panel.selection.keep(keep(value), panel.app), aria);
    const at = () => Math.max(start, labels.indexOf(panel.selection.get(name)));
    if (name) source.words[name] = () => spec.called?.[axis]?.[at()] ?? labels[at()];
    const draw = () => {
      if (name) source.chosen[name] = labels[at()];
      if (document.activeElement !== list) list.value = name ? labels[at()] : String(source.at[axis]);
    };
    const told = name
      ? asked(name, asks, () => panel.selection.kept[name] ?? "")
      : asked(
          source.kept(axis),
          asks,
          () => panel.selection.kept[source.kept(axis)] ?? source.at[axis] ?? -1,
        );
    return { node: label ? labelled(label, list, "un-search-label") : list, draw, ...told };
  },

  player(picture, { title, says, label }) {
    const { panel, source } = picture;
    const player = new Player(panel, { title, label, says: () => said(source, says), ...overTokens(panel) });
    const draw = (there) => {
      player.node.hidden = !there;
      if (there) player.draw();
      else player.stop();
    };
    return { node: player.node, whole: true, draw, destroy: () => player.stop() };
  },
};
