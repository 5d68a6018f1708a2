"""N-grams of words: their counts, their vectors, and any word that is typed."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.course.curriculum import lesson
from engine.lessons.pieces import parts
from engine.runs.store import RunStore
from tests.conftest import shipped
from tests.lessons.blocks import charts, said, tables


def given(words: str, run: str = "fasttext") -> dict[str, Any]:
    found = {"lesson": lesson("pieces"), "mine": "", "run": RunStore().find(run)}
    return {**found, "model": shipped(run), "pieces_words": words}


def test_the_counts_of_the_notes_put_right() -> None:
    assert "**14** different n-grams" in said(parts.pieces.blocks(**given("apple applw")))
    words = said(parts.common.blocks(**given("apple applw")))
    assert "6 of the 14 n-grams" in words and "27 % (Jaccard)" in words
    assert "**12** different n-grams" in said(parts.pieces.blocks(**given("cat", "charngram")))


def test_neighbours_are_those_of_the_composed_vector() -> None:
    """The page makes the vector by hand; the model composes it: the same length, whatever the word."""
    model = shipped("fasttext")
    blocks = parts.pieces.blocks(**given("zyxgrobian"))
    length = float(np.linalg.norm(model.compose("zyxgrobian")))
    assert "**not known**" in said(blocks) and f"vector: **{length:.2f}**" in said(blocks)
    drawn = charts(blocks)
    near = model.space.nearest(model.compose("zyxgrobian"), 10, without=("zyxgrobian",))
    assert list(drawn["made"].columns["neighbour"]) == [word for word, _ in near]
    table = tables(parts.models.blocks(**given("zyxgrobian")))[0]
    row = next(row for row in table if row["table"].startswith("fastText"))
    assert row["nearest words"] == ", ".join(f"{w} {c:.2f}" for w, c in near[:5])
    assert {row["this word"] for row in table} == {"no vector", "built from its n-grams"}


def test_no_length_leaves_nothing() -> None:
    assert "nothing is left" in said(parts.pieces.blocks(**given("captain"), lengths=()))
