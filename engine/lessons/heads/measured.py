"""Tags that were measured before: of shipped runs in assets/heads.json, made by `python -m
engine.lessons.heads.measured`; of others in a file beside the run."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import lru_cache
from typing import Any

import numpy as np

from engine import ROOT
from engine.lessons.heads import roles
from engine.lessons.heads.roles import Tags
from engine.runs import own
from engine.runs import store as runs
from engine.runs.store import Run
from engine.storage import record
from engine.storage.files import write_bytes
from engine.storage.run_folder import HEADS

SHIPPED = ROOT / "assets" / "heads.json"
VERSION = 1  # of what is measured, beside a run
PARTS = ("score", "baseline", "z")


@lru_cache(8)
def find(recipe: str) -> Tags | None:
    """The tags of a run by its recipe; None where they were not measured, or the file is
    damaged."""
    return _read_sound(_rows().get(recipe))


def find_kept(run: Run) -> Tags | None:
    """Those that lie beside a run; None where none do, or they are of another one."""
    if run.step is not None:
        return None
    try:
        found = record.load(run.folder / HEADS)
    except (OSError, ValueError):
        return None
    same = found.get("version") == VERSION and found.get("recipe") == run.note.get("recipe")
    return _read_sound(found) if same else None


def keeper(run: Run) -> Callable[[Tags], None]:
    """Writes them beside a run of one's own, whoever asks for it; of any other run they are not
    kept."""
    mine = run.step is None and own.is_own(run)

    def keep(found: Tags) -> None:
        if mine:
            about = {"version": VERSION, "recipe": run.note.get("recipe")}
            with suppress(OSError):  # a full disk: they are measured again
                record.save(run.folder / HEADS, about | row(found))

    return keep


def row(found: Tags) -> dict[str, Any]:
    """As JSON has them."""
    numbers = {part: np.round(getattr(found, part), 5).tolist() for part in PARTS}
    return {"names": found.names, "passages": found.passages, **numbers}


def read(row: Mapping[str, Any]) -> Tags:
    """KeyError, TypeError or ValueError where it is damaged."""
    score, baseline, z = (np.array(row[part], float) for part in PARTS)
    found = Tags(tuple(row["names"]), score, baseline, z, tuple(row["passages"]))
    shapes = {getattr(found, part).shape for part in PARTS}
    if len(shapes) != 1 or {len(found.names), len(found.passages)} != {found.score.shape[0]}:
        raise ValueError("its numbers do not fit its names")
    return found


def _read_sound(row: Any) -> Tags | None:
    try:
        return None if row is None else read(row)
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
        rows[str(run.note["recipe"])] = row(found)
    lines = ",\n".join(f"{json.dumps(recipe)}: {json.dumps(one)}" for recipe, one in rows.items())
    made_by = json.dumps({"made_by": "python -m engine.lessons.heads.measured"})
    write_bytes(SHIPPED, made_by[:-1].encode() + b', "tags": {\n' + lines.encode() + b"\n}}\n")


if __name__ == "__main__":
    write()
