"""How long a text becomes: the table of the specification, all texts one by one, and a small
translator whose texts can be summed."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest

from engine.analysis.decode.beam import score
from engine.lessons.translation import stopping as lengths
from tests.lessons.test_scores_decoder_step import model

FIRST = np.array([0.5, 0.4, 0.1])  # A, B, stop
THEN = np.array([[0.3, 0.3, 0.4], [0.05, 0.05, 0.9]])


def p(text: tuple[int, ...], stop: bool = True) -> float:
    """Of one text, factor by factor."""
    found, row = 1.0, FIRST
    for word in text:
        found, row = found * row[word], THEN[word]
    return found * row[-1] if stop else found


def test_the_table_as_specified() -> None:
    """language_models T33."""
    with_stop = lengths.of_table(FIRST, THEN, 3)
    np.testing.assert_allclose(with_stop, [0.1, 0.56, 0.221, 0.07735], atol=1e-12)
    without = lengths.of_table(FIRST, THEN, 3, stop=False)
    np.testing.assert_allclose(without, [1, 0.9, 0.34, 0.119], atol=1e-12)
    assert lengths.of_table(FIRST, THEN, 200).sum() == pytest.approx(1, abs=1e-12)
    assert p((0,)) == pytest.approx(0.2) and p((1,)) == pytest.approx(0.36)  # greedy, and the best
    assert p((0, 1)) == pytest.approx(0.135) and p((0, 0)) == pytest.approx(0.06)
    assert p(()) == pytest.approx(0.1)


@pytest.mark.parametrize("stop", [True, False])
def test_all_texts_one_by_one(stop: bool) -> None:
    found = lengths.of_table(FIRST, THEN, 6, stop)
    for m in range(7):
        every = sum(p(text, stop) for text in itertools.product((0, 1), repeat=m))
        assert found[m] == pytest.approx(every, abs=1e-12)


def test_the_same_end_at_every_step() -> None:
    """T33: p(stop) = .25 gives a geometric length, and .75^M without the factor."""
    first, then = np.array([0.5, 0.25, 0.25]), np.full((2, 3), [0.5, 0.25, 0.25])
    m = np.arange(9)
    np.testing.assert_allclose(lengths.of_table(first, then, 8), 0.25 * 0.75**m)
    np.testing.assert_allclose(lengths.of_table(first, then, 8, stop=False), 0.75**m)
    with pytest.raises(ValueError, match="sum to 1"):
        lengths.of_table(first * 2, then, 3)


def probability(made: Any, text: str) -> np.ndarray:
    found: np.ndarray = made.trace(f"the cat\n{text}").field("probability").values[-1]
    return found.astype(np.float64)


@pytest.mark.parametrize("attention", ["none", "dot"])
def test_a_translator_against_the_sum_over_its_texts(attention: str) -> None:
    made = model(attention=attention)
    source, end = made.source("the cat").ids, made.tokenizer.boundary
    found = lengths.drawn(made, source, 400, 2)
    p_V = probability(made, "")
    assert found.p_M[0] == pytest.approx(p_V[end], rel=1e-4)
    assert found.least_M[1] == pytest.approx(1 - p_V[end], rel=1e-4)
    words = [i for i in range(len(p_V)) if i != end]
    rows = {i: behind(made, source, (i,)) for i in words}
    exact = sum(p_V[i] * rows[i][end] for i in words)
    assert found.p_M[1] == pytest.approx(exact, rel=0.2)
    assert found.p_M.sum() + found.left == pytest.approx(1)
    # the likeliest of each length, all of them tried
    best = lengths.best(made, source, len(words), 1)
    assert best[0].ids == () and best[0].total == pytest.approx(math.log(p_V[end]), rel=1e-4)
    likeliest = max(words, key=lambda i: p_V[i] * rows[i][end])
    assert best[1].ids == (likeliest,)
    whole = math.log(p_V[likeliest] * rows[likeliest][end])
    assert best[1].total == pytest.approx(whole, rel=1e-4)
    assert score(best[1].total, 2, 1.0) == pytest.approx(whole / 2, rel=1e-4)


def behind(made: Any, source: np.ndarray, ids: tuple[int, ...]) -> np.ndarray:
    import torch

    with torch.inference_mode():
        read = made.halves.read(torch.from_numpy(source)[None])
        logit_V = made.halves.write(torch.tensor([[made.start, *ids]]), read)[0, -1]
    found: np.ndarray = logit_V.double().softmax(-1).numpy()
    return found


def test_the_estimate_is_near_and_the_same_for_a_seed() -> None:
    made = model(attention="dot")
    source = made.source("the cat").ids
    one, two = (lengths.drawn(made, source, 50, 4, seed=3) for _ in range(2))
    np.testing.assert_array_equal(one.p_M, two.p_M)
    assert (np.diff(one.least_M) <= 0).all() and one.least_M[0] == 1


def test_the_end_along_one_text() -> None:
    made = model(attention="additive")
    source, end = made.source("the cat").ids, made.tokenizer.boundary
    found = lengths.ends(made, source, (3, 5))
    by_hand = [behind(made, source, ids)[end] for ids in ((), (3,), (3, 5))]
    np.testing.assert_allclose(found, by_hand, rtol=1e-6)
