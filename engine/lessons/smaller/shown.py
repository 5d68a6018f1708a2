"""Which net the page shows: one that says what comes next, a small one first."""

from __future__ import annotations

from collections.abc import Sequence

from engine import frame as fr
from engine.runs.store import Run

FIRST = "transformer_rope"


def titles(given: fr.Others) -> dict[str, str]:
    return {run.id: run.title for run in given["runs"]}


def usual(given: fr.Others) -> str:
    ids = [run.id for run in given["runs"]]
    return FIRST if FIRST in ids else next(iter(ids), "")


def head(
    runs: Sequence[Run], net: str = fr.pick("Net", titles, usual, width=300)
) -> dict[str, Run]:
    found = [run for run in runs if run.id == net]
    return {"net": found[0]} if found else {}


SHOWN = fr.show_runs(head)
