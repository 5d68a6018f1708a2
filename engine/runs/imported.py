"""Store: a checkpoint becomes a run of ours, so that every page and command offers it.

What      our weights and the tokenizer in weights.safetensors, and a run.json written last
Source    our own
Shapes    as in each family's file
Differs   Numbers are kept in float32, whatever the checkpoint had.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from engine.language.message import _
from engine.pretrained import checkpoint
from engine.runs.store import VERSION, Run, RunStore, versions
from engine.storage.arrays import write_arrays
from engine.storage.files import disk_errors, kept_whole
from engine.storage.home import home
from engine.storage.run_folder import NOTE, WEIGHTS, read_note, write_note


def store(
    name: str, out: Path | None = None, title: str | None = None, called: str | None = None
) -> Run:
    """Import a checkpoint, by its folder or hub name, into `out` or among this person's own runs.

    called  its name, where it is to be another than its own

    ValueError with one sentence when there is no such checkpoint, it can't be shown, something else
    lies there, or the disk is full.
    """
    folder, note = _found(name)
    about = dict(note["checkpoint"])
    if called:
        about["name"], title = called, title or called
    place = out or home() / "runs" / _slug(str(about["name"]))
    if (place / NOTE).is_file() and _recipe(place) != note["recipe"]:
        raise ValueError(
            _("there is another run in {place}; choose another place with --out", place=place)
        )
    if (place / NOTE).is_file() and title is None:
        return RunStore().find(str(place))
    weights = None
    if (place / NOTE).is_file():
        about["notes"] = read_note(place)["checkpoint"].get("notes", about["notes"])
    else:
        made = checkpoint.load(folder)
        about["notes"] = [*about["notes"], *checkpoint.beyond(made.tokenizer)]
        weights = made.weights()
    facts = {
        "version": VERSION,
        **note,
        "checkpoint": about,
        "title": title or note["title"],
        "steps": 0,
        "seconds": 0.0,
        "device": "cpu",
    }
    with disk_errors(str(place)), kept_whole(place):
        if weights is not None:
            write_arrays(place / WEIGHTS, weights)
        write_note(place, {**facts, "made_with": versions()})
    return RunStore().find(str(place))


def _found(name: str) -> tuple[Path, Mapping[str, Any]]:
    if (found := checkpoint.find(name)) is not None:
        return found
    if Path(name).exists() or not re.fullmatch(r"\w[\w.-]*", name):
        raise ValueError(
            _(
                "{name} is no checkpoint: give a folder with a config.json that names a"
                " model_type, or a name at the hub",
                name=_(name),
            )
        )
    folder = checkpoint.fetch(name)  # some names at the hub have no maker: "gpt2"
    return folder, checkpoint.note(folder, name)


def _slug(name: str) -> str:
    return re.sub(r"[^a-z0-9.]+", "-", name.rsplit("/", 1)[-1].lower()).strip("-.") or "checkpoint"


def _recipe(place: Path) -> str:
    return str(RunStore().find(str(place)).note.get("recipe"))
