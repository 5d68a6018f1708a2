"""Which run the page shows: the shipped BERT, whose heads lie beside it."""

from __future__ import annotations

from collections.abc import Sequence

from engine import frame as fr
from engine.runs.store import Run

BODY = "bert"


def head(runs: Sequence[Run]) -> dict[str, Run]:
    return {run.id: run for run in runs if run.id == BODY}


SHOWN = fr.show_runs(head)
