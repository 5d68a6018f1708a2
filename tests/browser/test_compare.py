"""Compare and Corpus duel in a real browser: the numbers drawn for the pieces and words are those
of the engine, with every key."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from playwright.sync_api import expect

from engine.lessons.compare import counted
from engine.lessons.compare.alignment import odds, reading, segments, words
from engine.lessons.compare.shown import TWO_TEXTS
from engine.live.compared import names
from engine.runs.store import Run, RunStore
from tests.browser.conftest import Live
from tests.pages.test_compare import IDS

pytestmark = pytest.mark.browser
TEXT = "The king said yes"


def test_pieces_and_odds_are_those_of_the_engine(
    page: Callable[..., Live], run_of: Callable[[str], Run]
) -> None:
    live = page("compare", query={"text": TEXT, "runs": ",".join(run_of(id).id for id in IDS)})
    live.type(", 😍 flurble")
    text = TEXT + ", 😍 flurble"
    models = [RunStore().load(run_of(id)) for id in IDS]
    found = segments([reading(model.trace(text, fields=("probability",))) for model in models])
    axes, labels, values = live.numbers()["segments"]
    assert (
        axes == ["token", "method"]
        and labels[0] == list(found.labels(text))
        and labels[1] == names([run_of(id) for id in IDS])
    )
    assert values == pytest.approx(found.bits_SM, rel=2e-3, abs=2e-3)
    said = live.page.locator('[data-panel="surprise"] .un-readout').inner_text()
    in_all = said.partition("In all: ")[2].partition(".\u00a0")[0].split("; ")[:3]
    assert (
        ["not known" in words_of for words_of in in_all]
        == found.unknown_SM.any(0).tolist()
        == [True, False, True]
    )
    for bits, words_of in zip(found.bits_SM.sum(0), in_all, strict=True):
        assert f" {bits:.3g} bits" in words_of

    live = page("compare", query={"text": "She gave him a key", "runs": ",".join(TWO_TEXTS)})
    live.type(", so")
    text = "She gave him a key, so"
    by_id = {run.id: run for run in counted.runs()}
    a, b = counted.models_of(by_id[id] for id in TWO_TEXTS)
    found = segments(
        [reading(model.trace(text, fields=("probability",))) for model in (a, b)], words(text)
    )
    axes, labels, values = live.numbers()["odds"]
    assert labels[0] == list(found.labels(text)) == ["She", " gave", " him", " a", " key,", " so"]
    assert values == pytest.approx(odds(found), rel=2e-3, abs=2e-3)
    total = live.page.locator('[data-panel="odds"] .un-total').inner_text()
    assert f"Together +{np.sum(odds(found)):.3g}" in total and "Little stories" in total
    live.page.locator('[data-panel="odds"] button:text-is("Table")').click()
    expect(live.page.locator('[data-panel="odds"] .un-table tr')).to_have_count(7)


def test_enter_adds_one_model_not_all_that_match(page: Callable[..., Live]) -> None:
    live = page("compare")
    field = live.page.locator('[data-testid="stMultiSelect"] input').last
    field.click()
    field.press_sequentially("torch")
    live.page.get_by_role("option", name="GRU as in torch").wait_for()
    field.press("Enter")
    assert live.settled("gru_after").count("_after") == 1
