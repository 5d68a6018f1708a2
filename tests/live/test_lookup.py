"""A chosen word's place and ladder, and the falling curve, against a full sort and the model's own
table."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from engine.live import lookup

Trained = Callable[[str], Any]
TEXT = "the cat sat on the"


def test_places_equal_a_full_sort() -> None:
    p_TV = np.random.default_rng(0).integers(0, 6, (5, 40)).astype(np.float32)
    for id in range(40):
        for p_V, (p, place, same) in zip(p_TV, lookup.places(p_TV, id), strict=True):
            falling = sorted(p_V.tolist(), reverse=True)
            want = p_V[id], falling.index(p_V[id]) + 1, falling.count(p_V[id]) - 1
            assert (p, place, same) == want


def test_curve_by_hand() -> None:
    """0.5, 0.3, 0.1, 0.1: half of the mass is in one word, 90 % in three, 99 % in all four."""
    found = lookup.curve(np.array([0.1, 0.5, 0.1, 0.3]))
    assert found["ranks"] == [1, 2, 3, 4] and found["needed"] == [1, 3, 4]
    np.testing.assert_allclose(found["p"], [0.5, 0.3, 0.1, 0.1])
    np.testing.assert_allclose(found["mass"], [0.5, 0.8, 0.9, 1.0])


def test_a_long_curve_begins_at_the_first_and_ends_at_the_last() -> None:
    p_V = np.random.default_rng(1).dirichlet(np.ones(5000))
    found = lookup.curve(p_V)
    falling = np.sort(p_V)[::-1]
    ranks = found["ranks"]
    assert (ranks[0], ranks[-1]) == (1, 5000) and len(ranks) <= lookup.RANKS
    np.testing.assert_allclose(found["p"], falling[np.array(ranks) - 1], rtol=1e-5)
    for share, count in zip(lookup.SHARES, found["needed"], strict=True):
        assert falling[: count - 1].sum() < share <= falling[:count].sum() + 1e-9


def test_a_word_is_found_or_it_is_said_why_not(trained: Trained) -> None:
    model = trained("ngram")
    assert lookup.find(model, "cat") == lookup.Word(model.tokenizer.vocab.index("cat"))
    unknown = lookup.find(model, "flurble")
    assert model.tokenizer.vocab[unknown.id] == "<unk>" and "<unk>" in unknown.says
    several = lookup.find(model, "the cat")
    assert several.id is None and "2 tokens" in several.says
    assert lookup.find(model, " ").id is None
    assert lookup.find(model, "<unk>").id == unknown.id


@pytest.mark.parametrize("first", [0, 3, 5])
def test_the_ladder_of_a_word_adds_up_to_its_probability(trained: Trained, first: int) -> None:
    model = trained("ngram")
    trace = model.trace(TEXT, fields=("probability", "ladder"))
    table, vocab = trace["ladder"].columns, model.tokenizer.vocab
    for word in ("cat", "the", "flurble"):
        found = lookup.answer(model, trace, first, word)["found"]
        assert len(found) == len(trace.tokens) - first
        for t, (p, _, _, ladder) in enumerate(found, first):
            assert abs(sum(step[0] for step in ladder) - p) <= 1e-4 * p
            same = (table["position"] == t) & (table["next"] == vocab[lookup.find(model, word).id])
            for i in np.flatnonzero(same):
                for m, (part, count, total, discount) in enumerate(ladder):
                    np.testing.assert_allclose(part, table[f"part_{m}"][i], rtol=1e-4)
                    if m:
                        assert count == table[f"count_{m}"][i] and total == table[f"total_{m}"][i]
                        np.testing.assert_allclose(
                            discount, table[f"discount_{m}"][i], rtol=1e-4, atol=1e-9
                        )


def test_nothing_is_answered_that_nobody_asked(trained: Trained) -> None:
    model = trained("ngram")
    trace = model.trace(TEXT, fields=("probability",))
    assert lookup.answer(model, trace, 0) == {}
    assert lookup.answer(model, trace, 0, "", None) == {}
    assert lookup.answer(model, trace, 0, token=99) == {}
    part = model.trace(TEXT, fields=("probability",), window=(4, 6))
    whole = model.trace(TEXT, fields=("probability",))
    np.testing.assert_allclose(
        lookup.answer(model, part, 4, token=1)["extra"]["mass"],
        lookup.answer(model, whole, 0, token=1)["extra"]["mass"],
    )
