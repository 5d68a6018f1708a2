"""Which classifiers the page shows: of each way of pooling one, the shipped one where it is there."""

from __future__ import annotations

from collections.abc import Sequence

from engine import frame as fr
from engine.models.pooling import WAYS
from engine.runs.store import Run

CALLED = {
    "attention": "learned attention",
    "mean": "mean of all",
    "max": "maximum of all",
    "last": "last state",
}


def head(runs: Sequence[Run]) -> dict[str, Run]:
    found: dict[str, Run] = {}
    for run in runs:
        way = run.note["config"].get("pool", "attention")
        if way in WAYS and (way not in found or run.id == f"pooling_{way}"):
            found[way] = run
    return {way: found[way] for way in CALLED if way in found}


SHOWN = fr.show_runs(head)
