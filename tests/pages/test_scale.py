"""The Scale page answers its controls, and survives what people type."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from engine.analysis import dialogue
from engine.live import cache
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


def test_turns_fall_out_of_a_window() -> None:
    at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=180)
    at.session_state["fold.dialogue"] = True
    at.switch_page("pages/545_scale.py").run()
    assert not at.exception
    turns = at.text_area(key="turns").value.splitlines()
    model = cache.model(next(run for run in cache.runs("transformer") if run.id == "transformer"))
    tokens = model.tokens("\n".join(turns))
    lengths = [len(own) for own in dialogue.places(tokens, turns)]
    fits = dialogue.kept(lengths, 48, "tokens")
    assert f"**48 of {sum(lengths)} tokens** are read" in said(at)
    assert f"fallen out: {fits.count(0)} of {len(turns)}." in said(at) and fits.count(0)
    assert ":red-background[~~You are a friendly assistant" in said(at)
    assert "bits after all that was said" in said(at)
    at.segmented_control(key="goes").set_value("first").run()
    assert ":red-background[~~You are" not in said(at) and ":red-background[~~I have a" in said(at)
    at.slider(key="so_far").set_value(1).run()
    at.slider(key="fits").set_value(256).run()
    assert "fallen out: 0 of 1." in said(at) and not at.exception
    for typed in ("\n \n", "👩‍👧\n" + "*b* <i> $x$\n" * 60):
        at.text_area(key="turns").set_value(typed).run()
        assert not at.exception
