"""The recursions against the sum over all paths, by brute force; learning against the same, against
hmmlearn, and against numbers worked out by hand."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
import torch
from hmmlearn.hmm import CategoricalHMM

from engine.hmm import recursions
from engine.hmm.learning import batches, expected

# two states, three words: the tables of many textbooks
START, A = np.array([0.6, 0.4]), np.array([[0.7, 0.3], [0.4, 0.6]])
B = np.array([[0.5, 0.4, 0.1], [0.1, 0.3, 0.6]])
WORDS = np.array([0, 1, 2])

Tables = tuple[np.ndarray, np.ndarray, np.ndarray]


def drawn(seed: int, s: int = 3, v: int = 5) -> Tables:
    rng = np.random.default_rng(seed)
    start, a, b = (recursions.rows(rng.gamma(1.0, size=n)) for n in ((s,), (s, s), (s, v)))
    return start, a, b


def paths(tables: Tables, words: np.ndarray) -> dict[tuple[int, ...], float]:
    """P(path, words) of every path."""
    start, a, b = tables
    found = {}
    for path in product(range(len(start)), repeat=len(words)):
        p = start[path[0]] * b[path[0], words[0]]
        for t in range(1, len(words)):
            p *= a[path[t - 1], path[t]] * b[path[t], words[t]]
        found[path] = float(p)
    return found


def of_state(all_paths: dict[tuple[int, ...], float], t: int, s: int) -> np.ndarray:
    """Sum of the paths through each state at t (S,)."""
    return np.array([sum(p for path, p in all_paths.items() if path[t] == j) for j in range(s)])


@pytest.mark.parametrize("seed", range(4))
def test_the_recursions_are_sums_over_all_paths(seed: int) -> None:
    start, a, b = tables = drawn(seed)
    words, s = np.random.default_rng(seed).integers(0, 5, 6), len(start)
    like = b.T[words]
    predict, belief, scale = recursions.forwards(start, a, like)
    r = recursions.backwards(a, like)
    smooth, pair = recursions.smoothed(belief, r), recursions.pairs(belief, a, like, r)
    score, back = recursions.viterbi(start, a, like)
    whole = paths(tables, words)
    total = sum(whole.values())
    assert scale.prod() == pytest.approx(total)
    for t in range(len(words)):
        seen = paths(tables, words[: t + 1])
        here = of_state(seen, t, s)
        np.testing.assert_allclose(belief[t], here / here.sum())
        np.testing.assert_allclose(predict[t], here / b.T[words[t]] / (here / b.T[words[t]]).sum())
        np.testing.assert_allclose(smooth[t], of_state(whole, t, s) / total)
        best = np.array([max(p for path, p in seen.items() if path[t] == j) for j in range(s)])
        np.testing.assert_allclose(score[t], np.log(best / best.max()), atol=1e-9)
        if t:
            both = np.zeros((s, s))
            for path, p in whole.items():
                both[path[t - 1], path[t]] += p / total
            np.testing.assert_allclose(pair[t], both, atol=1e-12)
    assert tuple(recursions.path(score, back)) == max(whole, key=lambda path: whole[path])


def test_three_words_by_hand() -> None:
    """Filtering: .6 x .5 and .4 x .1 are .30 and .04 of .34.  The rest is worked out likewise."""
    like = B.T[WORDS]
    predict, belief, scale = recursions.forwards(START, A, like)
    np.testing.assert_allclose(
        belief, [[0.882353, 0.117647], [0.725522, 0.274478], [0.212128, 0.787872]], atol=1e-6
    )
    np.testing.assert_allclose(
        predict, [[0.6, 0.4], [0.664706, 0.335294], [0.617657, 0.382343]], atol=1e-6
    )
    np.testing.assert_allclose(scale, [0.34, 0.366471, 0.291172], atol=1e-6)
    np.testing.assert_allclose(belief[-1] @ A, [0.463638, 0.536362], atol=1e-6)
    r = recursions.backwards(A, like)
    np.testing.assert_allclose(
        recursions.smoothed(belief, r),
        [[0.876516, 0.123484], [0.622933, 0.377067], [0.212128, 0.787872]],
        atol=1e-6,
    )
    np.testing.assert_allclose(
        recursions.pairs(belief, A, like, r)[1:],
        [
            [[0.578831, 0.297685], [0.044101, 0.079383]],
            [[0.174421, 0.448512], [0.037707, 0.339361]],
        ],
        atol=1e-6,
    )
    score, back = recursions.viterbi(START, A, like)
    np.testing.assert_allclose(score[2, 0], np.log(0.00588 / 0.01512))
    assert (back[1:] == 0).all() and recursions.path(score, back).tolist() == [0, 0, 1]


def step(tables: Tables, lines: list[np.ndarray], cells: int = 1 << 15) -> tuple[Tables, float]:
    found = expected(*map(torch.from_numpy, tables), lines, cells)
    counts = (found.start_S, found.transition_SS, found.emission_SV)
    start, a, b = (recursions.rows(x.numpy()) for x in counts)
    return (start, a, b), found.log_likelihood


def test_rounds_of_learning_by_hand() -> None:
    tables, _ = (START, A, B), 0.0
    likelihoods = []
    for n in range(7):
        new, nats = step(tables, [WORDS])
        likelihoods.append(np.exp(nats))
        if n == 0:
            np.testing.assert_allclose(new[0], [0.876516, 0.123484], atol=1e-6)
            np.testing.assert_allclose(
                new[1], [[0.502353, 0.497647], [0.163436, 0.836564]], atol=1e-6
            )
            np.testing.assert_allclose(
                new[2], [[0.512110, 0.363953, 0.123937], [0.095841, 0.292658, 0.611501]], atol=1e-6
            )
        tables = new
    np.testing.assert_allclose(
        [likelihoods[n] for n in (0, 1, 2, 3, 6)],
        [0.036280, 0.066650, 0.113112, 0.166826, 0.249821],
        atol=1e-6,
    )


@pytest.mark.parametrize("cells", [8, 40, 1 << 15])
def test_a_round_is_that_of_hmmlearn(cells: int) -> None:
    """However the lines are put into batches."""
    tables = drawn(7, 4, 6)
    rng = np.random.default_rng(8)
    lines = [rng.integers(0, 6, n) for n in (1, 2, 7, 3, 7, 12)]
    theirs = CategoricalHMM(4, n_iter=1, init_params="", tol=-np.inf)
    theirs.startprob_, theirs.transmat_, theirs.emissionprob_ = (x.copy() for x in tables)
    theirs.n_features = 6
    joined = np.concatenate(lines)[:, None]
    ours, nats = step(tables, lines, cells)
    assert nats == pytest.approx(theirs.score(joined, [len(x) for x in lines]))
    theirs.fit(joined, [len(x) for x in lines])
    for one, other in zip(
        ours, (theirs.startprob_, theirs.transmat_, theirs.emissionprob_), strict=True
    ):
        np.testing.assert_allclose(one, other, atol=1e-10)


def test_a_text_of_many_words_does_not_run_out_of_digits() -> None:
    words = np.random.default_rng(1).integers(0, 3, 4_000)
    _, nats = step((START, A, B), [words])
    scale = recursions.forwards(START, A, B.T[words])[2]
    assert nats == pytest.approx(np.log(scale).sum()) and nats < -2_000


def test_a_word_that_no_state_writes_leaves_the_belief_as_it_was_predicted() -> None:
    like = np.array([[0.5, 0.1], [0.0, 0.0], [0.1, 0.6]])
    predict, belief, scale = recursions.forwards(START, A, like)
    np.testing.assert_array_equal(belief[1], predict[1])
    assert scale[1] == 0 and np.isfinite(belief).all()
    score, back = recursions.viterbi(START, A, like)
    assert np.isfinite(score).all() and len(recursions.path(score, back)) == 3
    b = np.array([[0.5, 0.0], [0.5, 0.0]])
    with pytest.raises(ValueError, match="no probability"):
        step((START, A, b), [np.array([0, 1])])


@pytest.mark.parametrize("silent", [[2], [0], [5], [1, 2], [0, 5]], ids=str)
@pytest.mark.parametrize("whole", [True, False], ids=["no state writes it", "none that is left"])
def test_a_token_that_says_nothing_is_passed_over_in_both_directions(
    silent: list[int], whole: bool
) -> None:
    """As the sums over all paths in which that token is just as likely in every state.  `whole` or
    not: no state writes it, or only one does that the tokens before have ruled out."""
    start, a, b = drawn(3)
    a = np.pad(a, (0, 1))
    a[3, 3] = 1.0  # a state that is never entered
    start, b = np.pad(start, (0, 1)), np.pad(b, ((0, 1), (0, 0)))
    words = np.random.default_rng(3).integers(0, 5, 6)
    like = b.T[words]
    even = like.copy()
    even[silent] = 1.0
    like[silent] = 0.0
    if not whole:
        like[silent, 3] = 0.5
    _, belief, scale = recursions.forwards(start, a, like)
    said = recursions.heard(like, scale)
    np.testing.assert_array_equal(said, even)
    r = recursions.backwards(a, said)
    smooth, pair = recursions.smoothed(belief, r), recursions.pairs(belief, a, said, r)
    found: dict[tuple[int, ...], float] = {}
    for way in product(range(3), repeat=6):
        p = start[way[0]] * even[0, way[0]]
        for t in range(1, 6):
            p *= a[way[t - 1], way[t]] * even[t, way[t]]
        found[way] = float(p)
    total = sum(found.values())
    for t in range(6):
        np.testing.assert_allclose(smooth[t], of_state(found, t, 4) / total, atol=1e-12)
        if t:
            both = np.zeros((4, 4))
            for way, p in found.items():
                both[way[t - 1], way[t]] += p / total
            np.testing.assert_allclose(pair[t], both, atol=1e-12)
    assert not scale[silent].any()
    score, back = recursions.viterbi(start, a, like)
    way = tuple(recursions.path(score, back).tolist())
    assert found[way] == pytest.approx(max(found.values()))


def test_batches_hold_every_line_once() -> None:
    lines = [np.full(n, n) for n in (3, 0, 5, 1, 3, 9)]
    rows = [
        row[:length].tolist()
        for ids, lengths in batches(lines, 12)
        for row, length in zip(ids.numpy(), lengths.tolist(), strict=True)
    ]
    assert sorted(map(len, rows)) == [1, 3, 3, 5, 9] and all(set(r) == {len(r)} for r in rows)
