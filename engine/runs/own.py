"""Own runs: a person's own runs can be renamed and deleted; those that come with Unrolled stay as
they are.

    <root>/.gone/<random>/      on its way out: nothing looks for runs that deep, so a crash leaves
                                no half of one
          /.deleted/<id>.json   the digests of what was in it, so that another run does not come
                                under its name (parcel/unpack.py)

Own are the runs in the last root of a store.
"""

from __future__ import annotations

import contextlib
import secrets
from pathlib import Path

from engine.language.message import refusal
from engine.runs.archive.manifest import DELETED, digests
from engine.runs.store import Run, RunStore
from engine.storage import record
from engine.storage.files import discard, disk_errors, is_full, sweep
from engine.storage.run_folder import NOTE, write_note

GONE = ".gone"
WHERE = "the folder of the runs"  # in what is said of a disk that refuses
MOST_TITLE = 100


def is_own(run: Run, store: RunStore | None = None) -> bool:
    root = (store or RunStore()).roots[-1]
    return (
        not run.is_checkpoint
        and not run.folder.is_symlink()
        and run.folder.parent.resolve() == root.resolve()
    )


def rename(run: Run, title: str, store: RunStore | None = None) -> None:
    """Give it another title; its id, which links name, stays.  ValueError with one sentence."""
    folder = _folder(run, store)
    title = " ".join(title.split())
    # some emoji are joined by that sign
    if not title or len(title) > MOST_TITLE or not title.replace("\u200d", "").isprintable():
        raise refusal("a title has 1 to {MOST_TITLE} characters that can be seen")
    with disk_errors(WHERE):
        write_note(folder, {**record.load(folder / NOTE), "title": title})


def delete(run: Run, store: RunStore | None = None) -> None:
    """Take it away for good.  It is out of sight at once, whatever happens on the way.  ValueError
    with one sentence."""
    folder = _folder(run, store)
    gone, said = folder.parent / GONE, folder.parent / DELETED
    with disk_errors(WHERE):
        found = digests(folder)
        try:
            _note_deleted(said / f"{folder.name}.json", found)
        except OSError as error:
            if not is_full(error):
                raise
            # what makes room may not need any: first the run goes
            discard(folder, gone / secrets.token_hex(8))
            with contextlib.suppress(OSError):
                _note_deleted(said / f"{folder.name}.json", found)
        else:
            discard(folder, gone / secrets.token_hex(8))
        sweep(gone, "*", seconds=0)  # with what an earlier crash left


def _note_deleted(path: Path, found: dict[str, str]) -> None:
    path.parent.mkdir(exist_ok=True)
    record.save(path, found)


def _folder(run: Run, store: RunStore | None) -> Path:
    """Where it lies; only a folder right in the root of this person's runs will do."""
    root = (store or RunStore()).roots[-1]
    name = run.folder.name
    folder = root / name
    if (
        not is_own(run, store)
        or Path(name).name != name
        or name.startswith(".")
        or not (folder / NOTE).is_file()
    ):
        raise refusal("{run.id} is not one of your own runs, so it can't be changed")
    return folder
