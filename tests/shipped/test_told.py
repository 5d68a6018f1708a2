"""What is told of a memory, measured: against sums by hand over the models' own probabilities."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.spatial.distance import cosine
from streamlit.testing.v1 import AppTest

from engine import ROOT
from engine.analysis import ledger, told
from engine.course.stories import LEFTOVERS, OPINIONS, READOUTS, REMINDERS, VALVES
from engine.live import cache
from engine.models.abilities import Remembers
from engine.models.base import Model


@pytest.fixture(scope="module")
def lstm() -> Model[Any]:
    return cache.model(next(run for run in cache.runs(None) if run.id == "lstm"))


def test_stories_differ_in_the_early_part_only() -> None:
    for story in REMINDERS:
        assert story.text != story.other and story.word.startswith(" ")
        assert story.text.split()[-1] == story.other.split()[-1] or len(story.text.split()) < 4
    for valve in VALVES:
        assert valve.text.count(valve.word) == 1
    for leftover in LEFTOVERS:
        assert leftover.text.count(leftover.word) == 1
        assert not leftover.text.endswith(leftover.word), "something has to come after it"
    assert len({o.text for o in OPINIONS}) == len(OPINIONS)


def test_bits_are_the_product_over_the_letters(lstm: Model[Any]) -> None:
    text, word = "The cat sat", " on"
    product = 1.0
    for n in range(len(word)):
        trace = lstm.trace(text + word[:n], fields=("probability",))
        tokens = trace.field("probability").axis("next").labels
        product *= trace.field("probability").values[-1, list(tokens).index(word[n])]
    assert told.bits(lstm, text, word) == pytest.approx(-np.log2(product), abs=1e-3)


def test_gate_is_the_mean_at_the_letters_of_the_word(lstm: Model[Any]) -> None:
    story = VALVES[0]
    here, elsewhere = told.opened(lstm, story)
    gate = lstm.trace(story.text, fields=(story.gate,)).field(story.gate).values
    # token 0 is the start mark; "not" stands at characters 5 to 7 of "I am not happy"
    assert here == pytest.approx(float(gate[:, 6:9].mean()), rel=1e-5)
    others = [1, 3, 4, 10, 11, 12, 13, 14]
    assert elsewhere == pytest.approx(float(gate[:, others].mean()), rel=1e-5)


def test_left_is_what_the_ledger_keeps(lstm: Model[Any]) -> None:
    """Against the memory ledger's own share, unit by unit."""
    story = next(s for s in LEFTOVERS if s.word == "New York")
    share, holding, units = told.left(lstm, story)
    assert isinstance(lstm, Remembers)
    trace, memory = lstm.trace(story.text), lstm.memories[0]
    last = 1 + story.text.index(story.word) + len(story.word) - 1  # token 0 is the start mark
    layers, _, width = trace.field("gate.forget").values.shape
    kept = [
        ledger.account(trace, memory, layer, unit).kept_TT[-1, last]
        for layer in range(layers)
        for unit in range(width)
    ]
    assert units == len(kept)
    assert share == pytest.approx(np.mean(kept), rel=1e-9)
    assert holding == sum(one >= 0.5 for one in kept)


@pytest.mark.parametrize("story", READOUTS, ids=lambda story: story.text[:12])
def test_one_cell_is_read_out_in_two_ways(lstm: Model[Any], story: Any) -> None:
    found = told.read_out(lstm, story)
    cells, states = (
        [lstm.trace(text).field(name).values[:, -1].ravel() for text in (story.text, story.other)]
        for name in ("cell", "hidden")
    )
    assert found.cell_alike == pytest.approx(1 - cosine(*cells), abs=1e-5)
    assert found.hidden_alike == pytest.approx(1 - cosine(*states), abs=1e-5)
    assert found.cell_alike > found.hidden_alike + 0.05
    assert found.cell[0] == pytest.approx(found.cell[1], rel=0.06)
    for cell, gate, hidden in zip(found.cell, found.gate, found.hidden, strict=True):
        assert hidden == pytest.approx(gate * np.tanh(cell), abs=1e-5)
    apart = abs(found.hidden[0] - found.hidden[1])
    for unit, (a, b) in enumerate(zip(*cells, strict=True)):
        if max(abs(a), abs(b)) > 0.5 and abs(a - b) <= 0.05 * max(abs(a), abs(b)):
            assert abs(states[0][unit] - states[1][unit]) <= apart + 1e-6


def test_the_fold_shows_every_story_with_what_was_measured(lstm: Model[Any]) -> None:
    at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    at.switch_page("pages/410_lstm.py").run()
    assert not at.exception and not any("What is measured" in m.value for m in at.markdown)
    at.session_state["fold.stories"] = True
    at.run()
    assert not at.exception and not at.dataframe, "a table of sentences folds"
    tables = [m.value.splitlines()[2:] for m in at.markdown if m.value.startswith("| Text")]
    sizes = [len(REMINDERS), len(VALVES), len(LEFTOVERS), len(READOUTS)]
    assert [len(table) for table in tables] == sizes
    right = sum(told.reminded(lstm, story)[1] >= 1 for story in REMINDERS)
    assert f"LSTM\u00a0{right} of {len(REMINDERS)}," in said(at)
    plain = [row.replace("\\", "").split("|")[3] for row in tables[0]]
    assert sum("LSTM" in cell.partition("–")[0] for cell in plain) == right
    apart = [(told.opened(lstm, story), story.high) for story in VALVES]
    true = sum((a - b if high else b - a) >= 0.1 for (a, b), high in apart)
    assert f"So many are as claimed: {true} of {len(VALVES)}." in said(at)
    assert sum("| ✓" in row for row in tables[1]) == true
    share, holding, units = told.left(lstm, LEFTOVERS[0])
    plain = tables[2][0].replace("\\", "")
    assert f"{100 * share:.1f} % of “John” is left; {holding} of {units} units hold half" in plain


def said(at: AppTest) -> str:
    return "\n".join(m.value for m in at.markdown)
