"""Which runs the page shows: a machine with a memory, and the LSTM that has learned the same text without one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from engine import frame as fr
from engine.runs.store import Run

BESIDE = "lstm_repeats"  # as many letters, no memory but its own


def machines(given: fr.Others) -> dict[str, str]:
    return {run.id: run.title for run in given["runs"] if run.model == "ntm"} or {"": ""}


@fr.show_runs
def head(
    runs: Sequence[Run], run: str = fr.pick("Model", machines, width=260)
) -> Mapping[str, Run]:
    """The LSTM where it is there."""
    ids = {"ntm": run, "lstm": BESIDE}
    found = {name: one for name, id in ids.items() for one in runs if one.id == id}
    return found if "ntm" in found else {"ntm": runs[0]}


SHOWN = head
