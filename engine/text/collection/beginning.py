"""Beginning: the corpora as a picker calls them, and as much of one as a page can hold."""

from __future__ import annotations

import numpy as np

from engine.language.message import _
from engine.text import collection
from engine.text.collection import Stored, pairs, parts
from engine.text.corpora.base import Corpus
from engine.text.corpora.stories import CORPUS as STORIES

SPREAD = 2_000_000  # of a longer text, stretches come from so many characters
BYTES = 4  # a character in UTF-8, at most


def by_label(*kinds: str) -> dict[str, Corpus]:
    """All corpora, or those of some kinds: the built-in ones first, no two labels alike.  No text
    is read."""
    found: dict[str, Corpus] = {}
    for corpus in collection.list_all():
        if not kinds or collection.kind_of(corpus) in kinds:
            found[
                corpus.title if corpus.title not in found else f"{corpus.title} ({corpus.id[-8:]})"
            ] = corpus
    return found


def beginning(id: str, most: int) -> str:
    """A built-in text, or at most so many characters of a stored one, a passage a line.
    LookupError with a sentence when it is gone.

    Of pairs the texts alone: no labels, no tags.  What is held back for the test of a stored text
    is left out, as in `Stored.text`.
    """
    corpus = collection.find(id)
    text = _read(corpus, most) if isinstance(corpus, Stored) else corpus.text()
    return pairs.strip_labels(text, collection.kind_of(corpus))


def read(id: str, most: int) -> list[pairs.Pair]:
    """(label, text), (text, translation) or (words, tags): all pairs of a built-in corpus, of a
    stored one those of its first characters."""
    corpus = collection.find(id)
    return pairs.read(
        _read(corpus, most) if isinstance(corpus, Stored) else corpus.text(),
        collection.kind_of(corpus),
    )


def left_out(id: str, most: int, done: str = "read") -> str:
    """A sentence where a stored text is longer than that; its numbers are in its folder, so nothing
    is read."""
    corpus = collection.find(id)
    total = int(corpus.about["characters"]) if isinstance(corpus, Stored) else 0
    return (
        _(
            "Only the first {most:,} of its {total:,} characters are {done} here.",
            most=most,
            total=total,
            done=done,
        )
        if total > most
        else ""
    )


def _read(corpus: Stored, most: int) -> str:
    """The first lines of a stored text: of 200 MB no more is read than is wanted."""
    if int(corpus.about["characters"]) <= most:
        return corpus.text()
    try:
        with (corpus.folder / "text.txt").open("rb") as file:
            text = file.read(BYTES * most).decode("utf-8", "ignore")[:most]
    except OSError as error:
        raise LookupError(
            _(
                "the text {id} cannot be read: {value}",
                id=corpus.id,
                value=(error.strerror or "unknown reason").lower(),
            )
        ) from error
    return parts.trainable(text[: text.rfind("\n") + 1] or text, corpus.seed)


def stretches(id: str, count: int, length: int) -> list[str]:
    """At most so many pieces of about `length` characters, from all over the text, each from the
    start of a passage or a word.

    Of the little stories: so many whole stories.
    """
    if id == STORIES.id:
        return STORIES.generate(count)
    text = beginning(id, SPREAD)
    found = []
    for at in np.linspace(0, max(0, len(text) - length), count).astype(int).tolist():
        line = at and text.find("\n", at - 1, at + length) + 1
        start = line or (at and text.find(" ", at, at + length) + 1) or at
        piece = text[start : start + length]
        if piece.strip() and piece not in found:
            found.append(piece)
    return found
