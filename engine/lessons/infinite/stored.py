"""Stored: the index of a text of the reader's that is too large to count here, on the disk.

    <home>/indexes/<id of the text>/    as engine/ngram/indexing.py says

Differs   The test part of the text is left out, as in every count.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from engine import frame as fr
from engine.language.message import _
from engine.lessons.counting_texts import Counted
from engine.ngram import indexing
from engine.ngram.index import Index
from engine.storage.home import home
from engine.text import collection
from engine.text.collection import Stored, parts
from engine.text.collection.paged import PagedCorpus
from engine.text.tokenizers.words import Words

INDEXES = "indexes"
CUT, READ = 0.6, 0.7  # how far it is when all is cut, and numbered


def stored(of: Counted) -> Stored | None:
    """The text itself, where only its beginning is counted."""
    if of.preset.lines or of.lines or not of.left_out:
        return None
    found = collection.find(of.preset.id)
    return found if isinstance(found, Stored) else None


def lines(text: PagedCorpus) -> Iterator[str]:
    """All but the test part."""
    passages = sum(bool(line.strip()) for line in text.each_line())
    tested = iter(parts.tested(passages, text.corpus.seed).tolist())
    return (line.rstrip("\n") for line in text.each_line() if line.strip() and not next(tested))


def folder_of(of: Stored) -> Path:
    return home() / INDEXES / of.id


def opened(folder: Path) -> tuple[Index, Words] | None:
    """None where there is none, or a damaged one."""
    try:
        return indexing.opened(folder)
    except ValueError:
        return None


@fr.once_told
def built(*, folder: Path, id: str) -> fr.Taking[None]:
    """Nothing where it is there already."""
    if opened(folder):
        return
    found, seen = collection.find(id), 0
    assert isinstance(found, Stored)
    yield fr.Progress(0.0, "Reading the text …")
    text = PagedCorpus(found)
    total = max(1, len(text))

    def told() -> Iterator[str]:
        nonlocal seen
        for line in lines(text):
            seen += len(line) + 1
            yield line

    for what, n, shards in indexing.build(told(), folder):
        if what == "cut":
            yield fr.Progress(CUT * min(1.0, seen / total), _("{n:,} tokens cut", n=n))
        elif what == "read":
            yield fr.Progress(READ, _("{n:,} tokens numbered", n=n))
        else:
            share = READ + (1 - READ) * n / shards
            yield fr.Progress(share, _("{n} of {shards} parts sorted", n=n, shards=shards))
