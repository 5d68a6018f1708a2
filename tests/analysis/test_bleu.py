"""BLEU: against sums by hand, against numbers of sacrebleu 2.6.0, and from its definition."""

from __future__ import annotations

import math

import numpy as np
import pytest

from engine.analysis import bleu

# score of sacrebleu 2.6.0, corpus_bleu(written, [right]).score
SACREBLEU = (
    (["the cat sat on the mat"], ["the cat sat on the red mat"], 67.3182138),
    (["El rey dio el libro a la reina."], ["El rey dio a la reina un libro."], 32.0731820),
    (["A, b", "x y z w v"], ["A, b c", "x y z w"], 72.3126903),
    (["one two"], ["three four"], 0.0),
)


def test_papineni_s_clipped_words() -> None:
    """“the” seven times: two of them stand in “the cat is on the mat” (Papineni et al., sec. 2.1)."""
    (row,) = bleu.counts(["the the the the the the the"], ["the cat is on the mat"])
    assert row.tolist() == [7, 6, 2, 0, 0, 0, 7, 6, 5, 4]


def test_a_line_by_hand() -> None:
    """a b c d e f against a b c d x: words 4 of 6, pairs 3 of 5, threes 2 of 4, fours 1 of 3."""
    found = bleu.measure(["a b c d e f"], ["a b c d x"])
    assert found.precisions == pytest.approx((4 / 6, 3 / 5, 2 / 4, 1 / 3))
    assert found.brevity == 1 and found.lengths == (6, 5)
    assert found.score == pytest.approx(100 * (4 / 6 * 3 / 5 * 2 / 4 / 3) ** 0.25)


def test_a_short_text_pays() -> None:
    found = bleu.measure(["a b c d"], ["a b c d e f"])
    assert found.precisions == (1, 1, 1, 1) and found.brevity == pytest.approx(math.exp(1 - 6 / 4))
    assert found.score == pytest.approx(100 * found.brevity)


def test_runs_without_a_match_count_a_half_and_a_quarter() -> None:
    found = bleu.measure(["a b x c y"], ["a b c d e"])
    assert found.precisions == pytest.approx((3 / 5, 1 / 4, 1 / 2 / 3, 1 / 4 / 2))


@pytest.mark.parametrize(("written", "right", "score"), SACREBLEU)
def test_sacrebleu_says_the_same(written: list[str], right: list[str], score: float) -> None:
    assert bleu.measure(written, right).score == pytest.approx(score, abs=1e-6)


def test_words_of_mteval() -> None:
    assert bleu.words('He paid 3,000.50 (in all), "so": A-b 10-12 &amp; x.y') == (
        'He paid 3,000.50 ( in all ) , " so " : A-b 10 - 12 & x . y'.split()
    )


def test_nothing_and_unequal() -> None:
    assert bleu.measure([], []).score == 0 and bleu.measure([""], ["a"]).score == 0
    with pytest.raises(ValueError, match="1 lines are compared with 2"):
        bleu.measure(["a"], ["a", "b"])


def test_the_interval_holds_the_score_and_is_a_point_where_all_lines_are_alike() -> None:
    rng = np.random.default_rng(0)
    right = [" ".join(rng.choice(list("abcdefg"), 9)) for _ in range(40)]
    written = [" ".join(rng.permutation(line.split()[:7])) for line in right]
    found = bleu.measure(written, right)
    low, high = found.interval
    assert low < found.score < high
    same = bleu.measure(written[:1] * 5, right[:1] * 5)
    assert same.interval == pytest.approx((same.score, same.score))
