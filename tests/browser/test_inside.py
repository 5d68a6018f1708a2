"""Every page, live or of forms, where there is least room: in German, light and dark, on a phone and at
200 %.  axe-core finds no serious fault, a page is no wider than its window, and what is written in a
picture stays inside it."""

from __future__ import annotations

from importlib.resources import files
from typing import Any

import pytest

from engine.course.curriculum import LESSONS
from tests.bench.server import Server
from tests.browser.conftest import PAGES, Live, rested

AXE = (files("axe_playwright_python") / "axe.min.js").read_text("utf-8")
# Streamlit's own, which cannot be set from a page; and what Vega says of a mark that draws nothing
NOT_OURS = (
    "[data-testid=stToolbar]",
    "[data-testid=stHeader]",
    '[aria-roledescription$="mark container"]',
)
RUN = """async (exclude) => {
  const found = await axe.run({ exclude: exclude.map((s) => [s]) }, { resultTypes: ["violations"] });
  return found.violations
    .filter((v) => ["serious", "critical"].includes(v.impact))
    .map((v) => `${v.id}: ${v.nodes.slice(0, 4).map((n) => n.html.slice(0, 160)).join(" | ")}`);
}"""
STILL_NOW = """() => !document.querySelector('[data-stale=true]')
  && document.getAnimations().every((a) => a.playState !== "running" || a.effect?.getTiming().iterations === Infinity)"""
FADE_MS = 300
# one of each kind here, the others with `make bench`
KINDS = ("batches",)
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
def test_page_where_there_is_least_room(watched: Any, server: Server, name: str) -> None:
    tab, watch = watched()
    tab.add_init_script(WRITTEN)
    tab.goto(f"{server.url}/{'' if name == 'home' else name}?lang=de")
    tab.wait_for_selector(".st-key-head h2", timeout=30_000)
    shown = "[data-unrolled][data-painted]"
    live = None
    if name in PAGES or tab.locator("[data-unrolled]").count():
        live = Live(tab, server.url, name, watch)
    tab.evaluate(AXE)
    for scheme, dark in (("light", ":not(.un-dark)"), ("dark", ".un-dark")):
        tab.emulate_media(color_scheme=scheme)
        if live:
            tab.wait_for_selector(shown + dark, timeout=30_000)
        rested(tab)  # what is about to be drawn anew is faded until then
        tab.wait_for_timeout(FADE_MS)
        if live:
            live.rest()
        else:
            tab.wait_for_function(STILL_NOW)
        assert tab.evaluate(RUN, list(NOT_OURS)) == [], scheme
    beyond = {}
    for width, height in SIZES:
        tab.set_viewport_size({"width": width, "height": height})
        tab.wait_for_timeout(FADE_MS if live else 700)
        if live:
            live.rest()
        found = tab.evaluate(FOUND, list(SLIDES))
        if found["wide"] > 0 or found["cut"]:
            beyond[width] = found
    assert not beyond
