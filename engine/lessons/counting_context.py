"""The words before the gap: what a reader typed, as a counted text knows it."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from engine import frame as fr
from engine.analysis.study import Study
from engine.language.markdown import escaped
from engine.language.message import _
from engine.ngram.smoothed import Smoothed
from engine.text.tokenizers.base import Tokens
from engine.views import theme

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


def escape_words(words: str) -> str:
    """As Markdown shows them."""
    return escaped(theme.plain(words))


def without_marks(text: str) -> str:
    """Nobody may type these."""
    return MARKS.sub(" ", text)


def marked(text: str, start: bool = False) -> list[fr.Block]:
    """What is said of a text with such marks; `start`: there is a switch for the first of them."""
    if not MARKS.search(text):
        return []
    return [
        fr.Warn(
            "The marks `<s>`, `</s>` and `<unk>` are reserved and cannot be typed; they were left"
            " out. Switch on “A sentence begins here” for `<s>`."
            if start
            else "The marks `<s>`, `</s>` and `<unk>` are reserved and cannot be typed; they were"
            " left out."
        )
    ]


def unknown(tokens: Tokens) -> str:
    """The different words that the text does not have, the first of them by name; "" without any."""
    missing = list(dict.fromkeys(theme.visible(tokens.labels[u]) for u in tokens.unknown))
    named = ", ".join(f"“{escape_words(word)}”" for word in missing[:NAMED])
    more = len(missing) - NAMED
    return _("{named} and {more:,} more", named=named, more=more) if more > 0 else named


def read(study: Study, text: str, start: bool) -> tuple[Context, list[fr.Block]]:
    """The context, and what is said of words that the text does not have.

    start  a sentence begins with it, as with an empty one
    """
    tokens, said = study.tokenizer.encode(text.replace("\n", " ")), list[fr.Block]()
    ids, labels = tokens.ids, tokens.labels
    if words := unknown(tokens):
        said.append(
            fr.Note(
                _(
                    "{words}: not in the counted text, so read as the unknown token `<unk>`. That"
                    " token has no counts: contexts that contain it are skipped, and a shorter one"
                    " answers.",
                    words=words,
                )
            )
        )
    if start or not len(ids):
        ids, labels = np.r_[study.tokenizer.boundary, ids].astype(np.int64), ("<s>", *labels)
    keep = max(1, study.order - 1)
    return Context(ids[-keep:], labels[-keep:]), said


def token_of(study: Study, word: str) -> int | None:
    """The id of a next token as it is written; None where it is not one token of the text."""
    if word in ("</s>", "⏎"):
        return study.tokenizer.boundary
    tokens = study.tokenizer.encode(" " if word == "·" else word)
    known = len(tokens) == 1 and not tokens.unknown and study.vocab[int(tokens.ids[0])]
    return int(tokens.ids[0]) if known else None


def label(study: Study, id: int) -> str:
    """A token as it is shown; the boundary between sentences as their end."""
    return "</s>" if id == study.raw.boundary else theme.visible(study.vocab[id])
