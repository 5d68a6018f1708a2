"""The pictures of the hand-out are those of the pages: each live lesson's first picture of its first
example that is no mere strip is saved once more, and is the file in assets/handout.  With WRITE_HANDOUT=1 the files are
written anew (`make handout`)."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

import pytest

from engine.course import handout
from engine.course.base import Lesson
from engine.course.curriculum import LIVE
from tests.browser.conftest import Live
from tests.browser.saving import formats, panels, save

pytestmark = [pytest.mark.browser, pytest.mark.slow]
WIDEST = 1_000  # pixels: what is wider is too small to read on paper
STRIP = 4  # times as wide as it is high
NUMBER = re.compile(r"-?\d+\.?\d*")


def shape(svg: str) -> tuple[str, list[float]]:
    """A picture without its numbers, and the numbers."""
    return NUMBER.sub("#", svg), [float(x) for x in NUMBER.findall(svg)]


def fits(svg: str) -> bool:
    """Whether one can read it on paper."""
    found = re.search(r'<svg[^>]*? width="([\d.]+)" height="([\d.]+)"', svg)
    assert found
    wide, high = map(float, found.groups())
    return wide <= WIDEST and wide <= STRIP * high


@pytest.mark.parametrize("item", LIVE, ids=lambda item: item.id)
def test_the_picture_of_a_lesson(item: Lesson, page: Callable[..., Live], tmp_path: Path) -> None:
    first = handout.questions(item)[0]
    live = page(item.id, query=dict(parse_qsl(urlsplit(first.link).query)))
    live.painted()
    able = (p for p in panels(live) if "svg" in formats(live, p))
    saved = (save(live, p, "svg", tmp_path).read_text(encoding="utf-8") for p in able)
    drawn = next(svg for svg in saved if fits(svg))
    kept = handout.PICTURES / f"{item.id}.svg"
    if os.environ.get("WRITE_HANDOUT"):
        kept.parent.mkdir(exist_ok=True)
        kept.write_text(drawn, encoding="utf-8")
    words, numbers = shape(drawn)
    kept_words, kept_numbers = shape(kept.read_text(encoding="utf-8"))
    assert words == kept_words
    assert numbers == pytest.approx(kept_numbers, abs=0.5)
