"""Shared corpora: one's own text, given to all who use the server, and taken back.

They lie where one person's corpora would (engine/storage/home.py); `list_all` and `find` of this
package know them for everybody.
"""

from __future__ import annotations

from engine.language.message import refusal
from engine.people import sharing
from engine.people.accounts import Person
from engine.storage.files import disk_errors
from engine.storage.home import base, person
from engine.text.collection.store import Library, Stored


def library() -> Library | None:
    """The shared corpora; None where one person alone uses the program."""
    return None if person() is None else Library(base() / "corpora")


def is_shared(corpus: Stored) -> bool:
    return person() is not None and corpus.folder.parent.resolve() == (base() / "corpora").resolve()


def find_sharer(corpus: Stored) -> sharing.Shared | None:
    """Who shared it; None where nobody did, or whoever runs the server put it there."""
    return None if (theirs := library()) is None else sharing.find_sharer(theirs.root, corpus.id)


def share(corpus: Stored, who: Person) -> Stored:
    """A copy for everybody.  ValueError with one sentence."""
    if (theirs := library()) is None or corpus.folder.parent != Library().root:
        raise refusal("{corpus.id} is not one of your own texts")
    sharing.check_more(theirs.root, who)
    known = {one.id for one in theirs.all()}
    made = theirs.take(corpus)
    if made.id not in known:
        with disk_errors("the folder of the shared texts"):
            try:
                sharing.note(theirs.root, made.id, who)
            except OSError:  # nobody could take it back
                theirs.delete(made.id)
                raise
    return made


def withdraw(corpus: Stored, who: Person) -> None:
    """Take it away from everybody.  ValueError with one sentence; LookupError: it is gone."""
    if (theirs := library()) is None:
        raise refusal("{corpus.id} is not shared")
    sharing.check(theirs.root, corpus.id, who)
    theirs.delete(corpus.id)
    sharing.forget(theirs.root, corpus.id)
