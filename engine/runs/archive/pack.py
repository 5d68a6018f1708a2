"""Pack: a run's files into one zip; the same run gives the same bytes."""

from __future__ import annotations

import re
import stat
import zipfile
from pathlib import Path
from typing import IO

from engine.language.message import _
from engine.runs.archive.manifest import (
    FORMAT,
    MANIFEST,
    VERSION,
    Manifest,
    Refused,
    copy,
    files,
    member,
    needed,
)
from engine.runs.store import Run
from engine.storage import record
from engine.storage.files import writing


def pack(run: Run, target: Path | IO[bytes]) -> None:
    """Write the run to a file, whole or not at all, or to an open stream.  Nothing large is held in
    memory.  ValueError with one sentence."""
    if not isinstance(target, Path):
        return _write(run.folder, target)
    with writing(target) as file:
        _write(run.folder, file)
    return None


def _write(folder: Path, out: IO[bytes]) -> None:
    names = files(folder)
    if missing := needed(names) - set(names):
        raise Refused(
            _(
                "the run in {folder} has no {missing}, so it can't be packed; a checkpoint of"
                " another library has to be imported first",
                folder=folder,
                missing=min(missing),
            )
        )
    members = {name: member(folder / name) for name in names}
    id = re.sub(r"[^A-Za-z0-9_.-]+", "-", folder.name)[:80].strip("-.") or "run"
    manifest = record.dump(Manifest(FORMAT, VERSION, id, members))
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr(_entry(MANIFEST, len(manifest)), manifest)
        for name, about in members.items():
            with (
                (folder / name).open("rb") as source,
                archive.open(_entry(name, about.size_bytes), "w") as sink,
            ):
                if copy(source, about.size_bytes, sink) != about.sha256:
                    raise Refused(_("{name} changed while it was packed; try again", name=_(name)))


def _entry(name: str, size_bytes: int) -> zipfile.ZipInfo:
    """Without the time of day and the owner: the same run, the same bytes."""
    entry = zipfile.ZipInfo(name)
    entry.file_size, entry.create_system, entry.external_attr = (
        size_bytes,
        3,
        (stat.S_IFREG | 0o644) << 16,
    )
    return entry
