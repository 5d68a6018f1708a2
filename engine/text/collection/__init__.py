"""Collection: every corpus there is, the built-in ones and those a person has stored.

every("labelled")              corpora of one kind; all without it
find("stories"), find("my-novel-1a2b3c4d")
Library().add(text, "My novel", source=("novel.epub",))   see store.py
gather([("novel.epub", raw)], ...)                        files to what `add` takes, see gather.py
"""

from __future__ import annotations

from typing import Any, cast

from engine.core.registry import corpora
from engine.text.collection.store import KINDS, Library, Stored
from engine.text.corpora.base import Corpus

__all__ = ["KINDS", "Library", "Stored", "every", "find", "kind_of"]

# the built-in ones that are not plain texts
PAIRED = {"phrases": "parallel", "reviews": "labelled"}


def every(kind: str | None = None) -> list[Corpus]:
    """The built-in corpora, then the stored ones by name; only those of one kind, where one is
    given."""
    found: list[Any] = [*(corpora.get(id) for id in (*corpora.ids(), "reviews")), *Library().all()]
    return [corpus for corpus in found if kind is None or kind_of(corpus) == kind]


def find(id: str) -> Corpus:
    """A corpus by its id.  LookupError that says what there is."""
    if id in corpora.ids() or id in PAIRED:
        return corpora.get(id)
    return cast(Corpus, Library().find(id))


def kind_of(corpus: Corpus) -> str:
    """One of KINDS."""
    return corpus.kind if isinstance(corpus, Stored) else PAIRED.get(corpus.id, "text")
