"""Nothing reaches beyond its place, where there is least room: in German, on a phone and at 200 %.

A page is no wider than its window, and what is written in a picture stays inside it.
"""

from __future__ import annotations

from typing import Any

import pytest

from engine.course.curriculum import LESSONS
from tests.bench.server import Server
from tests.browser.conftest import PAGES, rested

# one of each kind here, the others with `make bench`
KINDS = ("ngrams", "batches")
NAMES = [*PAGES, *(item.id for item in LESSONS if item.id not in PAGES)]
# a window of 1280 x 900 zoomed to 200 %, and a phone
SIZES = ((640, 450), (390, 844))
SLIDES = ("unroll",)  # shows as many steps as there is room for, and moves on to the others

# Every text drawn on a canvas, with its place in pixels, from the last time that the canvas was cleared.
WRITTEN = """(() => {
  const canvas = CanvasRenderingContext2D.prototype, { clearRect, fillText } = canvas;
  const written = (window.written = new WeakMap());
  canvas.clearRect = function (...box) { written.set(this.canvas, []); return clearRect.apply(this, box); };
  canvas.fillText = function (text, x, y, ...more) {
    const size = this.measureText(text), of = this.getTransform();
    const squeezed = Math.min(1, (more[0] ?? Infinity) / size.width);
    const corners = [-size.actualBoundingBoxLeft, size.actualBoundingBoxRight].flatMap((dx) =>
      [-size.actualBoundingBoxAscent, size.actualBoundingBoxDescent].map((dy) => of.transformPoint({ x: x + dx * squeezed, y: y + dy })));
    const all = written.get(this.canvas) ?? [];
    if (text.trim()) written.set(this.canvas, [...all, [text, corners.map((c) => c.x), corners.map((c) => c.y)]]);
    return fillText.call(this, text, x, y, ...more);
  };
})()"""
FOUND = """(slides) => {
  const main = document.querySelector('[data-testid="stMain"]');
  const cut = [];
  for (const node of document.querySelectorAll(".un-panel canvas, .un.ds canvas")) {
    const panel = node.closest("[data-panel]")?.dataset.panel ?? node.closest(".un").ariaLabel;
    if (!node.checkVisibility() || slides.includes(panel)) continue;
    for (const [text, xs, ys] of window.written.get(node) ?? [])
      if (Math.min(...xs, ...ys) < -2 || Math.max(...xs) > node.width + 2 || Math.max(...ys) > node.height + 2) cut.push(`${panel}: ${text}`);
  }
  return { wide: main.scrollWidth - main.clientWidth, cut };
}"""


@pytest.mark.parametrize(
    "name", [n if n in KINDS else pytest.param(n, marks=pytest.mark.slow) for n in NAMES]
)
def test_nothing_is_cut_off_where_there_is_least_room(tab: Any, server: Server, name: str) -> None:
    tab = tab()
    tab.add_init_script(WRITTEN)
    tab.goto(f"{server.url}/{'' if name == 'home' else name}?lang=de")
    tab.wait_for_selector(".st-key-head h2", timeout=30_000)
    if name in PAGES:
        tab.wait_for_selector("[data-unrolled][data-painted]", timeout=30_000)
    rested(tab)
    tab.wait_for_function("() => !document.querySelector('[data-stale=true]')")
    beyond = {}
    for width, height in SIZES:
        tab.set_viewport_size({"width": width, "height": height})
        tab.wait_for_timeout(700)
        found = tab.evaluate(FOUND, list(SLIDES))
        if found["wide"] > 0 or found["cut"]:
            beyond[width] = found
    assert not beyond
