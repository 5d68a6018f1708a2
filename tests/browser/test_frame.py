"""The frame of every live page: the picture comes first, the box stays in reach."""

from __future__ import annotations

from typing import Any

import pytest

from engine.course.first_minute import STEPS
from tests.browser.conftest import FRAMES, PAGES
from tests.browser.test_first_minute import has_what_it_speaks_of

LATEST = 260  # pixels above the first picture
# main pictures, which stand beside what is clicked
CLICKED = {"bert": "blanks", "translation": "cross", "inspect": "field:"}
SHARE = 0.6
LONG_TITLES = ("cooccurrence", "bptt")  # which in German have to fit one line
SOME = ("translation",)  # all of them with `make bench`
# where the first picture begins, and what part of the page beside the menu the pictures' cards take
MEASURE = """() => {
  const main = document.querySelector('[data-testid="stMain"]').getBoundingClientRect();
  const grid = document.querySelector(".un-grid").getBoundingClientRect();
  const seen = Math.min(grid.bottom, innerHeight) - Math.max(grid.top, 0);
  return {
    top: document.querySelector(".un-panel .un-body").getBoundingClientRect().top,
    share: (seen * grid.width) / (main.width * innerHeight),
    wide: document.documentElement.scrollWidth,
  };
}"""


@pytest.mark.parametrize(
    "names", [pytest.param(SOME, id="some"), pytest.param(PAGES, id="all", marks=pytest.mark.slow)]
)
def test_the_picture_comes_first_on_every_page(page: Any, names: tuple[str, ...]) -> None:
    """One tab walks through live pages; each is measured at 1280 x 900 and at 200 %, where a
    window of that size has room for 640 x 450."""
    live = page(names[0])
    late: dict[str, Any] = {}
    for name in names:
        if name != live.name:
            live.name = name
            live.open()
        found = live.painted().page.evaluate(MEASURE)
        if not (found["top"] <= LATEST and found["share"] >= SHARE and found["wide"] <= 1280):
            late[name] = found
        if name in CLICKED:
            body = live.page.locator(f'[data-panel^="{CLICKED[name]}"] .un-body:visible').first
            body.wait_for()
            if (y := body.bounding_box()["y"]) > LATEST:
                late[f"the main picture of {name}"] = y
        if name in STEPS:
            has_what_it_speaks_of(live, MEASURE, max(found["top"], LATEST))
        live.page.set_viewport_size({"width": 640, "height": 450})
        live.painted()
        zoomed = live.page.evaluate(MEASURE)
        if not (zoomed["top"] < 450 and zoomed["wide"] <= 640):
            late[f"{name} at 200 %"] = zoomed
        live.page.locator(".un-panel:visible .un-body").last.scroll_into_view_if_needed()
        box = live.box.bounding_box()  # stays, and leaves room for the picture
        if not (0 <= box["y"] < 60 and box["height"] < 100):
            late[f"the box of {name} at 200 %"] = box
        live.page.set_viewport_size({"width": 1280, "height": 900})
    for name in LONG_TITLES if "bptt" in names else LONG_TITLES[:1]:
        live.name = name
        live.open(lang="de")
        if (top := live.page.evaluate(MEASURE)["top"]) > LATEST:
            late[f"{name} in German"] = top
    assert not late


@pytest.mark.slow
def test_nothing_moves_under_the_pointer(page: Any) -> None:
    """The row of tokens shows the end of the text; pointing at one at its edge scrolls nothing."""
    live = page("lstm").fill("a sentence that has many more letters than fit into the row. " * 3)
    live.page.wait_for_function("document.querySelector('.un-chips').scrollLeft > 100")
    row = live.page.locator(".un-chips").bounding_box()
    before = live.page.evaluate("document.querySelector('.un-chips').scrollLeft")
    for x in (4, 12, 20):
        live.page.mouse.move(row["x"] + x, row["y"] + row["height"] / 2)
        live.page.evaluate(FRAMES)
    assert live.page.evaluate("document.querySelector('.un-chips').scrollLeft") == before
    live.page.locator(".un-chip").last.focus()
    for _ in range(60):
        live.page.keyboard.press("ArrowLeft")
    live.page.mouse.move(300, 600)
    live.page.wait_for_function(
        f"document.querySelector('.un-chips').scrollLeft < {before}"
    )  # what is chosen by keyboard is brought into sight
