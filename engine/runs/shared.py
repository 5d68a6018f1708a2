"""Shared runs: one's own run, given to all who use the server, and taken back.

They lie where one person's runs would (engine/storage/home.py); `RunStore` finds them for
everybody.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from engine.language.message import refusal
from engine.people import sharing
from engine.people.accounts import Person
from engine.runs import own
from engine.runs.archive.pack import pack
from engine.runs.archive.unpack import unpack
from engine.runs.store import SHIPPED, Run, RunStore
from engine.storage.files import disk_errors
from engine.storage.home import base


def store() -> RunStore:
    """Of the shared runs, beside those that come with Unrolled."""
    return RunStore(SHIPPED, base() / "runs")


def is_shared(run: Run) -> bool:
    return run.folder.parent.resolve() == store().roots[-1].resolve()


def find_sharer(run: Run) -> sharing.Shared | None:
    """Who shared a run of this id; None where nobody did, or whoever runs the server put it there."""
    return sharing.find_sharer(store().roots[-1], run.folder.name)


def share(run: Run, person: Person) -> Run:
    """A copy for everybody, checked as if it had come in a zip.  ValueError with one sentence."""
    if not own.is_own(run):
        raise refusal("{run.id} is not one of your own runs")
    sharing.check_more(store().roots[-1], person)
    with disk_errors("the folder of the shared runs"):
        with tempfile.TemporaryDirectory() as folder:
            pack(run, path := Path(folder) / "run.zip")
            made = unpack(path, store())
        if made.new:
            try:
                sharing.note(store().roots[-1], made.run.folder.name, person)
            except OSError:  # nobody could take it back
                own.delete(made.run, store())
                raise
    return made.run


def withdraw(run: Run, person: Person) -> None:
    """Take it away from everybody.  ValueError with one sentence."""
    root, id = store().roots[-1], run.folder.name
    sharing.check(root, id, person)
    own.delete(run, store())
    sharing.forget(root, id)
