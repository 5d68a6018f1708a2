"""How often each way of pooling is right, by how many words there are and where the marked one stands."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from engine.lessons.pooling.panels import CALLED
from engine.live import cache
from engine.models.pooling import Pooling
from engine.runs.store import Run
from engine.text.corpora.marked import KINDS, LONGEST, written
from pages.ui import kept, plate

SIZES = (5, 10, 20, 40, 80, 160, 320)
LINES = 100


@kept.data(max_entries=8)
def right(run: Run) -> list[float]:
    """Per size the share of lines, 0 to 1, whose label is right; their first word is marked."""
    model, rng = cache.model(run, Pooling), np.random.default_rng(5)
    return [
        model.judge([written(rng, size, 0) for _ in range(LINES)])["accuracy"] for size in SIZES
    ]


def show(found: Mapping[str, Run]) -> None:
    plate.show(
        plate.lines(
            "lengths",
            "Lines answered correctly, by how many words follow the marked one.",
            [(CALLED[way], [n - 1 for n in SIZES], right(run)) for way, run in found.items()],
            next(iter(found.values())).id,
            f"{LINES} random lines of each length, the first word marked. In training no line had more"
            f" than {LONGEST} words; a guess is right in 1 of {len(KINDS)}.",
            x="words behind the marked one",
            y="share right",
            model="pooling",
            log_x=True,
            low=0,
            high=1,
        )
    )
