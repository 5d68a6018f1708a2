"""Which Transformer the page shows: one for each kind of position, and the reader's own."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from engine import frame as fr
from engine.core.registry import positions
from engine.runs import own
from engine.runs.store import Run

FIRST = "transformer_sinusoidal"


def kind(run: Run) -> str:
    found = str(run.note["config"].get("position", "learned"))
    return found if found in positions.ids() else "learned"


def find_alike(runs: Iterable[Run]) -> dict[str, Run]:
    """Per kind of position the run that was trained like the others; another of that kind where it is
    missing."""
    found: dict[str, Run] = {}
    for run in runs:
        if run.id == f"transformer_{kind(run)}" or kind(run) not in found:
            found[kind(run)] = run
    return {id: found[id] for id in positions.listed() if id in found}


def named(given: Mapping[str, Any]) -> dict[str, str]:
    """{id of a run: its kind of position}; the reader's own by their titles, too."""
    found = {run.id: positions.get(of).title for of, run in find_alike(given["runs"]).items()}
    mine = (run for run in given["runs"] if run.id not in found and own.is_own(run))
    return found | {run.id: f"{run.title} ({positions.get(kind(run)).title})" for run in mine}


def begins(given: Mapping[str, Any]) -> str:
    names = named(given)
    return FIRST if FIRST in names else next(iter(names))


def head(
    runs: Sequence[Run],
    positions: str = fr.pick(
        "Kind of position the model was trained with", named, begins, few=True
    ),
) -> dict[str, Run]:
    return {"transformer": next(run for run in runs if run.id == positions)}


SHOWN = fr.show_runs(head)
