"""Sharing: who gave what to all who use the server.

    <root>/.shared/<id>.json   who, and since when; `root` is the shared folder of runs or corpora

What is shared is a copy: whoever takes theirs away leaves it there, and only they can take the
shared one back.
"""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from msgspec import Struct

from engine.language.message import refusal
from engine.people.accounts import Person
from engine.storage import record

SHARED = ".shared"
MOST = 20  # runs, and as many corpora, that one person shares


class Shared(Struct, frozen=True):
    """One file: the person's id and name, and the day."""

    person: str
    name: str
    since: str


def note(root: Path, id: str, by: Person) -> None:
    """It is there; from now on it says by whom."""
    (root / SHARED).mkdir(parents=True, exist_ok=True)
    since = datetime.now(UTC).date().isoformat()
    record.save(root / SHARED / f"{id}.json", Shared(by.id, by.name, since))


def find_sharer(root: Path, id: str) -> Shared | None:
    """None where whoever runs the server put it there."""
    try:
        return record.read(root / SHARED / f"{id}.json", Shared)
    except (OSError, ValueError):
        return None


def check_more(root: Path, by_whom: Person) -> None:
    """ValueError with one sentence where this person shares as many as one may."""
    ids = [path.stem for path in (root / SHARED).glob("*.json")]
    if (
        sum(
            (found := find_sharer(root, id)) is not None and found.person == by_whom.id
            for id in ids
        )
        >= MOST
    ):
        raise refusal("you share {MOST} already; take one back first")


def check(root: Path, id: str, by_whom: Person) -> None:
    """ValueError with one sentence where it is not this person's to take back."""
    found = find_sharer(root, id)
    if found is None or found.person != by_whom.id:
        raise refusal("{id} was not shared by you, so you can't take it back")


def forget(root: Path, id: str) -> None:
    (root / SHARED / f"{id}.json").unlink(missing_ok=True)
