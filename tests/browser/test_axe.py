"""axe-core finds no serious fault on any page, light and dark."""

from __future__ import annotations

from collections.abc import Iterable
from importlib.resources import files
from typing import Any

import pytest

from engine.course.curriculum import LESSONS
from tests.bench.server import Server
from tests.browser.conftest import PAGES, rested

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
STILL = [item.id for item in LESSONS if item.id not in PAGES]
FADE_MS = 300
STILL_NOW = """() => document.getAnimations().every((a) => a.playState !== "running" || a.effect?.getTiming().iterations === Infinity)"""
# one of each kind here, the others with `make bench`
KINDS = ("home", "scoring")


def each(names: Iterable[str]) -> list[Any]:
    return [n if n in KINDS else pytest.param(n, marks=pytest.mark.slow) for n in names]


def faults(page: Any) -> list[str]:
    page.evaluate(AXE)
    found: list[str] = page.evaluate(RUN, list(NOT_OURS))
    return found


@pytest.mark.parametrize("name", each(PAGES))
def test_live_page(page: Any, name: str) -> None:
    live = page(name)
    live.page.wait_for_timeout(500)
    assert faults(live.page) == []
    live.page.emulate_media(color_scheme="dark")
    live.page.reload()
    live.ready()
    assert faults(live.page) == []


@pytest.mark.parametrize("name", each(STILL))
def test_page_of_forms(tab: Any, server: Server, name: str) -> None:
    tab = tab()
    for scheme in ("light", "dark"):
        tab.emulate_media(color_scheme=scheme)
        tab.goto(f"{server.url}/{name}")
        tab.wait_for_selector(".st-key-head h2", timeout=30_000)
        if tab.locator("[data-unrolled]").count():
            tab.wait_for_selector("[data-unrolled][data-painted]", timeout=30_000)
        # what is about to be drawn anew is faded until then
        rested(tab)
        tab.wait_for_function("() => !document.querySelector('[data-stale=true]')")
        tab.wait_for_timeout(FADE_MS)
        tab.wait_for_function(STILL_NOW)
        assert faults(tab) == []
