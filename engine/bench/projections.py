"""Maps: the time to draw word vectors, against the libraries.  Words: the first ones of the shipped
skip-gram's, length 1.

Larger ones repeat them with a little noise, so that no two are the same.  Quality of the t-SNE maps
goes to standard error.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from statistics import median
from typing import Any

import numpy as np

from engine.analysis.projection import quality
from engine.analysis.projection.pca import PCA
from engine.analysis.projection.tsne import TSNE
from engine.bench import Bench, Row, measure, p95
from engine.models.abilities import Knows
from engine.runs.store import RunStore

MANY, SOME, ROUNDS = 50_000, 2_000, 2


def bench() -> Iterator[Row]:
    from sklearn.decomposition import PCA as Peer
    from sklearn.manifold import TSNE as Other

    store = RunStore()
    model = store.load(store.find("skipgram"))
    assert isinstance(model, Knows)
    unit_VD = model.space.unit
    rng = np.random.default_rng(0)
    many_VD = unit_VD[rng.integers(0, len(unit_VD), MANY)] + rng.normal(
        0, 0.01, (MANY, unit_VD.shape[1])
    ).astype(np.float32)
    yield measure(
        "PCA",
        f"{MANY:,} x {unit_VD.shape[1]}",
        lambda: PCA.fit(many_VD),
        "scikit-learn",
        lambda: Peer(2).fit_transform(many_VD),
        rounds=9,
    )
    some_VD = unit_VD[:SOME]
    yield measure(
        "true neighbours and quality of every point",
        f"{SOME:,}",
        lambda: quality.measure(some_VD, some_VD[:, :2]),
        rounds=5,
    )
    makers: dict[str, Callable[[], Any]] = {
        "ours": lambda: TSNE.fit(some_VD).map.positions,
        "scikit-learn": lambda: Other(random_state=0, n_jobs=1).fit_transform(some_VD),
    }
    wall: dict[str, list[float]] = {name: [] for name in makers}
    for round in range(ROUNDS):
        for name, make in makers.items():
            began, spent = time.perf_counter(), time.process_time()
            place = np.asarray(make())
            wall[name].append(1000 * (time.perf_counter() - began))
            found = quality.measure(some_VD, place, 15)
            said = (
                f"{time.process_time() - spent:.2f} CPU-s, trustworthiness(15)"
                f" {found.trust.mean():.3f}, overlap {found.kept.mean() / 15:.3f}"
            )
            print(f"t-SNE of {SOME:,} by {name}, round {round + 1}: {said}", file=sys.stderr)
    times = wall.pop("ours")
    for name, theirs in wall.items():
        yield Row(
            "t-SNE",
            f"{SOME:,} x {unit_VD.shape[1]}",
            median(times),
            p95(times),
            name,
            median(theirs),
        )


BENCH = Bench(bench)
