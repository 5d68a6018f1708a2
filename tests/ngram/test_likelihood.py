"""What makes counts the likeliest, and which words they leave out: the four sentences of
language_models T1, T2 and T16, by dictionaries and by trying."""

from __future__ import annotations

import math
from collections import Counter
from itertools import pairwise

import numpy as np
import pytest

from engine.analysis.study import Study
from engine.core.registry import smoothings
from engine.lessons.counting_texts import PRESETS
from engine.lessons.smoothing import least_count
from engine.ngram import likelihood

LINES = PRESETS[0].lines
CUT = [["<s>", *line.split(), "</s>"] for line in LINES]


def study(order: int = 2) -> Study:
    return Study.of("\n".join(LINES), order, hold_out=False)


def test_the_likelihood_of_pairs() -> None:
    of = study()
    whole = likelihood.log_likelihood(of.raw.orders[1])
    assert whole == pytest.approx(-16.295734, abs=1e-6)
    for order in (1, 2):  # as a model of relative frequencies reads the text
        counted = study(order)
        p_N = counted.smoothed(smoothings.get("mle")()).probabilities(counted.stream)
        mine = likelihood.log_likelihood(counted.raw.orders[-1])
        assert mine == pytest.approx(np.log(p_N.astype(float)).sum(), abs=1e-5)
    pairs = Counter(g for line in CUT for g in pairwise(line))
    after = Counter(h for h, _ in pairs.elements())

    def product(row: dict[str, float]) -> float:
        """ln of the product over every token of the text, with this row after "the"."""
        return sum(
            math.log(row[w] if h == "the" else pairs[h, w] / after[h])
            for line in CUT
            for h, w in pairwise(line)
        )

    words, counts = ("cat", "dog", "mat"), np.array([4.0, 1, 1])
    assert product({w: c / 6 for w, c in zip(words, counts, strict=True)}) == pytest.approx(
        whole, abs=1e-5
    )
    for at, x in ((0, 0.3), (0, 0.9), (1, 0.5), (2, 0.01)):
        row = likelihood.moved(counts, at, x)
        assert row.sum() == pytest.approx(1) and row[at] == x
        assert whole + likelihood.gained(counts, at, x) == pytest.approx(
            product(dict(zip(words, row.tolist(), strict=True))), abs=1e-5
        )
    assert likelihood.gained(counts, 0, 4 / 6) == pytest.approx(0, abs=1e-12)
    rng = np.random.default_rng(0)  # no row at all is better
    for row in rng.dirichlet(np.ones(3), 200):
        assert product(dict(zip(words, row.tolist(), strict=True))) < whole + 1e-5
    alone = np.array([2.0])
    assert likelihood.gained(alone, 0, 0.5) == pytest.approx(2 * math.log(0.5))
    assert likelihood.gained(counts, 0, 1.0) == -math.inf


def test_words_below_a_least_count_are_unknown() -> None:
    of = study()
    once = least_count.closed(of, 2)
    assert {*of.vocab} - {*once.vocab} == {"mat"}
    row = once.at_order(smoothings.get("mle")(), 2)
    (p_V,) = row.distributions(row.counts.places(np.array([once.vocab.index("the")])))
    assert p_V[0] == pytest.approx(1 / 6)
    thrice = least_count.closed(of, 3)
    assert {*of.vocab} - {*thrice.vocab} == {"a", "mat", "on", "sat", "saw"}
    told = [thrice.vocab[i] for i in thrice.tokenizer.encode(LINES[3]).ids]
    assert told == ["the", "cat", "<unk>", "<unk>", "the", "<unk>"]
    assert ((thrice.raw.orders[0].count_G > 0).sum()) == 5  # <unk>, </s>, the, cat, dog
    course = least_count.course(of, 4)
    assert course.known_L.tolist() == [8, 7, 3, 2]
    np.testing.assert_allclose(course.counted_L, np.array([0, 1, 9, 12]) / 22)
    assert np.isnan(course.held_L).all()
    held = Study.of("\n".join(LINES), 2)  # the last line is held out
    assert least_count.course(held, 1).held_L[0] == pytest.approx(1 / 6)  # "mat"
    with pytest.raises(ValueError, match="cut the text into words"):
        least_count.course(Study.of("abc", 1, "chars"), 2)
