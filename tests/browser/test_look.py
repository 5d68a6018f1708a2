"""Light and dark, wide and narrow: nothing hangs over, nothing covers the text box; pictures go to tests/screenshots."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.browser.conftest import PAGES, SCREENSHOTS, TRIED, Live

pytestmark = pytest.mark.browser
Page = Callable[..., Live]

# Elements that hang over the right edge, other than in boxes that scroll by themselves.
HANGING = """() => {
  const main = document.querySelector('[data-testid="stMain"]');
  const wide = [document.scrollingElement, main].map((e) => e.scrollWidth - e.clientWidth);
  const edge = main.getBoundingClientRect().right + 0.5;
  const hanging = Array.from(document.querySelectorAll("[data-unrolled] *"))
    .filter((e) => e.getClientRects().length && e.getBoundingClientRect().right > edge && !e.closest(".un-table, .un-chips, .un-strip"))
    .map((e) => e.tagName + "." + e.className);
  return { wide, hanging: hanging.slice(0, 5) };
}"""

# What lies on top at points of the text box.
COVERED = """() => {
  const box = document.querySelector("textarea.un-text");
  box.scrollIntoView({ block: "center" });
  const r = box.getBoundingClientRect();
  const points = [0.02, 0.25, 0.5, 0.75, 0.96].flatMap((x) => [0.15, 0.5, 0.85].map((y) => [r.left + x * r.width, r.top + y * r.height]));
  return points.map(([x, y]) => document.elementFromPoint(x, y)).filter((e) => e !== box).map((e) => e?.outerHTML.slice(0, 120));
}"""

CONTRAST = """(selector) => {
  const rgb = (c) => c.match(/[\\d.]+/g).map(Number);
  const light = (c) => { const [r, g, b] = rgb(c).map((v) => (v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
  const ground = (e) => { for (; e; e = e.parentElement) { const c = getComputedStyle(e).backgroundColor; if (!/, 0\\)$|transparent/.test(c)) return c; } return "rgb(255,255,255)"; };
  const found = [];
  for (const e of document.querySelectorAll(selector)) {
    if (!e.textContent.trim() || !e.getClientRects().length) continue;
    const [a, b] = [light(getComputedStyle(e).color), light(ground(e))].sort((x, y) => y - x);
    const ratio = (a + 0.05) / (b + 0.05);
    if (ratio < 4.5) found.push([e.className, ratio]);
  }
  return found;
}"""


SMALL = """() => Array.from(document.querySelectorAll("[data-unrolled] button, [data-unrolled] summary"))
  .filter((e) => e.getClientRects().length && e.getBoundingClientRect().height < 32).map((e) => e.className)"""
CANVASES = """() => Array.from(document.querySelectorAll("[data-unrolled] canvas")).filter((c) => c.getClientRects().length).map((c) =>
  [c.width - Math.round(c.clientWidth * devicePixelRatio), c.getAttribute("role"), c.getAttribute("aria-label") ?? ""])"""
TEXTS = ".un-label, .un-title, .un-says, .un-status, .un-readout, .un-chip, .un-try, .un-button, .un-row-label, .un-row-value, .un-formula"


@pytest.mark.parametrize("name", PAGES)
def test_page_fits_wide_and_narrow_light_and_dark(page: Page, name: str) -> None:
    """One visit: pictures are crisp and described, buttons large enough, words readable, nothing hangs over or covers the box."""
    live = page(name)
    live.fill(live.box.input_value() + " averyveryverylongwordwithoutanybreak")
    SCREENSHOTS.mkdir(exist_ok=True)
    for width in (1280, 390) if name in TRIED else (390,):
        for dark in (False, True):
            live.page.emulate_media(color_scheme="dark" if dark else "light")
            live.page.set_viewport_size({"width": width, "height": 900})
            live.page.wait_for_function("(dark) => document.querySelector('[data-unrolled]').classList.contains('un-dark') === dark", arg=dark)
            live.page.wait_for_timeout(600)  # the words for screen readers come with a moment of rest
            found = live.page.evaluate(HANGING)
            assert max(found["wide"]) <= 0 and not found["hanging"], found
            assert live.page.evaluate(COVERED) == []
            ground = live.page.evaluate("getComputedStyle(document.querySelector('.stApp')).backgroundColor")
            assert (ground == "rgb(255, 255, 255)") != dark
            assert live.page.evaluate(CONTRAST, TEXTS) == [], "WCAG AA asks for 4.5"
            if width == 390:
                assert live.page.evaluate(SMALL) == []
            canvases = live.page.evaluate(CANVASES)
            assert canvases or name == "bert"  # its panels are words and bars
            for off, role, label in canvases:
                assert abs(off) <= 1, "as many pixels as the screen has"
                assert role == "img" and len(label) > 20
            height = live.page.evaluate("document.querySelector('[data-testid=stMain]').scrollHeight")
            live.page.set_viewport_size({"width": width, "height": min(6000, max(900, height))})
            live.page.wait_for_timeout(100)
            live.page.screenshot(path=SCREENSHOTS / f"{name}-{width}-{'dark' if dark else 'light'}.png")


def test_the_theme_can_change_while_the_page_is_open(page: Page) -> None:
    live = page("lstm")
    before = live.page.locator('[data-panel="gates"] canvas').screenshot()
    live.page.emulate_media(color_scheme="dark")
    live.page.wait_for_selector(".un-dark")
    live.page.wait_for_timeout(200)
    assert live.page.locator('[data-panel="gates"] canvas').screenshot() != before
