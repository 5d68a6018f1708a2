"""The words before the gap: what the reader typed, as the counted text knows it."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
import streamlit as st

from engine.live.markdown import escape
from engine.ngram.smoothed import Smoothed
from engine.text.tokenizers.base import Tokens
from engine.views import theme
from pages.ui import ask as box
from pages.ui import typed
from pages.ui.counting.study import Chosen

MARKS = re.compile(r"</?s>|<unk>", re.IGNORECASE)
LONGEST = 2_000
NAMED = 8  # unknown words


@dataclass(frozen=True)
class Context:
    """`ids` of the last tokens, at most as many as the longest n-gram looks back, `labels` as they
    are read."""

    ids: np.ndarray
    labels: tuple[str, ...]

    @property
    def said(self) -> str:
        return " ".join(self.labels) if self.labels else "nothing"

    def places(self, model: Smoothed) -> np.ndarray:
        """(1, M) where the context and its endings are among the contexts of each order."""
        return np.asarray(model.counts.places(self.ids)[-1:])


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
    if not MARKS.search(text):
        return text
    st.warning(
        "The marks `<s>`, `</s>` and `<unk>` are reserved and cannot be typed; they were left"
        " out. Switch on “A sentence begins here” for `<s>`."
    )
    return MARKS.sub(" ", text)


def unknown(tokens: Tokens) -> str:
    """The different words that the text does not have, the first of them by name; "" without any."""
    missing = list(dict.fromkeys(theme.visible(tokens.labels[u]) for u in tokens.unknown))
    named = ", ".join(f"“{escape(word)}”" for word in missing[:NAMED])
    more = len(missing) - NAMED
    return f"{named} and {more:,} more" if more > 0 else named


def read(chosen: Chosen, text: str, start: bool) -> Context:
    study = chosen.study
    tokens = study.tokenizer.encode(text.replace("\n", " "))
    ids, labels = tokens.ids, tokens.labels
    if words := unknown(tokens):
        st.caption(
            f"{words}: not in the counted text, so read as the unknown token `<unk>`. That"
            " token has no counts: contexts that contain it are skipped, and a shorter one"
            " answers."
        )
    if start or not len(ids):
        ids, labels = np.r_[study.tokenizer.boundary, ids].astype(np.int64), ("<s>", *labels)
    keep = max(1, chosen.order - 1)
    return Context(ids[-keep:], labels[-keep:])


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
