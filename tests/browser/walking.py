"""Walking over pictures with arrow keys: they lead to everything that the pointer finds there, and each
place is said with its numbers."""

from __future__ import annotations

import re

from tests.browser.conftest import Live

# Of each picture, by its panel: what the pointer finds on it, and of that what arrow keys lead to from
# the first place on (at most `most` of them); and what is said at those.
WALK = """async (app, most) => {
  const loaded = performance.getEntriesByType("resource").map((r) => r.name);
  const of = (name) => import(loaded.find((n) => n.endsWith(name)));
  const { pointerOf } = await of("/drawing/canvas.js");
  const walked = [];
  for (const panel of app.panels)
    for (const node of panel.body.querySelectorAll("canvas")) {
      const pointer = pointerOf(node);
      if (!pointer || !node.checkVisibility()) continue;
      const sign = () => JSON.stringify([app.selection.hovered, panel.view.over ?? null]);
      const look = ({ x, y }) => (pointer.look(x, y), sign());
      const found = new Set(), reached = new Map(), said = [], queue = [];
      app.selection.release();
      node.focus();
      const press = (key) => node.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
      const note = () => {
        if (app.walk.at?.node !== node) return;
        const { x, y } = app.walk.at, name = look({ x, y });
        if (reached.has(name)) return;
        reached.set(name, { x, y });
        queue.push({ x, y });
        panel.draw();
        said.push(`${panel.spoken()} | ${panel.readout.textContent}`);
      };
      press("Enter");
      note();
      while (queue.length && reached.size < most) {
        const from = queue.shift();
        for (const key of ["ArrowRight", "ArrowDown", "ArrowLeft", "ArrowUp"]) {
          app.walk.at = { node, panel, ...from };
          press(key);
          note();
        }
      }
      app.selection.release();
      pointer.leave();
      const empty = sign(), step = Math.max(3, Math.sqrt((node.clientWidth * node.clientHeight) / 4000));
      for (let y = 1; y < node.clientHeight; y += step) for (let x = 1; x < node.clientWidth; x += step) {
        const name = look({ x, y });
        if (name !== empty) found.add(name);
      }
      pointer.leave();
      walked.push([panel.spec.id, found.size, reached.size, [...found].filter((f) => !reached.has(f)), said]);
    }
  return walked;
}"""
ALL = 40  # a picture of no more places is walked whole
# what lies where depends on what is chosen
MOVES = ("near", "places")


def every_picture_is_walked(live: Live) -> None:
    for panel, found, reached, missed, said in live.rest().app(WALK, ALL):
        if not found:
            continue  # there a click alone does something
        assert reached > (found > 1), f"{panel}: {found} places, and no key leads there"
        if found <= ALL and panel not in MOVES:
            assert not missed, f"{panel}: {missed[:3]}"
        silent = [words for words in said if not re.search(r"\d", words)]
        assert len(silent) <= len(said) / 3, f"{panel} says {silent[:2]}"
        assert len(set(said)) > len(said) / 5, f"{panel}: of {len(said)} places {set(said)}"
