"""What is on the screen is what is saved: the same words, the same marks, the same pixels."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest
from PIL import Image
from playwright.sync_api import expect

from engine.saving import snapshot
from tests.browser.conftest import Live
from tests.browser.saving import formats, letters, panels, same_words, save

Page = Callable[..., Live]
HOSTILE = "He said <script>alert(1)</script> & ]]> \u202e &amp; שלום"


def rendered(live: Live, svg: str) -> np.ndarray:
    """The file as another page of the browser shows it, as integers (height, width, 3)."""
    tab = live.page.context.new_page()
    size = ElementTree.fromstring(svg).attrib
    width, height = (int(np.ceil(float(size[k]))) for k in ("width", "height"))
    tab.set_viewport_size({"width": width, "height": height})
    tab.set_content(f'<body style="margin:0">{svg}</body>')
    found = pixels(tab.screenshot())
    tab.close()
    return found


def pixels(png: bytes) -> np.ndarray:
    with Image.open(io.BytesIO(png)) as image:
        return np.asarray(image.convert("RGB")).astype(int)


def at_rest(live: Live) -> None:
    """A window for whole panels, with what waits for a moment of rest."""
    live.page.set_viewport_size({"width": 1280, "height": 2400})
    live.painted().rest()


def screen(live: Live, panel: str) -> np.ndarray:
    """The panel as it stands on the page, without its tools and where whole pixels begin."""
    locator = live.page.locator(f'[data-panel="{panel}"]')
    locator.evaluate(
        """(n) => {
          n.classList.add("un-saved");
          const { x, y } = n.getBoundingClientRect();
          Object.assign(n.style, { left: `${Math.ceil(x) - x}px`, top: `${Math.ceil(y) - y}px` });
        }"""
    )
    found = pixels(locator.screenshot())
    locator.evaluate(
        "(n) => { n.classList.remove('un-saved'); Object.assign(n.style, { left: '', top: '' }); }"
    )
    return found


def apart(one: np.ndarray, other: np.ndarray) -> float:
    """The share of squares of 4 x 4 pixels that differ clearly, over the part that both have."""
    height, width = (
        min(a, b) // 4 * 4 for a, b in zip(one.shape[:2], other.shape[:2], strict=True)
    )
    coarse = [
        m[:height, :width].reshape(height // 4, 4, width // 4, 4, 3).mean((1, 3))
        for m in (one, other)
    ]
    return float((np.abs(coarse[0] - coarse[1]).max(-1) > 40).mean())


# grids of cells in light and curves in dark; a diagram and lists of the page in both
PANELS = [
    pytest.param("heads", "arcs", True, marks=pytest.mark.slow),
    pytest.param("lstm", "gates", False, marks=pytest.mark.slow),
    *(
        pytest.param(*panel, dark, marks=pytest.mark.slow)
        for panel in (("tokenizers", "pieces"), ("lstm", "cell"), ("home", "tops"))
        for dark in (False, True)
    ),
]


@pytest.mark.parametrize("name,panel,dark", PANELS)
def test_the_file_has_the_pixels_of_the_screen(
    page: Page, name: str, panel: str, dark: bool, tmp_path: Path
) -> None:
    live = page(name, dark=dark)
    live.page.set_viewport_size({"width": 1280, "height": 2400})
    live.fill("The king said yes to his queen")
    at_rest(live)
    shown = screen(live, panel)
    svg = save(live, panel, "svg", tmp_path).read_text(encoding="utf-8")
    saved = rendered(live, svg)
    assert shown.shape[1] == pytest.approx(saved.shape[1], abs=2)
    assert 0 <= saved.shape[0] - shown.shape[0] < 60, "the line that says what it is of"
    assert saved[3, 40].mean() < 60 if dark else saved[3, 40].mean() > 240
    close = apart(shown, saved)
    live.fill("Nobody knew why it went so wrong")
    at_rest(live)
    wrong = apart(screen(live, panel), saved)
    assert close < 0.015 and close < wrong / 4, (close, wrong)
    png = pixels(save(live, panel, "png", tmp_path).read_bytes())
    assert png.shape[1] == pytest.approx(2 * saved.shape[1], abs=3)


@pytest.mark.slow
def test_the_library_draws_what_the_browser_draws(page: Page, tmp_path: Path) -> None:
    """Letters differ where fonts do; colours of cells do not."""
    live = page("lstm").fill("The king said yes")
    svg = save(live, "gates", "svg", tmp_path).read_text(encoding="utf-8")
    ours = pixels(snapshot.pixels(svg, 1.0))
    theirs = rendered(live, svg)[: ours.shape[0], : ours.shape[1]]
    canvas = live.page.locator('[data-panel="gates"] canvas').bounding_box()
    panel = live.page.locator('[data-panel="gates"]').bounding_box()
    assert canvas and panel
    top, left = int(canvas["y"] - panel["y"]), int(canvas["x"] - panel["x"]) + 60
    part = np.s_[top + 20 : top + 80, left : left + 300]
    assert np.abs(ours[part] - theirs[part]).mean() < 6
    assert np.abs(ours[part] - theirs[part][::-1]).mean() > 18


def test_hostile_words_are_words(page: Page, tmp_path: Path) -> None:
    live = page("attention").fill(HOSTILE)
    for panel in panels(live):
        svg = same_words(live, panel, tmp_path)
        snapshot.check(re.sub("<title>.*?</desc>", "", svg, flags=re.DOTALL))
        assert "<script" not in svg
    odd = live.page.evaluate(
        """async () => {
          const base = document.querySelector('link[href*="live.css"]').href.replace("live.css", "");
          const { SvgContext } = await import(`${base}drawing/svg.js`);
          const g = new SvgContext().begin(100, 50);
          g.fillText("\\ud800 <b> \\u0000 ]]> & \\"", 5, 20);
          return `<svg xmlns="http://www.w3.org/2000/svg" width="100" height="50">${g.text()}</svg>`;
        }"""
    )
    assert letters(odd) == ['\ufffd <b> \ufffd ]]> & "']
    snapshot.check(odd)


@pytest.mark.slow
def test_a_scrolled_part_is_saved_whole_and_the_page_stays(page: Page, tmp_path: Path) -> None:
    live = page("rnn").fill("The king said yes to his queen and went home")
    at_rest(live)
    before = {p: screen(live, p) for p in panels(live)}
    view = live.panel("unroll").locator(".un-strip").bounding_box()
    svg = same_words(live, "unroll", tmp_path)
    assert float(ElementTree.fromstring(svg).attrib["width"]) > 2 * view["width"]
    steps = [words for words in letters(svg) if re.fullmatch(r"step \d+", words)]
    assert steps == [f"step {n + 1}" for n in range(len(live.numbers()["surprisal"][1][0]))]
    at_rest(live)
    for panel, shown in before.items():
        assert apart(shown, screen(live, panel)) < 0.002, panel
    strip = live.panel("unroll").locator(".un-strip canvas")
    strip.click(position={"x": 300, "y": 130})
    live.settled("token=")


@pytest.mark.slow
def test_a_picture_says_whose_it_is(page: Page, tmp_path: Path) -> None:
    """Several readers, all of them named; of an opened head its place; a panel without numbers of its
    own saves its table."""
    live = page("home").fill("The king said yes")
    stamped = next(w for w in letters(same_words(live, "surprise", tmp_path)) if "Model:" in w)
    assert stamped.count("(") >= 4 and "LSTM" in stamped and "n-gram" in stamped
    live = page("lstm", query={"text": "The king", "layer": "1", "unit": "7"})
    words = " ".join(letters(same_words(live, "unit", tmp_path)))
    assert "layer 2" in words and "unit 7" in words and "“The king”" in words
    assert formats(live, "cell") == ["png", "svg", "pdf", "html", "csv"]
    frame: Any = pd.read_csv(save(live, "cell", "csv", tmp_path))
    live.panel("cell").locator(".un-tools > button").click()
    cells = [*map(str, frame.fillna("").to_numpy().ravel())]
    expect(live.panel("cell").locator(".un-table td")).to_have_text(cells, use_inner_text=True)
