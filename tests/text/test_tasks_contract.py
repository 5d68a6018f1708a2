"""Every planted-truth task against a solver that reads the written stream and knows nothing of how
it was made."""

from __future__ import annotations

from collections import Counter
from itertools import product

import numpy as np
import pytest

from engine.core.registry import tasks
from engine.text.tasks.base import SILENT
from tests.conftest import together

PAIRS = dict(zip("([{", ")]}"))


def solve(id: str, words: list[str]) -> tuple[dict[int, str], int, int]:
    """What is right at which position, the distance, and the number of distractors; from the words alone."""
    if id == "lag":
        at = next(i for i, w in enumerate(words) if w.isupper())
        assert sum(w.isupper() for w in words) == 1 and words[-1] == "?"
        return {len(words) - 1: words[at]}, len(words) - 1 - at, sum(w.islower() for w in words)
    if id == "copy":
        asked = [i for i, w in enumerate(words) if w == "?"]
        assert [w for w in words if w.isupper()] == words[: len(asked)]
        assert asked == list(range(len(words) - 4, len(words)))
        return (
            {i: words[n] for n, i in enumerate(asked)},
            asked[0] - 4,
            sum(w.islower() for w in words),
        )
    if id == "brackets":
        stack: list[int] = []
        for i, w in enumerate(words[:-1]):
            if w in PAIRS:
                stack.append(i)
            elif w in PAIRS.values():
                assert PAIRS[words[stack.pop()]] == w
        (opened,) = stack
        assert words[-1] == "?"
        return (
            {len(words) - 1: PAIRS[words[opened]]},
            len(words) - 1 - opened,
            sum(w.isalpha() for w in words),
        )
    if id == "agreement":
        nouns = [i for i, w in enumerate(words) if i and words[i - 1] == "the"]
        return (
            {len(words) - 1: "are" if words[nouns[0]].endswith("s") else "is"},
            len(words) - nouns[0],
            3 * (len(nouns) - 1),
        )
    raise AssertionError(f"the task {id} needs a solver here")


@pytest.mark.parametrize("id", tasks.ids())
def test_every_answer_is_the_only_right_one(id: str) -> None:
    task = tasks.get(id)()
    distances = [*task.distances(9)[::2], task.distances(21)[-1]]
    for distance, noise in product(distances, (0.0, 0.5, 1.0)):
        ids_NT, targets_NT = task.make(8, distance, 5, noise)
        assert ids_NT.shape == targets_NT.shape and ids_NT.dtype == targets_NT.dtype == np.int64
        for ids_T, targets_T in zip(ids_NT, targets_NT, strict=True):
            words = [task.labels[i] for i in ids_T]
            right, far, distractors = solve(id, words)
            asked = np.flatnonzero(targets_T != SILENT)
            assert {int(t): task.labels[targets_T[t]] for t in asked} == right
            assert far == distance and set(right.values()) <= set(task.answers)
            room = distance if id == "copy" else distance - 1
            assert abs(distractors - noise * room) <= {"brackets": 1, "agreement": 2}.get(id, 0.5)
            assert task.written(ids_T) == (" " if task.spaced else "").join(words)


@pytest.mark.parametrize("id", tasks.ids())
def test_the_same_seed_the_same_streams_and_chance_is_fair(id: str) -> None:
    task = tasks.get(id)()
    far = task.distances(11)[-1]
    one, again, other = (task.make(600, far, seed, 0.5) for seed in (1, 1, (1, 2)))
    assert all(np.array_equal(a, b) for a, b in zip(one, again))
    assert not np.array_equal(one[0], other[0])
    asked = one[1][one[1] != SILENT]
    shares = np.array(list(Counter(asked.tolist()).values())) / len(asked)
    # 600 draws: three standard deviations are .06
    assert len(shares) == len(task.answers) and np.abs(shares - task.chance).max() < 0.07
    assert len(set(task.labels)) == len(task.labels) and set(task.answers) <= set(task.labels)


WRONG = [(0, 0.0), (-3, 0.0), (1, 1.5), (1, -0.1), (1, float("nan"))]


@together("id,wrong", product(tasks.ids(), WRONG))
def test_what_there_is_not_is_refused(id: str, wrong: tuple[int, float]) -> None:
    distance, noise = wrong
    with pytest.raises(ValueError, match=r"distance|share"):
        tasks.get(id)().make(2, distance, 0, noise)


def test_brackets_have_odd_distances_only() -> None:
    task = tasks.get("brackets")()
    assert task.distances(6) == [1, 3, 5]
    assert task.between(4, 9) == [5, 7, 9]
    assert task.between(20, 20) == [19]
    with pytest.raises(ValueError, match="no distance 4"):
        task.make(2, 4, 0)
