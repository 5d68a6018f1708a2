"""Free numbers counted one by one, and texts drawn with given numbers, against those worked out by
hand."""

from __future__ import annotations

import numpy as np
import pytest

from engine.hmm import counts
from engine.hmm.drawing import draw, pick

START, A = np.array([0.6, 0.4]), np.array([[0.7, 0.3], [0.4, 0.6]])
B = np.array([[0.5, 0.4, 0.1], [0.1, 0.3, 0.6]])


@pytest.mark.parametrize(("s", "k"), [(2, 3), (1, 5), (4, 7)])
def test_free_numbers_are_those_of_the_rows(s: int, k: int) -> None:
    rows = [s, *[s] * s, *[k] * s]  # the start, the transitions, what each state writes
    assert counts.hidden(s, k) == sum(length - 1 for length in rows)
    for n in (1, 2, 4):
        tables = [k**i * (k - 1) for i in range(n)]  # of word i, a row for each history
        assert counts.joint(k, n) == sum(tables) == counts.n_gram(k, n - 1)


def test_free_numbers_by_hand() -> None:
    assert [counts.hidden(*of) for of in ((2, 3), (10, 9), (50, 10**4))] == [7, 179, 502_449]
    assert counts.joint(10**4, 3) == 999_999_999_999 and counts.n_gram(9, 2) == 728


def test_a_text_by_hand() -> None:
    uniforms = [0.3, 0.55, 0.8, 0.95, 0.5, 0.05, 0.65, 0.2]
    assert list(draw(START, A, B, uniforms)) == [(0, 1), (1, 2), (1, 0), (1, 1)]


def test_texts_follow_the_tables() -> None:
    found = list(draw(START, A, B, np.random.default_rng(0).random(40_000).tolist()))
    states, words = np.array(found).T
    for s in range(2):
        np.testing.assert_allclose(np.mean(states[1:][states[:-1] == s] == 0), A[s, 0], atol=0.02)
        share = np.bincount(words[states == s], minlength=3) / (states == s).sum()
        np.testing.assert_allclose(share, B[s], atol=0.02)


def test_nothing_impossible_is_drawn() -> None:
    assert pick(np.array([0.0, 0.5, 0.5, 0.0]), 0.0) == 1
    assert pick(np.array([0.0, 0.5, 0.5, 0.0]), 1 - 1e-17) == 2
