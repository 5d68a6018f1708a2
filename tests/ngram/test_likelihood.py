"""What makes counts the likeliest, which words they leave out, and weights fitted on lines that are neither
counted for it nor judged on."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from engine.analysis.study import Study
from engine.core.registry import smoothings
from engine.lessons.counting_texts import PRESETS
from engine.lessons.smoothing import least_count
from engine.ngram import likelihood
from engine.ngram.smoothing.jelinek_mercer import LEAST, STEPS, JelinekMercer
from engine.ngram.smoothing.kneser_ney import KneserNey
from engine.text.tokenizers.base import split
from tests.conftest import TEXT

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
    once = least_count.close(of, 2)
    assert {*of.vocab} - {*once.vocab} == {"mat"}
    row = once.at_order(smoothings.get("mle")(), 2)
    (p_V,) = row.distributions(row.counts.places(np.array([once.vocab.index("the")])))
    assert p_V[0] == pytest.approx(1 / 6)
    thrice = least_count.close(of, 3)
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


def by_hand(study: Study) -> list[float]:
    """Expectation maximisation for orders 0 to 2 with dictionaries, longest order first."""
    counted, apart = split(list(study.lines))

    def tokens(lines: list[str]) -> list[list[str]]:
        cut = (study.tokenizer.stream([line])[1:-1] for line in lines)
        return [["</s>", *(study.vocab[i] for i in ids), "</s>"] for ids in cut]

    one, two, before = Counter[str](), Counter[tuple[str, str]](), Counter[str]()
    for line in tokens(counted):
        one.update(line[1:])
        two.update(pairwise(line))
        before.update(line[:-1])
    rows = []
    for line in tokens(apart):
        for a, b in pairwise(line):
            pair = two[a, b] / before[a] if before[a] else 0.0
            rows.append((1 / (len(study.vocab) - 1), one[b] / one.total(), pair))
    weights = [1 / 3] * 3
    for _ in range(STEPS):
        parts = [[w * p for w, p in zip(weights, row, strict=True)] for row in rows]
        weights = [sum(part[m] / sum(part) for part in parts) / len(parts) for m in range(3)]
    weights[0] = max(weights[0], LEAST)
    return [w / sum(weights) for w in reversed(weights)]


def test_weights_come_from_counted_lines_set_aside() -> None:
    study = Study.of(TEXT, 2)
    found = study.smoothed(JelinekMercer()).learned["lambda"]
    assert found[::-1].tolist() == pytest.approx(by_hand(study), abs=1e-6)
    study = Study.of(TEXT, 3)
    other = replace(study, held_out=("zebra zebra zebra",), _kept={})
    ours, theirs = (s.smoothed(JelinekMercer()).learned["lambda"] for s in (study, other))
    assert ours.tolist() == theirs.tolist()
    assert study.at_order(JelinekMercer(), 2).learned["lambda"].tolist() == pytest.approx(
        by_hand(study)[::-1], abs=1e-6
    )
    study = Study.of(TEXT, 2)
    given = JelinekMercer("0.5,0.5")
    assert study.tuned(given) is given and study.tuned(KneserNey()) == KneserNey()
    single = Study.of("a b a", 2)
    assert single.smoothed(JelinekMercer()).learned["lambda"].tolist() == [1 / 3] * 3
