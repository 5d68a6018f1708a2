"""A picture is walked with arrow keys: they lead to everything that the pointer finds there, each place
is said with its numbers, Enter does what a click does, and Tab leads on."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from engine.runs.store import RunStore
from tests.browser.conftest import PAGES, Live
from tests.browser.test_every_page import TEXT, TEXTS

pytestmark = pytest.mark.browser
Page = Callable[..., Live]

# Of each picture, by its panel: what the pointer finds on it, and of that what arrow keys lead to from
# the first place on (at most `most` of them); and what is said at those.
WALK = """async (most) => {
  let holder = document.querySelector("[data-unrolled]");
  while (!holder.unrolledApp) holder = holder.parentElement;
  const app = holder.unrolledApp;
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


def spoken(live: Any, key: str, part: str) -> str:
    live.page.keyboard.press(key)
    live.page.wait_for_function(
        "(part) => document.querySelector('.un-spoken').textContent.includes(part)", arg=part
    )
    return str(live.page.inner_text(".un-spoken"))


def test_a_trellis_is_walked_bent_and_left(page: Page) -> None:
    live: Any = page("hmm").fill("You can open the door")
    model: Any = RunStore().load(RunStore().find("hmm_tagger"))
    filtered = model.trace("You can open the door").field("filter").values
    states = list(model.states)
    canvas = live.page.locator('[data-panel="trellis"] canvas')
    live.page.wait_for_timeout(500)  # what says how it is walked comes in a moment of rest
    assert "Enter" in canvas.get_attribute("aria-description")
    canvas.focus()
    heard = spoken(live, "ArrowLeft", "“the” in state ")
    rows = {heard.split(" in state ")[1].split(":")[0]}
    for key in ("ArrowDown", "ArrowDown"):  # another state of the same word
        before = heard
        live.page.keyboard.press(key)
        live.page.wait_for_function(
            "(was) => document.querySelector('.un-spoken').textContent !== was", arg=before
        )
        heard = live.page.inner_text(".un-spoken")
        found = re.match(r"“the” in state (\S+): .*filtered (<?[\d.]+) %", heard)
        assert found, heard
        rows.add(found[1])
        expected = 100 * filtered[4, states.index(found[1])]
        number = float(found[2].removeprefix("<"))
        assert number == pytest.approx(expected, rel=0.01, abs=0.001)
    assert len(rows) == 3
    assert live.page.locator(".un-walk").is_visible(), "where one is"
    live.page.keyboard.press("Enter")
    live.settled("picks=")
    live.page.keyboard.press("Escape")
    live.page.wait_for_function("() => !document.querySelector('.un-walk, .un-chip.un-kept')")
    live.page.keyboard.press("Tab")
    assert live.page.evaluate("document.activeElement.tagName") != "CANVAS", "no trap"


@pytest.mark.parametrize("name", [pytest.param(n, marks=pytest.mark.slow) for n in PAGES])
def test_every_picture_is_walked(page: Page, name: str) -> None:
    live = page(name).fill(TEXTS.get(name, TEXT))
    live.page.wait_for_timeout(1000)  # what is drawn in a moment of rest
    for panel, found, reached, missed, said in live.page.evaluate(WALK, ALL):
        where = f"{name}, {panel}"
        if not found:
            continue  # there a click alone does something
        assert reached > (found > 1), f"{where}: {found} places, and no key leads there"
        if found <= ALL and panel not in MOVES:
            assert not missed, f"{where}: {missed[:3]}"
        silent = [words for words in said if not re.search(r"\d", words)]
        assert len(silent) <= len(said) / 3, f"{where} says {silent[:2]}"
        assert len(set(said)) > len(said) / 5, f"{where}: of {len(said)} places {set(said)}"
