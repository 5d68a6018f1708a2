"""Unpack: an archive becomes a run of this person's own, or nothing at all.

Differs   An archive may come from anybody, so nothing in it is believed: only files that a run has,
          as long and with the digests that the archive says, come into a folder that nothing looks
          into; a process of its own, with little memory and time, tries to open them
          (engine/training/trial.py); then the folder gets its name.  Nothing in it is ever run.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import shutil
import stat
import struct
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import IO, Any

from engine.jobs.worker import Ended, Failed, Worker
from engine.language.message import _
from engine.people import limits
from engine.pretrained.checkpoint import MOST_TOKENIZER
from engine.pretrained.stored import CONFIG, GGUF, GGUF_INDEX, MOST_CONFIG, MOST_INDEX
from engine.runs.archive.manifest import (
    CHUNK,
    DELETED,
    FORMAT,
    ID,
    MANIFEST,
    MEMBER,
    TOKENIZER,
    VERSION,
    ArchivedRecord,
    Manifest,
    Member,
    Refused,
    copy,
    digests,
    files,
    needed,
)
from engine.runs.store import Run, RunStore
from engine.storage import record
from engine.storage.files import explain_error as disk_said
from engine.storage.files import is_full, new_folder, reason, reserve_room, sweep
from engine.storage.run_folder import EVALUATION, HISTORY, NOTE, PROBES, WEIGHTS

MOST_MEMBERS, MOST_BYTES, MOST_RATIO = 2_000, 20_000_000_000, 50
MOST_OF = {
    MANIFEST: 2_000_000,
    NOTE: 5_000_000,
    EVALUATION: 5_000_000,
    HISTORY: 200_000_000,
    PROBES: 50_000_000,
    CONFIG: MOST_CONFIG,
    GGUF_INDEX: MOST_INDEX,
    **dict.fromkeys(TOKENIZER, MOST_TOKENIZER),
}
ROOM, MOST_TITLE = 50_000_000, 200
ARRIVING = ".arriving"  # in the root of the runs, one folder deeper than a run lies
TRIAL = "engine.training.trial"  # the process that tries to open a run
SECONDS = 300.0  # that opening a run may take
CHANGED = (
    "{name} in the zip is not what its list says (another size or digest); it was changed or"
    " damaged in transit"
)
FOREIGN = (
    zipfile.BadZipFile,
    zipfile.LargeZipFile,
    zlib.error,
    struct.error,
    EOFError,
    NotImplementedError,
    OverflowError,
    RuntimeError,
    ValueError,
    OSError,
)


@dataclass(frozen=True, slots=True)
class Arrival:
    """The run that an archive holds.  `new`: it was not here before."""

    run: Run
    new: bool


def unpack(
    file: Path | IO[bytes], store: RunStore | None = None, made_in: Path | None = None
) -> Arrival:
    """Make the run in an archive one of this person's own; until it is whole it is `made_in` a new
    folder.  ValueError with one sentence; then nothing has changed here.

    A run that is here already, under its id, is not written again; another run that has its id
    sends it to `id-2`, `id-3` ...
    """
    if isinstance(file, Path):
        try:
            with file.open("rb") as stream:
                return unpack(stream, store, made_in)
        except OSError as error:
            raise Refused(
                _("{file} can't be read: {strerror}", file=file, strerror=error.strerror)
            ) from error
    store = store or RunStore()
    try:
        with contextlib.ExitStack() as stack:
            archive = stack.enter_context(zipfile.ZipFile(_Wary(file)))  # type: ignore[arg-type]
            id, members = _manifest(archive)
            __, there = _place(store, id, members)
            if there:
                return Arrival(there, new=False)
            room = waiting_room(store.roots[-1], sum(m.size_bytes for m in members.values()))
            folder = stack.enter_context(new_folder(made_in or room))
            for name, about in members.items():
                _take(archive, name, about, folder / name)
            _check_note(folder / NOTE)
            _try_to_open(
                folder, sum(m.size_bytes for name, m in members.items() if name in (WEIGHTS, GGUF))
            )
            return settle(folder, store, id, members)
    except Refused:
        raise
    except FOREIGN as error:
        if isinstance(error, OSError) and is_full(error):
            raise Refused(disk_said(error)) from error
        raise Refused("this is not a zip of a run, or it is damaged; export it again") from error


class _Wary:
    """A file as zipfile wants it.  That reads the whole directory at once, which a hostile file can
    make as long as itself."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file, self.seek, self.tell, self.seekable = file, file.seek, file.tell, file.seekable

    def read(self, size: int = -1) -> bytes:
        if not -1 <= size <= 2 * CHUNK:
            raise Refused("the zip has far more entries than a run has files")
        return self._file.read(2 * CHUNK if size < 0 else size)


def _manifest(archive: zipfile.ZipFile) -> tuple[str, dict[str, Member]]:
    """(id, members), after everything that can be told without unpacking one."""
    entries = archive.infolist()
    names = [entry.orig_filename for entry in entries]
    if MANIFEST not in names:
        raise Refused(
            _(
                "this zip has no {manifest}, so it was not made by exporting a run",
                manifest=MANIFEST,
            )
        )
    if odd := next((n for n in names if n != MANIFEST and not MEMBER.fullmatch(n)), None):
        raise Refused(_("the zip holds {odd}, which does not belong to a run", odd=ascii(odd)[:80]))
    if len(set(names)) < len(names) or len(names) > MOST_MEMBERS:
        raise Refused(
            _("the zip holds a file twice, or more than {most:,} files", most=MOST_MEMBERS)
        )
    for entry in entries:
        if entry.flag_bits & 1:
            raise Refused("the zip is encrypted; save it without a password")
        if stat.S_IFMT(entry.external_attr >> 16) not in (0, stat.S_IFREG):
            raise Refused(
                _(
                    "{filename} in the zip is a link or a device, not a file",
                    filename=entry.filename,
                )
            )
        if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise Refused(
                _(
                    "{filename} is compressed in a way that Unrolled does not read; zip it with"
                    " the usual method (deflate)",
                    filename=entry.filename,
                )
            )
        if entry.file_size > MOST_OF.get(
            entry.filename, MOST_BYTES
        ) or entry.file_size > MOST_RATIO * max(entry.compress_size, 1000):
            raise Refused(
                _(
                    "{filename} in the zip would unpack to {file_size:,} bytes, which is more than"
                    " such a file of a run has",
                    filename=entry.filename,
                    file_size=entry.file_size,
                )
            )
    said = archive.read(MANIFEST)
    try:
        manifest = record.convert(record.parse(said), Manifest)
    except ValueError as error:
        raise Refused(
            _(
                "{manifest} in the zip is damaged: {error}",
                manifest=MANIFEST,
                error=_(str(error)),
            )
        ) from error
    if manifest.format != FORMAT or manifest.version != VERSION:
        raise Refused(
            _(
                "the zip is of the kind {format}, version {version}; this Unrolled reads"
                " {format_2}, version {version_2}",
                format=ascii(manifest.format)[:40],
                version=ascii(manifest.version)[:20],
                format_2=repr(FORMAT),
                version_2=VERSION,
            )
        )
    id, members = manifest.id, manifest.members
    if not ID.fullmatch(id):
        raise Refused(
            _("the zip calls its run {id}, which can't be the name of one", id=ascii(id)[:80])
        )
    if wrong := {*members, MANIFEST} ^ set(names):
        raise Refused(
            _(
                "{wrong} is {value}",
                wrong=min(wrong)[:80],
                value=_("in the zip but not in its list")
                if min(wrong) in names
                else _("missing from the zip"),
            )
        )
    if missing := needed(members) - set(members):
        raise Refused(_("the zip has no {missing}", missing=min(missing)))
    sizes = {entry.filename: entry.file_size for entry in entries}
    if wrong_size := next(
        (name for name, m in members.items() if m.size_bytes != sizes[name]), None
    ):
        raise Refused(CHANGED.format(name=wrong_size))
    if sum(sizes.values()) > MOST_BYTES:
        raise Refused(_("the run takes more than {most} GB", most=MOST_BYTES // 10**9))
    return id, members


def _take(archive: zipfile.ZipFile, name: str, about: Member, path: Path) -> None:
    """One member to its place; it has to be what the list says."""
    with archive.open(name) as source:
        try:
            path.parent.mkdir(exist_ok=True)
            with reserve_room(path, about.size_bytes), path.open("xb") as sink:
                found = copy(source, about.size_bytes + 1, sink)
                sink.flush()
                os.fsync(sink.fileno())
        except OSError as error:
            raise Refused(
                _(
                    "{name} could not be written: {error}; free some space and try again",
                    name=_(name),
                    error=reason(error),
                )
            ) from error
    if found != about.sha256 or path.stat().st_size != about.size_bytes:
        raise Refused(CHANGED.format(name=name))


def waiting_room(root: Path, size_bytes: int) -> Path:
    """Where a folder can be made that nothing looks into, on the same disk as the runs."""
    try:
        limits.check_room(size_bytes)
    except ValueError as error:
        raise Refused(str(error)) from error
    try:
        (root / ARRIVING).mkdir(parents=True, exist_ok=True)
        free = shutil.disk_usage(root).free
        if size_bytes + ROOM > free:
            raise Refused(
                _(
                    "the disk is full: the run takes {size_bytes:,.1f} MB, and {free:,.1f} MB are"
                    " free, of which {room:,.0f} MB are left free; free some space and try again",
                    size_bytes=size_bytes / 1000000.0,
                    free=free / 1000000.0,
                    room=ROOM / 1000000.0,
                )
            )
        sweep(root / ARRIVING, "*")
    except OSError as error:
        raise Refused(
            _("nothing can be written to {root}: {error}", root=root, error=reason(error))
        ) from error
    return root / ARRIVING / secrets.token_hex(8)


def _place(store: RunStore, id: str, members: Mapping[str, Member]) -> tuple[str, Run | None]:
    """A name that is free, and None; or the name under which the very same run is here, and that
    run.

    The name of a run that was deleted is free for that run alone: what was worked out about it may
    still be kept somewhere.
    """
    wanted = {file: m.sha256 for file, m in members.items()}
    for n in count(1):
        name = id if n == 1 else f"{id[:74]}-{n}"
        taken = [root / name for root in store.roots if os.path.lexists(root / name)]
        if not taken and _deleted(store.roots[-1] / DELETED / f"{name}.json") in (None, wanted):
            return name, None
        for folder in taken:
            sizes = {file: (folder / file).stat().st_size for file in files(folder)}
            if (
                sizes == {file: m.size_bytes for file, m in members.items()}
                and digests(folder) == wanted
            ):
                return name, store.find(name)
    raise AssertionError("there are more numbers than folders")


def _deleted(path: Path) -> dict[str, Any] | None:
    """The digests of the run that had this name; None where there was none, {} for a damaged
    file."""
    try:
        return record.load(path)
    except FileNotFoundError:
        return None
    except (OSError, ValueError):
        return {}


def settle(folder: Path, store: RunStore, id: str, members: Mapping[str, Member]) -> Arrival:
    """A whole run gets its name, or one beside it, unless it is here already."""
    while True:
        name, there = _place(store, id, members)
        if there:  # came by another way meanwhile
            return Arrival(there, new=False)
        try:
            folder.rename(store.roots[-1] / name)
            return Arrival(store.find(name), new=True)
        except OSError as error:
            # else somebody was faster: the next name
            if not os.path.lexists(store.roots[-1] / name):
                raise Refused(
                    _("the run could not be put among your runs: {error}", error=reason(error))
                ) from error


def _check_note(path: Path) -> None:
    """run.json says what pages read from it, as the kind of thing that they expect."""
    try:
        note = record.convert(record.parse(path.read_bytes()), ArchivedRecord)
    except record.Mismatch as error:
        raise Refused(
            _("{note} in the zip does not say which {key}", note=NOTE, key=error.key)
            if error.missing
            else _("{note} in the zip is not valid: {error}", note=NOTE, error=_(str(error)))
        ) from error
    except ValueError as error:
        raise Refused(
            _("{note} in the zip can't be read: {error}", note=NOTE, error=_(str(error)))
        ) from error
    if len(note.title) > MOST_TITLE:
        raise Refused(
            _("the title in {note} is longer than {most} characters", note=NOTE, most=MOST_TITLE)
        )


def _try_to_open(folder: Path, weights_bytes: int) -> None:
    """Open it in a process of its own: a config can ask for any amount of memory and time, whatever
    the weights say."""
    asked = {"folder": str(folder.resolve()), "room_bytes": 1_000_000_000 + 8 * weights_bytes}
    try:
        with Worker(TRIAL) as worker:
            worker.ask(json.dumps(asked).encode(), SECONDS)
    except TimeoutError as error:
        raise Refused(
            _("the model in the zip did not open within {seconds:.0f} seconds", seconds=SECONDS)
        ) from error
    except Failed as error:
        raise Refused(str(error)) from error
    except Ended as error:
        raise Refused(
            "the model in the zip can't be opened: it needs far more memory than its weights,"
            " or it crashes"
        ) from error
