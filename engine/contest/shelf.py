"""Results on disk: those that come with the program, and those trained here.

    assets/contest.json                  shipped: {"results": [...]}, made by `python -m engine contest --out assets/contest.json`
    <user data>/contest/<key>.json       trained here; the key is the digest of the entry
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path

from engine.arrays import write_bytes
from engine.contest.entry import Entry, Result
from engine.runs import home

SHIPPED = Path(__file__).parents[2] / "assets" / "contest.json"


def find(entry: Entry) -> Result | None:
    """The result of an entry, if it was ever trained.  A file that is damaged counts as none."""
    return shipped().get(entry) or _read(place(entry))


def place(entry: Entry) -> Path:
    return home() / "contest" / f"{entry.key}.json"


def keep(result: Result) -> None:
    """Whole or not at all."""
    path = place(result.entry)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_bytes(path, json.dumps(result.as_json()).encode())


def shipped() -> Mapping[Entry, Result]:
    return shipped_in(SHIPPED)


def shipped_in(path: Path) -> Mapping[Entry, Result]:
    """The results in a file; none when it is missing or damaged."""
    return _shipped(path, path.stat().st_mtime_ns if path.is_file() else 0)


@lru_cache(maxsize=2)
def _shipped(path: Path, _changed: int) -> dict[Entry, Result]:
    try:
        rows = json.loads(path.read_text(encoding="utf-8"))["results"]
        return {result.entry: result for result in map(Result.from_json, rows)}
    except (OSError, ValueError, KeyError, TypeError):
        return {}


def write(path: Path, results: Iterable[Result]) -> None:
    """A file of results, one a line, in the order of their keys' cells and tasks."""
    rows = sorted(results, key=lambda r: (r.entry.task, r.entry.noise, r.entry.cell, r.entry.key))
    lines = ",\n".join(json.dumps(row.as_json()) for row in rows)
    write_bytes(path, f'{{"made_by": "python -m engine contest --out assets/contest.json",\n"results": [\n{lines}\n]}}\n'.encode())


def _read(path: Path) -> Result | None:
    try:
        return Result.from_json(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, KeyError, TypeError):
        return None
