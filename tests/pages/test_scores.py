"""The page on scores: which address opens what."""

from __future__ import annotations

from engine.core.registry import scores
from tests.pages.opening import opened, said, seeing
from tests.pages.test_every_page import answered

TEXT = "The key is white and it is small\nLa clé est blanche et il est"
EVERY = [f"score_{kind}_{looks}" for kind in scores.ids() for looks in ("after", "before")]


shipped_runs = seeing(shipped=("seq2seq", *EVERY))


def test_a_link_chooses_the_order() -> None:
    """As addresses said it before there was a frame, and as another language says it."""
    for name in ("looks", "scores.head.looks"):
        at = opened("scores", **{name: "Bahdanau: davor"})
        assert at.segmented_control(key="scores.head.looks").value == "before"
    at = opened("scores", looks="Bahdanau: before")
    header, _ = answered(at, "scores", TEXT)
    titles = [panel["title"] for panel in header["layout"]["panels"]]
    assert "It looks before the cell (Bahdanau)" in titles
    at = opened("scores", looks="no such order")
    assert at.segmented_control(key="scores.head.looks").value == "after"


def test_a_link_of_before_opens_a_part_with_what_its_controls_held() -> None:
    """When it was a fold, and its controls stood under bare names."""
    old = {"panel": "fold.filling", "filling_text": "The dog", "filling_score": "general"}
    at = opened("scores", **old, filling_places="5", filling_way="masked in both")
    assert at.text_input(key="scores.filling.filling_text").value == "The dog"
    assert at.selectbox(key="scores.filling.filling_score").value == "bilinear"
    assert at.slider(key="scores.filling.filling_places").value == 5
    assert "two places need a mask" in said(at).lower() and "**Le chien" not in said(at)
