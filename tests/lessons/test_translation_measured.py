"""BLEU against numbers of sacrebleu 2.6.0, and coverage from its definition."""

from __future__ import annotations

import math

import numpy as np
import pytest

from engine.analysis.measures import bleu
from engine.lessons.translation import coverage
from tests.conftest import together

# score of sacrebleu 2.6.0, corpus_bleu(written, [right]).score
SACREBLEU = (
    (["the cat sat on the mat"], ["the cat sat on the red mat"], 67.3182138),
    (["El rey dio el libro a la reina."], ["El rey dio a la reina un libro."], 32.0731820),
    (["A, b", "x y z w v"], ["A, b c", "x y z w"], 72.3126903),
    (["one two"], ["three four"], 0.0),
)


def test_counts_and_words_by_hand() -> None:
    # “the” seven times: two of them stand in “the cat is on the mat” (Papineni et al., sec. 2.1).
    (row,) = bleu.counts(["the the the the the the the"], ["the cat is on the mat"])
    assert row.tolist() == [7, 6, 2, 0, 0, 0, 7, 6, 5, 4]
    assert bleu.words('He paid 3,000.50 (in all), "so": A-b 10-12 &amp; x.y') == tuple(
        'He paid 3,000.50 ( in all ) , " so " : A-b 10 - 12 & x . y'.split()
    )
    assert bleu.measure([], []).score == 0 and bleu.measure([""], ["a"]).score == 0
    with pytest.raises(ValueError, match="1 lines are compared with 2"):
        bleu.measure(["a"], ["a", "b"])


@together(("written", "right", "score"), SACREBLEU)
def test_sacrebleu_says_the_same(written: list[str], right: list[str], score: float) -> None:
    assert bleu.measure(written, right).score == pytest.approx(score, abs=1e-6)


def test_the_interval_holds_the_score_and_is_a_point_where_all_lines_are_alike() -> None:
    rng = np.random.default_rng(0)
    right = [" ".join(rng.choice(list("abcdefg"), 9)) for _ in range(40)]
    written = [" ".join(rng.permutation(line.split()[:7])) for line in right]
    found = bleu.measure(written, right)
    low, high = found.interval
    assert low < found.score < high
    same = bleu.measure(written[:1] * 5, right[:1] * 5)
    assert same.interval == pytest.approx((same.score, same.score))


def test_word_by_word() -> None:
    look_TS = np.random.default_rng(2).dirichlet(np.ones(5), 7)
    so_far, wanted = [0.0] * 5, []
    for row in look_TS:
        wanted.append(sum(min(a, c) for a, c in zip(row, so_far, strict=True)))
        so_far = [c + a for a, c in zip(row, so_far, strict=True)]
    np.testing.assert_allclose(coverage.again(look_TS), wanted)
    np.testing.assert_allclose(coverage.sums(look_TS), so_far)
    assert coverage.penalty(look_TS) == pytest.approx(sum(math.log(min(c, 1)) for c in so_far))
    assert coverage.penalty(look_TS, 0.2) == pytest.approx(0.2 * coverage.penalty(look_TS))
    assert math.isfinite(coverage.penalty(np.array([[1.0, 0.0]])))
