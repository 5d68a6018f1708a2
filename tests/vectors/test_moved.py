"""Alignment against scipy, moves that were planted, and states of real models word by word."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.linalg import orthogonal_procrustes
from scipy.stats import ortho_group

from engine.vectors import contextual, moved
from engine.vectors.align import procrustes
from engine.vectors.base import Vectors

RNG = np.random.default_rng(4)
N, D = 400, 12
WORDS = tuple(f"w{i}" for i in range(N))
COUNTS = np.arange(N, 0, -1) * 10


def space(values: np.ndarray) -> Vectors:
    return Vectors(WORDS, values.astype(np.float32), COUNTS)


def test_procrustes_is_that_of_scipy() -> None:
    a, b = RNG.normal(size=(30, 5)), RNG.normal(size=(30, 5))
    ours, theirs = procrustes(a, b), orthogonal_procrustes(a, b)[0]
    np.testing.assert_allclose(ours, theirs, atol=1e-10)
    np.testing.assert_allclose(ours @ ours.T, np.eye(5), atol=1e-12)
    with pytest.raises(ValueError, match="5 and 4 numbers a word"):
        procrustes(a, b[:, :4])


def test_a_turned_space_has_not_moved_and_swapped_words_have() -> None:
    values = RNG.normal(size=(N, D))
    turned = values @ ortho_group.rvs(D, random_state=1)
    assert moved.compare(space(values), space(turned)).distance.max() < 1e-6
    swapped = turned.copy()
    swapped[[5, 300]] = swapped[[300, 5]]
    found = moved.compare(space(values), space(swapped))
    assert set(np.argsort(-found.distance)[:2]) == {5, 300}
    assert np.sort(found.distance)[-3] < 0.05 < found.distance[5]
    assert found.kept(7) == 1 and found.kept(5) < 0.5
    before, after = found.neighbours(5, 3)
    cosine = found.before @ found.before[5]
    assert before == [WORDS[i] for i in np.argsort(-cosine)[1:4]] and after != before


def test_words_are_matched_by_name_whatever_their_order() -> None:
    values = RNG.normal(size=(N, D))
    order = RNG.permutation(N)[:350]
    other = Vectors(tuple(WORDS[i] for i in order), values[order].astype(np.float32), COUNTS[order])
    found = moved.compare(space(values), other)
    assert len(found.words) == 350 and found.distance.max() < 1e-6
    with pytest.raises(ValueError, match="share 3 words; 20 are needed"):
        moved.compare(space(values), Vectors(WORDS[:3], values[:3].astype(np.float32)))


def test_chance_grows_for_rare_words_as_it_was_planted() -> None:
    """Noise of each word in proportion to 1 / sqrt(count): the quantiles are those of a plain
    window over the sorted words."""
    values = RNG.normal(size=(N, D))
    noisy = [values + 4 * RNG.normal(size=(N, D)) / np.sqrt(COUNTS)[:, None] for _ in range(2)]
    noise = moved.compare(space(noisy[0]), space(noisy[1]))
    median, high = moved.chance(noise, np.array([40, 4000]))
    assert median[0] > median[1] and (high > median).all()
    brute = np.quantile(
        np.sort(noise.distance[np.argsort(noise.counts, kind="stable")][: moved.ALIKE]), [0.5, 0.95]
    )
    np.testing.assert_allclose([median[0], high[0]], brute)


@pytest.mark.parametrize("id", ["lstm", "transformer", "bert", "skipgram"])
def test_states_of_any_model_become_vectors_of_words(
    id: str, trained: Callable[[str], Any]
) -> None:
    model = trained(id)
    spec = contextual.states_of(model)[0]
    lines = ["the cat sat on the mat", "", "a Cat, the dog"]
    found = contextual.read(model, lines, spec.name)
    assert found.words == ("the", "cat", "sat", "on", "the", "mat", "a", "Cat", "the", "dog")
    assert found.lines.tolist() == [0] * 6 + [2] * 4
    trace = model.trace(lines[2], fields={spec.name})
    states = trace.field(spec.name).values
    last = states[-1] if states.ndim == 3 else states
    letters = {i for i in range(len(lines[2])) if lines[2][i:].startswith(("dog", "og", "g"))}
    dog = [t for t, (a, b) in enumerate(trace.spans) if letters & set(range(a, b))]
    want = last[dog[-1]] if spec.causal else last[dog].mean(0)
    np.testing.assert_allclose(found.values[9], want, atol=1e-6)
    mean = found.space()
    assert mean.words[0] == "the" and mean.counts is not None and mean.counts[0] == 3
    np.testing.assert_allclose(mean.values[0], found.values[[0, 4, 8]].mean(0), atol=1e-6)
    assert found.of("CAT").tolist() == [1, 7]
    assert contextual.read(model, ["", " "], spec.name).values.shape[0] == 0
