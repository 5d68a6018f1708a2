"""The held-out lines that models are compared on: which texts there are, and what each model may
have seen of them."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st

from engine.analysis.compare.examine import bounded
from engine.live.markdown import escape
from engine.runs.store import Run, digest
from engine.text import collection
from engine.text.collection import Stored
from engine.text.read import read
from engine.text.tokenizers.base import passages, split

OWN = "own"
MOST_CHARACTERS = 20_000
SIZES = (20, 50, 100, 200)
MOST_TYPED = 100_000


@dataclass(frozen=True)
class Lines:
    """`id` and `title` of the text, its lines, and a sentence on which they are."""

    id: str
    title: str
    lines: tuple[str, ...]
    says: str
    trained: str = ""  # digest of what a model trained on this text was given

    @property
    def key(self) -> str:
        return hashlib.sha256("\n".join(self.lines).encode("utf-8", "replace")).hexdigest()[:16]


def choose() -> tuple[str, int, str]:
    """The controls: (id of a text, how many lines at most, the pasted text)."""
    texts = {corpus.id: corpus.title for corpus in collection.every("text")} | {
        OWN: "A text of your own, pasted here"
    }
    left, right = st.columns((3, 2), vertical_alignment="bottom")
    # a text that this session chose may have been deleted since
    if st.session_state.get("lines_of") not in texts:
        asked = st.query_params.get("lines_of", "")
        st.session_state["lines_of"] = asked if asked in texts else "stories"
    id = left.selectbox(
        "Text", list(texts), key="lines_of", format_func=texts.__getitem__, on_change=_remember
    )
    most = right.select_slider("Maximum number of lines", SIZES, 50, key="lines_most")
    if id != OWN:
        return str(id), int(most or 50), ""
    typed = st.text_area(
        "Your text, one passage a line",
        key="lines_own",
        height=120,
        max_chars=MOST_TYPED,
        placeholder="Paste or type here",
    )
    return OWN, int(most or 50), str(typed)


def _remember() -> None:
    st.query_params["lines_of"] = st.session_state["lines_of"]


def take(id: str, most: int, typed: str) -> Lines:
    """The lines to measure.  LookupError or ValueError with a sentence where there are none."""
    if id == OWN:
        text, _ = read(typed.encode("utf-8", "replace")) if typed.strip() else ("", [])
        title, given, of, trained = "your pasted text", text.split("\n"), "your text", ""
    else:
        corpus = collection.find(id)
        title = corpus.title
        given, of, trained = (
            _stored(id, corpus) if isinstance(corpus, Stored) else _built_in(id, corpus)
        )
    lines, left_out = bounded(given, most, MOST_CHARACTERS)
    if not lines:
        why = "paste a text first" if id == OWN else "this text is too short to have a test set"
        raise ValueError(f"There is no line to measure: {why}")
    size = sum(len(line) + 1 for line in lines)
    says = (
        f"{len(lines):,} lines of {of}, {size:,} characters; a passage of more than 500 characters"
        " is read as several."
    )
    if left_out:
        says += f" {left_out:,} more passages are left out: at most {most} lines and"
        says += f" {MOST_CHARACTERS:,} characters are read."
    return Lines(id, title, tuple(lines), says, trained)


@st.cache_resource(max_entries=4, show_spinner="Reading the corpus …")
def _stored(id: str, _corpus: Stored) -> tuple[list[str], str, str]:
    test = passages(_corpus.part("test"))
    return test, f"the test part of {_corpus.title}", digest(_corpus.text())


@st.cache_resource(max_entries=8, show_spinner=False)
def _built_in(id: str, _corpus: Any) -> tuple[list[str], str, str]:
    text = _corpus.text()
    of = f"the held-out part of {_corpus.title} (each passage with chance 1/20)"
    return split(passages(text))[1], of, digest(text)


def seen(lines: Lines, runs: Sequence[Run]) -> list[str]:
    """What has to be said of models that were trained on this very text."""
    said = []
    stored = {corpus.id for corpus in collection.every("text") if isinstance(corpus, Stored)}
    for run in runs:
        corpus = run.note.get("corpus", {})
        if not lines.trained or corpus.get("digest") != lines.trained:
            continue
        built_in, config = lines.id not in stored, run.note.get("config", {})
        if built_in and config.get("tokenizer") == "whitespace":
            said.append(
                f"{escape(run.title)} was trained on all of this text, including these lines, so"
                " its results are too good."
            )
        elif built_in and run.note.get("seed", 0):
            said.append(
                f"{escape(run.title)} was trained on this text with another seed, so it has seen"
                " most of these lines and its results are too good."
            )
        else:
            said.append(f"{escape(run.title)} was trained on this text, but not on these lines.")
    return said
