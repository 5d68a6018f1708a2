"""Vectorfile: a file of word vectors becomes a run."""

from __future__ import annotations

import hashlib
import re
from argparse import Namespace
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.cli.console import say, tell

if TYPE_CHECKING:
    from engine.models.wordspace import WordSpace

SAMPLE = 1 << 20  # bytes at either end of a file that tell it from another


def run(args: Namespace) -> dict[str, Any] | None:
    from engine.models.vectors import LoadedVectors
    from engine.storage.home import home
    from engine.vectors import files

    path = Path(args.name)
    recipe = _recipe(path, args.words)
    place = args.out or home() / "runs" / (
        re.sub(r"[^a-z0-9.]+", "-", path.name.lower()).strip("-.")[:80] or "vectors"
    )
    _free(place, recipe)
    loaded = files.load(path, args.words)
    for note in loaded.notes:
        say(note)
    model = LoadedVectors.of(loaded)
    run = _write(
        place,
        model,
        recipe,
        args.title or path.name,
        {"format": loaded.format, "file": path.name, "notes": loaded.notes},
    )
    words, width = len(loaded.space), model.config.width
    if args.json:
        return {
            "run": run.id,
            "folder": run.folder,
            "model": run.model,
            "title": run.title,
            "format": loaded.format,
            "words": words,
            "width": width,
            "composes": loaded.grams is not None,
            "notes": list(loaded.notes),
        }
    tell(f"{run.id}: {words:,} words of {width} numbers each ({loaded.format}), in {run.folder}")
    return None


def _recipe(path: Path, words: int) -> str:
    """Tells the run of this file from that of another: its size, and what stands at either end of
    it."""
    size = path.stat().st_size
    with path.open("rb") as file:
        first = file.read(SAMPLE)
        file.seek(max(0, size - SAMPLE))
        last = file.read(SAMPLE)
    return hashlib.sha256(b"%d %d " % (size, words) + first + last).hexdigest()[:12]


def _free(place: Path, recipe: str) -> None:
    """ValueError where another run lies there already."""
    from engine.runs.store import RunStore
    from engine.storage.run_folder import NOTE

    if (place / NOTE).is_file() and RunStore().find(str(place)).note.get("recipe") != recipe:
        raise ValueError(f"there is another run in {place}; choose another place with --out")


def _write(
    place: Path, model: WordSpace[Any], recipe: str, title: str, file: dict[str, Any]
) -> Any:
    from engine.runs.store import VERSION, RunStore, versions
    from engine.storage.arrays import write_arrays
    from engine.storage.files import disk_errors, kept_whole
    from engine.storage.run_folder import WEIGHTS, write_note

    note = {
        "version": VERSION,
        "model": "vectors",
        "recipe": recipe,
        "config": asdict(model.config),
        "seed": 0,
        "title": title,
        "corpus": {"name": "texts that the makers of this file chose"},
        "steps": 0,
        "seconds": 0.0,
        "device": "cpu",
        "held_out": {},
        "vectors": file,
        "made_with": versions(),
    }
    with disk_errors(str(place)), kept_whole(place):
        write_arrays(place / WEIGHTS, model.weights())
        write_note(place, note)
    return RunStore().find(str(place))
