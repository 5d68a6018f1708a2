"""Tags of shipped runs, measured beforehand: assets/heads.json, made by `python -m
engine.lessons.heads.measured`."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any

import numpy as np

from engine import ROOT
from engine.lessons.heads import roles
from engine.lessons.heads.roles import Tags
from engine.runs import store as runs
from engine.storage.files import write_bytes

SHIPPED = ROOT / "assets" / "heads.json"


@lru_cache(8)
def find(recipe: str) -> Tags | None:
    """The tags of a run by its recipe; None where they were not measured, or the file is
    damaged."""
    row = _rows().get(recipe)
    try:
        return (
            None
            if row is None
            else Tags(
                tuple(row["names"]),
                np.array(row["score"]),
                np.array(row["baseline"]),
                np.array(row["z"]),
                tuple(row["passages"]),
            )
        )
    except (KeyError, TypeError, ValueError):
        return None


@lru_cache(1)
def _rows() -> dict[str, Any]:
    try:
        rows = json.loads(SHIPPED.read_text(encoding="utf-8"))["tags"]
        return rows if isinstance(rows, dict) else {}
    except (OSError, ValueError, KeyError, TypeError):
        return {}


def write() -> None:
    """Measure the first shipped run of each model that has attention over one text, and write the
    file."""
    store, rows = runs.RunStore(runs.SHIPPED), {}
    for run in (run for model in roles.MODELS for run in store.all(model)[:1]):
        found = roles.measure(store.load(run))
        numbers = {
            part: np.round(getattr(found, part), 5).tolist() for part in ("score", "baseline", "z")
        }
        rows[str(run.note["recipe"])] = {
            "names": found.names,
            "passages": found.passages,
            **numbers,
        }
    lines = ",\n".join(f"{json.dumps(recipe)}: {json.dumps(row)}" for recipe, row in rows.items())
    made_by = json.dumps({"made_by": "python -m engine.lessons.heads.measured"})
    write_bytes(SHIPPED, made_by[:-1].encode() + b', "tags": {\n' + lines.encode() + b"\n}}\n")


if __name__ == "__main__":
    write()
