"""The words before the gap: what the reader typed, as the counted text knows it."""

from __future__ import annotations

from collections.abc import Iterable

import streamlit as st

from engine import frame as fr
from engine.lessons.counting_context import LONGEST, Context, marked, unknown, without_marks
from engine.lessons.counting_context import read as encoded
from pages.ui import ask as box
from pages.ui import typed
from pages.ui.counting.study import Chosen
from pages.ui.language import told

__all__ = ["LONGEST", "Context", "ask", "clean", "read", "starts", "unknown", "word_id"]


def starts() -> bool:
    """Whether a sentence begins with the context."""
    return box.toggle(
        "A sentence begins here", "start", help="Put the start of a sentence before these words."
    )


def ask(chosen: Chosen, start: bool) -> Context:
    """The box "after", and a sentence about every word that the text does not have."""
    hint, note = "empty: the start of a sentence", typed.follows("after")
    after = box.text("After", "after", LONGEST, hint, on_change=note)
    return read(chosen, clean(after), start)


def clean(text: str) -> str:
    """The text without marks that nobody may type; says so when there were any."""
    _show(marked(text))
    return without_marks(text)


def read(chosen: Chosen, text: str, start: bool) -> Context:
    context, said = encoded(chosen.study, text, start)
    _show(said)
    return context


def _show(said: Iterable[fr.Block]) -> None:
    for block in said:
        if isinstance(block, fr.Warn):
            st.warning(told(block.words))
        elif isinstance(block, fr.Note):
            st.caption(told(block.words))


def word_id(chosen: Chosen, word: str) -> int | None:
    """The id of a next token as it is written; None where it is not one token of the text."""
    vocab = chosen.study.vocab
    if word in ("</s>", "⏎"):
        return chosen.study.tokenizer.boundary
    if word == "·":
        word = " "
    tokens = chosen.study.tokenizer.encode(word)
    known = len(tokens) == 1 and not tokens.unknown and vocab[int(tokens.ids[0])]
    return int(tokens.ids[0]) if known else None
