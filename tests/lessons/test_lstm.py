"""What a memory is said to hold: against sums by hand over the models' own probabilities."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from engine import frame as fr
from engine.lessons.lstm import parts
from engine.lessons.lstm.reminders import REMINDERS, measure_bits, measure_memory
from engine.live import cache
from engine.models.base import Model


@pytest.fixture(scope="module")
def lstm() -> Model[Any]:
    return cache.model(next(run for run in cache.runs(None) if run.id == "lstm"))


def test_sentences_differ_in_the_early_part_only() -> None:
    for story in REMINDERS:
        assert story.text != story.other and story.text.split()[-1] == story.other.split()[-1]
        assert story.written.endswith(story.word) and story.word.startswith(" ")
    france = REMINDERS[0]
    assert (france.text, france.word) == ("I grew up in France. I speak fluent", " French")
    assert (france.other, france.exchanged) == (
        "I grew up in Germany. I speak fluent",
        "France → Germany",
    )


def test_bits_are_the_product_over_the_letters(lstm: Model[Any]) -> None:
    text, word = "The cat sat", " on"
    product = 1.0
    for n in range(len(word)):
        trace = lstm.trace(text + word[:n], fields=("probability",))
        tokens = trace.field("probability").axis("next").labels
        product *= trace.field("probability").values[-1, list(tokens).index(word[n])]
    assert measure_bits(lstm, text, word) == pytest.approx(-np.log2(product), abs=1e-3)


def test_the_table_shows_what_was_measured(lstm: Model[Any]) -> None:
    asked = parts.memory.blocks()
    assert not [block for block in asked if isinstance(block, fr.Rows)], "nothing before the button"
    blocks = parts.memory.blocks(measure=True)
    (table,) = (block for block in blocks if isinstance(block, fr.Rows))
    measured = [measure_memory(lstm, story) for story in REMINDERS]
    assert [str(row["LSTM"]).startswith("✓") for row in table.rows] == [
        more >= 1 for _bits, more in measured
    ]
    bits, more = measured[0]
    assert str(table.rows[0]["LSTM"]).endswith(f"{abs(more):.1f} of {bits:.1f}")
    right = sum(more >= 1 for _bits, more in measured)
    (line,) = (block for block in blocks if isinstance(block, fr.Line))
    assert str(line.blocks[0]) == f"LSTM: {right} of {len(REMINDERS)}" and len(line.blocks) == 4
