"""Which run the page shows: one that reads notes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from engine import frame as fr
from engine.runs.store import Run

SHIPPED = "lstm_tunes"


def reading_notes(runs: Sequence[Run]) -> dict[str, Run]:
    """By id, the shipped one first."""
    some = [run for run in runs if run.note.get("config", {}).get("tokenizer") == "notes"]
    return {run.id: run for run in sorted(some, key=lambda run: run.id != SHIPPED)}


def choices(given: fr.Others) -> dict[str, str]:
    return {id: run.title for id, run in reading_notes(given["runs"]).items()} or {"": ""}


@fr.show_runs
def head(runs: Sequence[Run], run: str = fr.pick("Model", choices, width=260)) -> Mapping[str, Run]:
    return {"melody": reading_notes(runs).get(run, runs[0])}


SHOWN = head
