"""Collection: every corpus there is, the built-in ones and those a person has stored.

list_all("labelled")              corpora of one kind; all without it
find("stories"), find("my-novel-1a2b3c4d")
Library().add(text, "My novel", source=("novel.epub",))   see store.py
gather([("novel.epub", raw)], ...)                        files to what `add` takes, see gather.py
"""

from __future__ import annotations

from typing import Any, cast

from engine.core.registry import corpora
from engine.text.collection import shared
from engine.text.collection.store import KINDS, Library, Stored
from engine.text.corpora.base import Corpus

__all__ = ["KINDS", "Library", "Stored", "every", "find", "kind_of"]

# the built-in ones that are not plain texts
PAIRED = {"phrases": "parallel", "reviews": "labelled"}


def list_all(kind: str | None = None) -> list[Corpus]:
    """The built-in corpora, then the stored ones by name, one's own before the shared ones; only
    those of one kind, where one is given."""
    own = Library().all()
    mine = {corpus.id for corpus in own}
    theirs = [] if (all_ := shared.library()) is None else all_.all()
    found: list[Any] = [
        *(corpora.get(id) for id in (*corpora.ids(), "reviews")),
        *own,
        *(corpus for corpus in theirs if corpus.id not in mine),
    ]
    return [corpus for corpus in found if kind is None or kind_of(corpus) == kind]


def find(id: str) -> Corpus:
    """A corpus by its id.  LookupError that says what there is."""
    if id in corpora.ids() or id in PAIRED:
        return corpora.get(id)
    try:
        return cast(Corpus, Library().find(id))
    except LookupError:
        if (theirs := shared.library()) is None:
            raise
        return cast(Corpus, theirs.find(id))


def kind_of(corpus: Corpus) -> str:
    """One of KINDS."""
    return corpus.kind if isinstance(corpus, Stored) else PAIRED.get(corpus.id, "text")
