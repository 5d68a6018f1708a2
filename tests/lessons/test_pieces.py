"""N-grams of words: their counts, their vectors, and any word that is typed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from engine.course.curriculum import lesson
from engine.lessons.pieces import hybrid, parts
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
    assert "nothing is left" in said(parts.pieces.blocks(**given("captain"), lengths=()))


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


def test_two_tables_in_one() -> None:
    """The matrix solves the normal equations, its trial is counted by hand, and a cosine of joined
    vectors is the mean of both."""
    words, made = shipped("glove"), shipped("fasttext")
    bridge = hybrid.fit_bridge(words, made)
    some = words.space.words[:: -(-len(words.space) // hybrid.MOST)]
    both = [w for w in some if w.isalpha() and np.any(made.compose(w))]
    x = np.array([made.compose(w) for w in both], np.float64)
    x = np.c_[x / np.linalg.norm(x, axis=1, keepdims=True), np.ones(len(x))]
    y = np.array([words.space.values[words.space.row(w)] for w in both], np.float64)
    out = np.arange(len(both)) % hybrid.EVERY == hybrid.EVERY - 1
    left = x[~out].T @ (x[~out] @ bridge.matrix - y[~out])
    assert np.abs(left).max() < 1e-5 * np.abs(x[~out].T @ y[~out]).max()
    assert bridge.tried == out.sum() > 500 and bridge.rank > 1
    some = np.flatnonzero(out)[:20]
    every = words.space.values / np.linalg.norm(words.space.values, axis=1, keepdims=True)
    for i in some:
        at = bridge.carry(made.compose(both[i]))
        np.testing.assert_allclose(at, x[i] @ bridge.matrix, rtol=1e-5, atol=1e-7)
    ranks = []
    for i in np.flatnonzero(out):
        cosine = every @ (x[i] @ bridge.matrix)
        ranks.append(1 + (cosine > cosine[words.space.row(both[i])]).sum())
    assert np.mean(np.array(ranks) <= hybrid.FIRST) == pytest.approx(bridge.share, abs=0.005)
    joined = hybrid.join(words, made)
    a, b = (joined.values[joined.row(w)].astype(float) for w in ("king", "queen"))
    apart = [m.space.cosines(m.space.values[m.space.row("king")])[0] for m in (words, made)]
    mean = np.mean([c[m.space.row("queen")] for c, m in zip(apart, (words, made), strict=True)])
    assert a @ b / np.linalg.norm(a) / np.linalg.norm(b) == pytest.approx(mean, abs=1e-5)


def test_a_word_that_glove_lacks_is_put_where_its_pieces_say() -> None:
    blocks = parts.models.blocks(**given("zyxgrobian king"))
    rows = [row for row in tables(blocks)[0] if "+" in row["table"]]
    assert [(row["word"], row["this word"]) for row in rows] == [
        ("zyxgrobian", "built from its n-grams"),
        ("king", "known"),
    ]
    assert "Two tables in one" in said(blocks)
