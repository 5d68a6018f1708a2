"""The one picker of a text: what a page brings itself, the corpora that come with the program, and
the reader's own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import streamlit as st

from engine.lessons import planted
from engine.live.markdown import escape
from engine.runs.store import Run
from engine.text import collection
from engine.text.collection import Stored, pairs, parts
from engine.text.corpora.base import Corpus
from engine.text.corpora.stories import CORPUS as STORIES
from pages.ui import renewed

SPREAD = 2_000_000  # of a longer text, stretches come from so many characters
BYTES = 4  # a character in UTF-8, at most


def by_label(*kinds: str) -> dict[str, Corpus]:
    """All corpora, or those of some kinds: the built-in ones first, no two labels alike.  No text
    is read."""
    found: dict[str, Corpus] = {}
    for corpus in collection.every():
        if not kinds or collection.kind_of(corpus) in kinds:
            found[
                corpus.title if corpus.title not in found else f"{corpus.title} ({corpus.id[-8:]})"
            ] = corpus
    return found


def listed(*kinds: str) -> dict[str, str]:
    """The same as {id: label}."""
    return {corpus.id: label for label, corpus in by_label(*kinds).items()}


def pick(
    label: str,
    options: Mapping[str, str],
    key: str,
    first: str = "",
    on_change: Callable[[], None] | None = None,
    box: Any = st,
    **more: Any,
) -> str:
    """The id of the chosen text; it stands in the address as `corpus`.  A link may also name it by
    its label, or under the widget's key.

    options  {id: label}; the widget holds labels, since they are what it shows
    key      the name of the widget; `renewed.change` has it hold another label
    """
    widget = renewed.key(key)
    labels = list(options.values())
    named = st.query_params.get("corpus") or st.query_params.get(key, "")
    missed = f"{key}.missed"  # what the address asked for in vain
    if (held := st.session_state.get(widget)) not in labels:
        asked = options.get(str(held), "") or named
        found = options.get(asked) or (asked if asked in labels else "")
        st.session_state[missed] = "" if found else asked
        st.session_state[widget] = found or options.get(first) or labels[0]
    else:  # set anew, so that what comes from another page stays
        st.session_state[widget] = held
    # until another one is chosen: the page may be drawn again at any moment
    if named and named == st.session_state.get(missed):
        st.info(
            f"There is no text “{escape(named[:60])}” here; perhaps it was deleted."
            " Another one is shown."
        )

    def note() -> None:
        if renewed.key(key) != widget:  # said before the change came
            return
        st.query_params["corpus"] = next(
            (id for id, name in options.items() if name == st.session_state[widget]), ""
        )
        if on_change:
            on_change()

    chosen = box.selectbox(label, labels, key=widget, on_change=note, **more)
    return next((id for id, name in options.items() if name == chosen), first)


def first(run: Run, key: str, usual: str = "stories") -> str:
    """The text that a picker begins with: the planted one that a run has learned, or else the
    usual.

    With a run of another such text what the picker held goes, or a model of brackets would be asked
    about English.
    """
    found = planted.text(run.note) or usual
    if st.session_state.setdefault(f"{key}.first", found) != found:
        st.session_state[f"{key}.first"] = found
        st.session_state.pop(key, None)
    return found


def beginning(id: str, most: int) -> str:
    """A built-in text, or at most so many characters of a stored one, a passage a line.
    LookupError with a sentence when it is gone.

    Of pairs the texts alone: no labels, no tags.  What is held back for the test of a stored text
    is left out, as in `Stored.text`.
    """
    corpus = collection.find(id)
    text = _read(corpus, most) if isinstance(corpus, Stored) else corpus.text()
    return pairs.without(text, collection.kind_of(corpus))


def rows(id: str, most: int) -> list[pairs.Pair]:
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
        f"Only the first {most:,} of its {total:,} characters are {done} here."
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
            f"the text {corpus.id} cannot be read: {(error.strerror or 'unknown reason').lower()}"
        ) from error
    return parts.trainable(text[: text.rfind("\n") + 1] or text, corpus.seed)


def stretches(id: str, count: int, length: int) -> list[str]:
    """At most so many pieces of about `length` characters, from all over the text, each from the
    start of a passage or a word.

    Of the little stories: so many whole stories.
    """
    if id == "stories":
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
