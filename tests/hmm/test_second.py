"""The second order against the sum over all paths by brute force; its counts against numbers worked
out by hand."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from engine.hmm import recursions, second
from engine.hmm.second import Place
from engine.hmm.spelling import Spelling
from engine.hmm.trigrams import Trigrams
from tests.conftest import together

Cube = np.ndarray


def drawn(seed: int, s: int = 3, t: int = 5) -> tuple[Cube, np.ndarray]:
    """P(k | i, j) (S, S, S) and likelihoods (T, S), of which some are 0."""
    rng = np.random.default_rng(seed)
    like_TS = rng.gamma(1.0, size=(t, s)) * (rng.random((t, s)) > 0.3)
    like_TS[:, seed % s] = 0.5  # one state at least can write each token
    return recursions.rows(rng.gamma(1.0, size=(s, s, s))), like_TS


def of(cube: Cube, like_TS: np.ndarray) -> tuple[second.Follows, list[Place]]:
    places = [(at := np.flatnonzero(row), row[at]) for row in like_TS]
    return (lambda i, j, k: cube[np.ix_(i, j, k)]), places


def paths(cube: Cube, like_TS: np.ndarray) -> dict[tuple[int, ...], float]:
    """P(path, words) of every path behind two line ends, state 0."""
    found = {}
    for path in product(range(len(cube)), repeat=len(like_TS)):
        whole, p = (0, 0, *path), 1.0
        for t, like_S in enumerate(like_TS):
            p *= cube[whole[t : t + 3]] * like_S[path[t]]
        found[path] = float(p)
    return found


@together("seed", range(6))
def test_the_recursions_are_sums_over_all_paths(seed: int) -> None:
    cube, like_TS = drawn(seed)
    follows, places = of(cube, like_TS)
    whole = paths(cube, like_TS)
    total, s = sum(whole.values()), len(cube)
    best = second.viterbi(follows, places)
    assert tuple(best.tolist()) == max(whole, key=lambda path: whole[path])
    filter_T, scale_T = second.forwards(follows, places)
    assert scale_T.prod() == pytest.approx(total)
    smooth_T = second.smoothed(follows, places, filter_T)
    for t, (state_K, _) in enumerate(places):
        seen = paths(cube, like_TS[: t + 1])
        for belief_JK, ways in ((filter_T[t], seen), (smooth_T[t], whole)):
            all_JK = np.zeros((s, s))
            for path, p in ways.items():
                all_JK[path[t - 1] if t else 0, path[t]] += p / sum(ways.values())
            before_J = places[t - 1][0] if t else np.zeros(1, np.int64)
            np.testing.assert_allclose(belief_JK, all_JK[np.ix_(before_J, state_K)], atol=1e-12)
            assert all_JK.sum() == pytest.approx(belief_JK.sum())


def test_a_text_without_a_word() -> None:
    follows, _ = of(*drawn(0))
    assert len(second.viterbi(follows, [])) == 0 == len(second.forwards(follows, [])[0])
    assert second.smoothed(follows, [], []) == []


def test_shares_and_weights_by_hand() -> None:
    """Lines 1 2 and 1 2 and 2: states seen 2 1s, 3 2s, 3 ends; seen once less, the triples vote."""
    found = Trigrams.counted([[1, 2], [1, 2], [2]], 3)
    np.testing.assert_allclose(found.share_S, [3 / 8, 2 / 8, 3 / 8])
    # triple: count; less one of 1, 2 and 3 states: the largest takes the votes, the first of equals
    #   0 0 1: 2; 1/7, (2-1)/(3-1), (2-1)/(3-1): two      0 0 2: 1; 2/7, 0, 0: one
    #   0 1 2: 2; 2/7, 1/1, 1/1: two                      0 2 0: 1; 2/7, 2/2, 0: two
    #   1 2 0: 2; 2/7, 2/2, 1/1: two
    np.testing.assert_allclose(found.weights, [2 / 11, 8 / 11, 1 / 11])  # and one vote each
    every = np.arange(3)
    p = found.follows(every, every, every)
    np.testing.assert_allclose(p.sum(-1), 1)
    assert p[0, 0, 1] == pytest.approx(2 / 11 * 2 / 8 + 9 / 11 * 2 / 3)
    np.testing.assert_allclose(p[1, 0], p[0, 0])  # what stood before a line end counts for nothing


@pytest.mark.parametrize("order", [1, 2])
def test_probabilities_against_counting_line_by_line(order: int) -> None:
    rng = np.random.default_rng(3)
    lines = [rng.integers(1, 5, rng.integers(1, 9)).tolist() for _ in range(40)]
    found, every = Trigrams.counted(lines, 5, order), np.arange(5)
    p = found.follows(every, every, every)
    np.testing.assert_allclose(p.sum(-1), 1)
    whole = [[0, 0, *line, 0] for line in lines]
    runs = [tuple(line[t - 2 : t + 1]) for line in whole for t in range(2, len(line))]
    one, two, three = found.weights
    assert (three == 0) == (order == 1) and one + two + three == pytest.approx(1)
    for i, j, k in product(range(5), range(1, 5), range(5)):
        p1 = sum(run[2] == k for run in runs) / len(runs)
        after = [run for run in runs if run[1] == j]
        p2 = sum(run[2] == k for run in after) / len(after)
        both = [run for run in runs if run[:2] == (i, j)]
        p3 = sum(run[2] == k for run in both) / len(both) if both else p2
        assert p[i, j, k] == pytest.approx(one * p1 + two * p2 + three * p3)


def test_a_spelling_by_hand() -> None:
    words = [("King", 0, 1), ("Ring", 0, 2), ("sing", 1, 1), ("ring", 1, 1), ("walked", 1, 1)]
    found = Spelling(words, 2, longest=2, theta=0.5)
    share = np.array([3, 3]) / 6
    of_a = (np.array([0, 1]) + 0.5 * share) / 1.5
    of_g = (np.array([0, 1]) + 0.5 * of_a) / 1.5
    of_ng = (np.array([0, 1]) + 0.5 * of_g) / 1.5
    np.testing.assert_allclose(found.share("wing"), of_ng)
    np.testing.assert_allclose(found.share("xyz"), of_a)
    np.testing.assert_allclose(found.share("7"), share)
    assert not Spelling([], 2, 3, 1.0).share("a").any()
