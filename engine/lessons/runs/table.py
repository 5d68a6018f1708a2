"""All runs as one table: what made each, how good it is, and which fit the words that are looked for."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Any

from engine.course.curriculum import LESSONS, Lesson
from engine.lessons.runs.details import config
from engine.runs.archive.manifest import files
from engine.runs.store import Run, RunStore, find_weights
from engine.storage.run_folder import NOTE

RIGHT = ("accuracy", "exact")  # what a model with right answers calls their share


@lru_cache(10_000)
def _size(folder: str, written: int) -> tuple[float, str]:
    """(MB on disk, day on which it came); run.json is written last, so its time stands for the
    rest."""
    place = Path(folder)
    day = datetime.fromtimestamp(find_weights(place).stat().st_mtime, UTC).date()
    return sum((place / name).stat().st_size for name in files(place)) / 1e6, day.isoformat()


def ordered(store: RunStore) -> list[Run]:
    """A person's own runs, the newest first, then the shipped ones."""
    every = store.all()
    own = sorted((run for run in every if _own(run, store)), key=_came, reverse=True)
    return [*own, *(run for run in every if not _own(run, store))]


def _came(run: Run) -> float:
    try:
        return run.weights.stat().st_mtime
    except OSError:
        return 0.0


def _own(run: Run, store: RunStore) -> bool:
    return run.folder.parent == store.roots[-1]


def row(run: Run, store: RunStore) -> dict[str, Any]:
    """What the table says of a run.  A run.json that somebody changed by hand leaves gaps, no
    more."""
    note = run.note
    corpus, held_out = (
        found if isinstance(found := note.get(k), dict) else {} for k in ("corpus", "held_out")
    )
    try:
        size, day = _size(str(run.folder), (run.folder / NOTE).stat().st_mtime_ns)
    except OSError:
        size, day = None, None
    own, seconds = _own(run, store), _number(note.get("seconds"))
    shares = [_number(held_out.get(k)) for k in RIGHT]
    return {
        "title": run.title,
        "model": run.model,
        "bits": _number(held_out.get("bits_per_char")),
        "right": next((100 * share for share in shares if share is not None), None),
        "corpus": str(corpus.get("name") or ("your text" if own else "a text")),
        "characters": _number(corpus.get("characters")),
        "steps": _number(note.get("steps")),
        "minutes": seconds / 60 if seconds is not None else None,
        "snapshots": sum(step != note.get("steps") for step in run.snapshots),
        "MB": size,
        "device": str(note.get("device", "")),
        "here since": day if own else None,
        "whose": "yours" if own else "shipped" if run.folder.parent == store.roots[0] else "shared",
        "id": run.id,
    }


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) else None


def fits(words: Sequence[str], run: Run, about: dict[str, Any]) -> bool:
    """Whether every word is part of what the table says; a word like "units=128" has to be one of
    the settings."""
    settings = {f"{k}={v}".lower() for k, v in config(run).items()}
    text = " ".join((*(about[k] for k in ("title", "id", "model", "corpus")), *settings)).lower()
    return all(word in settings if "=" in word else word in text for word in words)


def lessons_for(run: Run) -> list[Lesson]:
    """Among whose runs it can be chosen."""
    tools = {"runs", "training", "corpora"}
    return [one for one in LESSONS if run.model in (one.model, *one.also) and one.id not in tools]
