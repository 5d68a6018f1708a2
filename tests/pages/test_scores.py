"""The page on scores: which address opens what."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from engine.core.registry import scores
from engine.runs.store import SHIPPED
from tests.conftest import ROOT, only_runs
from tests.pages.test_every_page import SECONDS, answered

TEXT = "The key is white and it is small\nLa clé est blanche et il est"
EVERY = [f"score_{kind}_{looks}" for kind in scores.ids() for looks in ("after", "before")]


@pytest.fixture(scope="module", autouse=True)
def shipped_runs(
    run_folder: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Path]:
    folders = {id: SHIPPED / id for id in EVERY}
    yield from only_runs(tmp_path_factory, folders | {"seq2seq": SHIPPED / "seq2seq"})


def reached(**address: str) -> AppTest:
    at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=SECONDS)
    at.switch_page("pages/537_scores.py")
    for name, value in address.items():
        at.query_params[name] = value
    at.run()
    assert not at.exception, at.exception
    return at


def said(at: AppTest) -> str:
    return "\n".join(m.value for m in (*at.subheader, *at.markdown, *at.caption, *at.info))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("looks", "Bahdanau: before"),
        ("scores.head.looks", "Bahdanau: davor"),
        ("looks", "Bahdanau: davor"),
    ],
)
def test_a_link_chooses_the_order(name: str, value: str) -> None:
    """As addresses said it before there was a frame, and as another language says it."""
    at = reached(**{name: value})
    assert at.segmented_control(key="scores.head.looks").value == "before"
    header, _ = answered(at, "scores", TEXT)
    titles = [panel["title"] for panel in header["layout"]["panels"]]
    assert "It looks before the cell (Bahdanau)" in titles
    assert (
        reached(looks="no such order").segmented_control(key="scores.head.looks").value == "after"
    )


def test_the_measured_table_stands_above_the_parts() -> None:
    said_here = said(reached())
    assert "How well each translates" in said_here and "held out from training" in said_here
    assert "Three keys, one query" in said_here  # the first of those that one chooses among


def test_a_link_of_before_opens_a_part_with_what_its_controls_held() -> None:
    """When it was a fold, and its controls stood under bare names."""
    old = {"panel": "fold.filling", "filling_text": "The dog", "filling_score": "general"}
    at = reached(**old, filling_places="5", filling_way="masked in both")
    assert at.text_input(key="scores.filling.filling_text").value == "The dog"
    assert at.selectbox(key="scores.filling.filling_score").value == "bilinear"
    assert at.slider(key="scores.filling.filling_places").value == 5
    assert "two places need a mask" in said(at).lower() and "**Le chien" not in said(at)


def test_the_page_on_local_attention_leads_on() -> None:
    at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=SECONDS)
    at.switch_page("pages/local.py").run()
    assert not at.exception, at.exception
    assert at.segmented_control(key="scores.head.looks").value in ("scope", "after")
