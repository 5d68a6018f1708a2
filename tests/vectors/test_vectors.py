"""Neighbours against brute force in float64, and the toy vectors of the notes."""

from __future__ import annotations

import numpy as np
import pytest

from engine.vectors.base import Vectors, top

# T23: two dimensions, by hand
TOY = Vectors(
    ("Paris", "France", "Rome", "Italy", "Madrid", "Spain"),
    np.array(
        [[0.9, 0.8], [0.8, 0.1], [-0.65, 0.95], [-0.8, 0.2], [0.1, 0.85], [0.05, 0.1]], np.float32
    ),
)


def test_the_toy_analogy() -> None:
    query = TOY.values[0] - TOY.values[1] + TOY.values[3]
    found = TOY.nearest(query)
    assert [word for word, _ in found] == ["Rome", "Italy", "Madrid", "Spain", "Paris", "France"]
    assert np.allclose(
        [c for _, c in found],
        [0.998141, 0.787056, 0.712212, 0.431455, 0.065552, -0.511293],
        atol=1e-6,
    )
    assert [word for word, _ in TOY.nearest(query, 2, without=("Rome", "nothing"))] == [
        "Italy",
        "Madrid",
    ]


@pytest.mark.parametrize("most", [0, 1, 7, 500])
def test_neighbours_are_those_of_brute_force(most: int) -> None:
    rng = np.random.default_rng(3)
    values = rng.normal(size=(200, 9)).astype(np.float32)
    values[17] = 0
    space = Vectors(tuple(f"w{i}" for i in range(200)), values)
    query = rng.normal(size=9)
    lengths = np.linalg.norm(values.astype(float), axis=1) * np.linalg.norm(query)
    cosines = values.astype(float) @ query / np.where(lengths > 0, lengths, 1)
    best = sorted(range(200), key=lambda i: (-cosines[i], i))[:most]
    assert [word for word, _ in space.nearest(query, most)] == [f"w{i}" for i in best]
    assert np.allclose([c for _, c in space.nearest(query, most)], cosines[best], atol=1e-6)


def test_ties_keep_their_order() -> None:
    assert top(np.array([1.0, 3.0, 2.0, 3.0, 3.0]), 2).tolist() == [1, 3]
    assert TOY.nearest(np.zeros(2), 2) == [("Paris", 0.0), ("France", 0.0)]


def test_a_word_is_found_in_small_letters_too() -> None:
    space = Vectors(("paris", "US", "us"), np.eye(3, dtype=np.float32))
    assert [space.row(word) for word in ("Paris", "US", "us", "Us", "london")] == [0, 1, 2, 2, None]


def test_rows_and_words_must_agree() -> None:
    with pytest.raises(ValueError, match="2 words need a table"):
        Vectors(("a", "b"), np.zeros((3, 4), np.float32))
