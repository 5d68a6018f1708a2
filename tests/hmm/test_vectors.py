"""Numbers worked out by hand elsewhere: counts of free numbers, the two states of many textbooks with
all of their paths, a round of learning, what is forgotten, and an output that is no Markov chain."""

from __future__ import annotations

import numpy as np
import pytest

from engine.hmm import counts, forgetting, paths, recursions
from engine.hmm.drawing import draw, pick
from tests.conftest import together

START, A = np.array([0.6, 0.4]), np.array([[0.7, 0.3], [0.4, 0.6]])
B = np.array([[0.5, 0.4, 0.1], [0.1, 0.3, 0.6]])


@together(
    ("k", "n", "tables"),
    [
        (2, 3, [1, 2, 4]),
        (3, 2, [2, 6]),
        (3, 4, [2, 6, 18, 54]),
        (10, 5, [9, 90, 900, 9000, 90_000]),
        (10**4, 3, [9999, 99_990_000, 999_900_000_000]),
    ],
)
def test_tables_of_all_texts(k: int, n: int, tables: list[int]) -> None:
    found = counts.tables(k, n)
    assert [free for _, _, free in found] == tables
    assert all(free == histories * row for histories, row, free in found)
    assert sum(tables) == counts.joint(k, n)


def test_counts_of_models() -> None:
    assert [counts.joint(*of) for of in ((2, 3), (3, 4), (10, 5))] == [7, 80, 99_999]
    assert counts.joint(50_000, 5) == 312_499_999_999_999_999_999_999
    assert counts.tables(50_000, 5)[-1][2] == pytest.approx(3.124938e23, rel=1e-6)
    assert [counts.n_gram(9, before) for before in (1, 2)] == [80, 728]
    assert [counts.tables(9, 3)[before][2] for before in (1, 2)] == [72, 648]
    words = [counts.tables(10**4, 4)[before][2] for before in (1, 2, 3)]
    assert words == [99_990_000, 999_900_000_000, 9_999_000_000_000_000]
    assert [counts.hidden(*of) for of in ((2, 3), (10, 9), (50, 10**4))] == [7, 179, 502_449]


def test_all_paths_of_three_words() -> None:
    path_PT, p_P = paths.listed(START, A, B.T[[0, 1, 2]])
    found = {"".join(str(s + 1) for s in path): p for path, p in zip(path_PT, p_P, strict=True)}
    wanted = {"111": 0.00588, "112": 0.01512, "121": 0.00108, "122": 0.00972}
    wanted |= {"211": 0.000448, "212": 0.001152, "221": 0.000288, "222": 0.002592}
    assert found == pytest.approx(wanted)
    assert p_P.sum() == pytest.approx(0.03628) and np.log(p_P.sum()) == pytest.approx(-3.316489)
    assert found["112"] / p_P.sum() == pytest.approx(0.416759, abs=1e-6)
    with pytest.raises(ValueError, match="too many to list"):
        paths.listed(START, A, np.ones((13, 2)))


def test_the_scales_are_the_sums_over_paths() -> None:
    """alpha is the filter times the scales so far; beta the sum over what follows."""
    like = B.T[[0, 1, 2]]
    predict, belief, scale = recursions.forwards(START, A, like)
    alpha = belief * np.cumprod(scale)[:, None]
    np.testing.assert_allclose(alpha, [[0.3, 0.04], [0.0904, 0.0342], [0.007696, 0.028584]])
    beta = np.array([[0.106, 0.112], [0.25, 0.4], [1, 1]])
    np.testing.assert_allclose((alpha * beta).sum(1), 0.03628)
    found = recursions.backwards(A, like)
    np.testing.assert_allclose(recursions.rows(found), recursions.rows(beta))
    following = [predict @ B, (belief[-1] @ A) @ B]
    np.testing.assert_allclose(
        [*following[0], following[1]],
        [
            [0.34, 0.36, 0.3],
            [0.365882, 0.366471, 0.267647],
            [0.347063, 0.361765, 0.291172],
            [0.285455, 0.346364, 0.368181],
        ],
        atol=1e-6,
    )


def test_odds_that_are_never_forgotten() -> None:
    """Where no state ever changes, words move both beliefs and keep the ratio of their odds."""
    read = np.tile(B[:, 1], (3, 1))
    ends = [
        recursions.forwards(np.array(start) * 1.0, np.eye(2), read)[1][:, 0]
        for start in ([0.9, 0.1], [0.1, 0.9])
    ]
    np.testing.assert_allclose(ends[0], [0.923077, 0.941176, 0.955224], atol=1e-6)
    np.testing.assert_allclose(ends[1], [0.129032, 0.164948, 0.208469], atol=1e-6)
    gap = [
        np.log(one / (1 - one)) - np.log(two / (1 - two)) for one, two in zip(*ends, strict=True)
    ]
    np.testing.assert_allclose(gap, 4.394449, atol=1e-6)
    assert forgetting.second(np.eye(2)[::-1]) == pytest.approx(1)


@pytest.mark.parametrize(
    ("first", "third"),
    [
        (0, [0.347063, 0.361765, 0.291172]),
        (1, [0.34, 0.36, 0.3]),
        (2, [0.323815, 0.355954, 0.320231]),
    ],
)
def test_what_it_writes_is_no_markov_chain(first: int, third: list[float]) -> None:
    """The word after “2” depends on the word before it."""
    belief = recursions.forwards(START, A, B.T[[first, 1]])[1][-1]
    np.testing.assert_allclose(belief @ A @ B, third, atol=1e-6)


def test_a_text_drawn_with_given_numbers() -> None:
    uniforms = [0.3, 0.55, 0.8, 0.95, 0.5, 0.05, 0.65, 0.2]
    found = [(s + 1, w + 1) for s, w in draw(START, A, B, uniforms)]
    assert found == [(1, 2), (2, 3), (2, 1), (2, 2)]


@pytest.mark.parametrize(("s", "k"), [(2, 3), (1, 5), (4, 7)])
def test_free_numbers_are_those_of_the_rows(s: int, k: int) -> None:
    rows = [s, *[s] * s, *[k] * s]  # the start, the transitions, what each state writes
    assert counts.hidden(s, k) == sum(length - 1 for length in rows)
    for n in (1, 2, 4):
        tables = [k**i * (k - 1) for i in range(n)]  # of word i, a row for each history
        assert counts.joint(k, n) == sum(tables) == counts.n_gram(k, n - 1)


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
