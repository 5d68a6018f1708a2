"""Job: an upload that is read and stored by a process of its own (engine/jobs/staged.py).

    <root>/.read-<hex>/text.txt   the text that was read; what is added is this

What      Job(files).ask("read", kind=..., columns=..., look=..., hub=..., part=...), then
          .ask("add", name=..., kind=...).  "read" gives {"columns", "read"}, "add" {"id", "title",
          "known"}

    python -m engine.text.collection.job FOLDER
"""

from __future__ import annotations

import secrets
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from engine.jobs import staged
from engine.storage import record
from engine.storage.files import disk_errors
from engine.text.collection import hub, reading
from engine.text.collection.language import Language
from engine.text.collection.store import READ, WHERE, Library, save, sweep
from engine.text.paged import Filed

TEXT = "text.txt"


class Job(staged.Staged):
    """Files, or none for a data set of the hub."""

    where, memory = WHERE, "there is not enough memory for so large a text; cut it into parts"
    most, least = 850_000_000, 400_000_000  # with the programs that it uses less than 1 GB

    def __init__(self, files: Sequence[tuple[str, bytes]] = (), root: Path | None = None) -> None:
        root = Library(root).root
        self.columns: tuple[str, ...] = ()  # of its tables, for who asked to keep them
        with disk_errors(WHERE):
            sweep(root)
        super().__init__(root / f"{READ}-{secrets.token_hex(8)}", files)

    @staticmethod
    def do(folder: Path, asked: dict[str, Any], tell: Any) -> dict[str, Any]:
        return (_read if asked["do"] == "read" else _add)(folder, asked, tell)


def unpack(found: dict[str, Any]) -> reading.Read:
    """What was read, out of a result; its text stays in its file."""
    language = Language(**found["language"]) if found["language"] else None
    return reading.Read(
        **{
            **found,
            "language": language,
            **{name: tuple(found[name]) for name in ("source", "notes", "problems", "first")},
        }
    )


def _read(folder: Path, asked: dict[str, Any], tell: Any) -> dict[str, Any]:
    """Of a table nothing but its columns, as long as none are chosen and `look` asks for them."""
    files = [(name, folder / f"{n}.part") for n, name in enumerate(asked["names"])]
    kind, columns, name, part = (
        asked["kind"],
        asked["columns"],
        asked.get("hub", ""),
        asked.get("part", "train"),
    )
    if asked["look"]:
        tell(0.0, "looking at its columns")
        sheet = hub.columns(name, part=part) if name else None
        names = (
            [n for n in sheet.names if n not in sheet.nested] if sheet else reading.tables(files)
        )
        if names:
            return {"columns": names, "read": None}
    found = (
        reading.fetched(name, kind, columns, part, tell)
        if name
        else reading.read(files, kind, columns, tell)
    )
    if found.pages is not None:
        save(found.pages, folder / TEXT)
    return {"columns": [], "read": {**asdict(replace(found, pages=None)), "pages": None}}


def _add(folder: Path, asked: dict[str, Any], tell: Any) -> dict[str, Any]:
    read = unpack(record.load(folder / "read.json")["read"])
    library = Library(folder.parent, made_in=folder)
    there = {corpus.id for corpus in library.all()}
    stored = library.add(
        Filed(folder / TEXT),
        asked["name"],
        source=read.source,
        kind=asked["kind"],
        notes=read.notes,
        tell=tell,
    )
    return {"id": stored.id, "title": stored.title, "known": stored.id in there}


if __name__ == "__main__":
    tempfile.tempdir = sys.argv[1]  # what does not fit into memory stands there too
    Job.work(Path(sys.argv[1]))
