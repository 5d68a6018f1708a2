"""How long the true nearest neighbours of a vector take among 70,000 words.  Peer: the plain way in
numpy, all cosines sorted."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from engine.bench import Bench, Row, measure
from engine.vectors import analogy
from engine.vectors.base import Vectors

WORDS, WIDTH, MOST = 70_000, 100, 10


def bench() -> Iterator[Row]:
    value_VD = np.random.default_rng(0).normal(size=(WORDS, WIDTH)).astype(np.float32)
    space = Vectors(tuple(f"word{i}" for i in range(WORDS)), value_VD)
    length_V = np.linalg.norm(value_VD, axis=1)
    query_D = value_VD[123]

    def plain() -> np.ndarray:
        cosine_V = value_VD @ query_D / (length_V * np.linalg.norm(query_D))
        found: np.ndarray = np.argsort(-cosine_V)[:MOST]
        return found

    size = f"{WORDS:,} x {WIDTH}"
    yield measure(
        "nearest words",
        size,
        lambda: space.nearest(query_D, MOST, ("word123",)),
        "numpy, all sorted",
        plain,
    )
    yield measure(
        "analogy, both rankings", size, lambda: analogy.solve(space, "word1", "word2", "word3")
    )


BENCH = Bench(bench)
