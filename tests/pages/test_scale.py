"""The Scale page answers its controls, and survives what people type."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from tests.conftest import ROOT


def opened() -> AppTest:
    return (
        AppTest.from_file(str(ROOT / "app.py"), default_timeout=180)
        .switch_page("pages/545_scale.py")
        .run()
    )


def said(at: AppTest) -> str:
    return "\n".join(m.value for m in (*at.markdown, *at.caption))


def test_it_counts_steps_and_parameters() -> None:
    at = opened()
    assert not at.exception
    assert "**6 ticks** for 5 words in 2 layers" in said(at) and "**2 ticks** with 16" in said(at)
    assert "**0.949** times the loss" in said(at)
    at.slider(key="layers").set_value(4).run()
    assert "**8 ticks** for 5 words in 4 layers" in said(at) and not at.exception


@pytest.mark.parametrize("typed", ["", " ", "👩‍👧", "word " * 60, "</script>|*_"])
def test_any_sentence_and_passage(typed: str) -> None:
    at = opened()
    at.text_input(key="sentence").set_value(typed)
    at.text_input(key="passage").set_value(typed).run()
    assert not at.exception and not at.error
