"""Two texts that begin alike, read forwards and backwards: up to the first token that differs the
states forwards are the same.

Shapes: T = tokens of the shorter text, H = units of the last layer
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import streamlit as st

from engine.core.tap import Recorder
from engine.core.trace import FieldSpec
from engine.live.markdown import escape
from engine.runs.store import Run
from engine.text.tokenizers.base import Tokens
from engine.views import theme
from engine.views.base import number
from pages.ui import ask, plate, rows
from pages.ui.plate import Plate

if TYPE_CHECKING:
    from engine.models.recurrent import RecurrentModel

PAIR = ("The bank by the river is steep", "The bank approved my loan application")
MOST = 200
DIRECTIONS = ("forwards", "backwards")


@dataclass(frozen=True)
class Pair:
    """What two texts make of one cell.  Position 0 is the first token after the start mark."""

    labels: tuple[tuple[str, ...], tuple[str, ...]]
    same: int  # tokens that are alike from the start
    cosine: dict[str, np.ndarray]  # per direction (T,); not a number where a state is all zeros
    differs: dict[str, np.ndarray]  # per direction (T,): the largest difference of any unit

    @property
    def word(self) -> int:
        """The last of the common tokens that can be seen; -1 where there is none."""
        return next((t for t in range(self.same - 1, -1, -1) if self.labels[0][t].strip()), -1)


def compare(model: RecurrentModel[Any], one: str, other: str) -> Pair:
    """Both texts are read at the same length, the shorter with line ends behind it, so that the
    same sums are made for both."""
    tokens = [model.tokens(text) for text in (one, other)]
    length, common = max(map(len, tokens)), min(map(len, tokens)) - 1
    found = {
        d: [states(model, t if d == "forwards" else backwards(t), length) for t in tokens]
        for d in DIRECTIONS
    }
    found["forwards"] = [h_TH[1:] for h_TH in found["forwards"]]
    found["backwards"] = [h_TH[:0:-1] for h_TH in found["backwards"]]
    ids = [t.ids[1 : common + 1] for t in tokens]
    unlike = np.flatnonzero(ids[0] != ids[1])
    cosine, differs = {}, {}
    for d, (a_TH, b_TH) in found.items():
        a_TH, b_TH = a_TH[:common].astype(float), b_TH[:common].astype(float)
        with np.errstate(invalid="ignore"):
            cosine[d] = (a_TH * b_TH).sum(1) / np.sqrt((a_TH**2).sum(1) * (b_TH**2).sum(1))
        differs[d] = np.abs(a_TH - b_TH).max(1, initial=0.0)
    first, second = (t.labels[1:] for t in tokens)
    return Pair((first, second), int(unlike[0]) if len(unlike) else common, cosine, differs)


def backwards(tokens: Tokens) -> Tokens:
    """The same tokens from the last to the first, behind the start mark."""
    return Tokens(
        np.concatenate([tokens.ids[:1], tokens.ids[:0:-1]]),
        (tokens.labels[0], *tokens.labels[:0:-1]),
        (tokens.spans[0], *tokens.spans[:0:-1]),
    )


def states(model: RecurrentModel[Any], tokens: Tokens, length: int) -> np.ndarray:
    """The states of the last layer (T, H) after each token, read together with line ends up to
    `length`."""
    missing = length - len(tokens)
    ids = np.concatenate([tokens.ids, np.full(missing, model.tokenizer.boundary, np.int64)])
    recorder = Recorder(fields=("hidden",))
    model.run(
        Tokens(ids, (*tokens.labels, *[""] * missing), (*tokens.spans, *[(0, 0)] * missing)),
        recorder,
    )
    spec = next(s for s in model.spec() if isinstance(s, FieldSpec) and s.name == "hidden")
    return recorder.values(spec)[-1, : len(tokens)]


def show_pair(run: Run, model: RecurrentModel[Any]) -> None:
    st.subheader("Two banks, one state", anchor=False)
    st.markdown(
        "Can the state tell a river bank from a bank that lends money? At the word “bank” it"
        " cannot: the network has read the same tokens, in the same order, with the same"
        " weights, so the state is the same. Only later words can separate the two, and then"
        " only in the states after them."
    )
    left, right = st.columns(2)
    one = ask.text("First text", "bank_0", MOST, where=left, value=PAIR[0])
    other = ask.text("Second text", "bank_1", MOST, where=right, value=PAIR[1])
    if not one or not other:
        st.info("Type two texts to compare them token by token.")
        return
    pair = compare(model, one, other)
    st.markdown(sentences(pair, model.config.units))
    plate.show(drawn(run, pair, one, other))
    rows.show(listed(pair), "bank.tokens", height=240)
    st.caption(
        "Backwards: the same trained cell reads the text from its end. It never learned to"
        " read that way, so the meaning of its numbers is open, but any reader from the end"
        " has already met what comes after a word; the picture shows how far back it remembers"
        " it. A bidirectional network has one reader for each direction. It can tell the two"
        " banks apart at the word itself, but it cannot predict the next token, because it has"
        " already read it. “I'm going to the bank” has no clue in either direction."
    )


def sentences(pair: Pair, units: int) -> str:
    labels, same, at = pair.labels, pair.same, pair.word
    read = seen(("" if max(map(len, labels[0]), default=0) == 1 else " ").join(labels[0][:same]))
    largest = float(pair.differs["forwards"][:same].max(initial=0.0))
    alike = (
        f"so are all {units} numbers of their states, **to the last bit**"
        if largest == 0
        else f"the states differ by {number(largest)} at most, which is rounding error"
    )
    if not same:
        first = "Forwards: the first tokens differ, and so do the states after them."
    elif same == len(pair.differs["forwards"]):
        end = "the end of the shorter text"
        first = f"Forwards: up to {end}, the tokens are the same, and {alike}."
    else:
        a, b = (seen(part[same]) for part in labels)
        then = (
            f"From token {same + 1} (“{a}” and “{b}”) on, the states differ: at that token by"
            f" {number(float(pair.differs['forwards'][same]))}."
        )
        first = f"Forwards: the first {same} tokens, “{read}”, are the same, and {alike}. {then}"
    if at < 0:
        return first
    far, cosine = float(pair.differs["backwards"][at]), float(pair.cosine["backwards"][at])
    second = (
        f"Backwards: at token {at + 1}, the last of the common ones (“{seen(labels[0][at])}”), the"
        f" states differ by {number(far)}, cosine {number(cosine)}."
    )
    return f"{first}\n\n{second}"


def seen(text: str) -> str:
    """Typed text in a sentence, with its spaces."""
    return escape(theme.visible(text))


def listed(pair: Pair) -> dict[str, Any]:
    count = len(pair.differs["forwards"])
    table: dict[str, Any] = {
        "token": list(range(1, count + 1)),
        "first text": [*map(theme.visible, pair.labels[0][:count])],
        "second text": [*map(theme.visible, pair.labels[1][:count])],
    }
    for d in DIRECTIONS:
        table |= {f"{d}: largest difference": pair.differs[d], f"{d}: cosine": pair.cosine[d]}
    return table


def drawn(run: Run, pair: Pair, one: str, other: str) -> Plate:
    return plate.lines(
        "bank",
        "Similarity of the states of two texts after each token.",
        [(d, range(1, len(pair.cosine[d]) + 1), pair.cosine[d]) for d in DIRECTIONS],
        run.id,
        f"Model: {run.title} ({run.id}). “{one}” and “{other}”, token by token.",
        x="token",
        y="cosine of the two states",
        of_series="read",
        whole=True,
        every=True,
        table="likeness",
        text=f"{one} | {other}",
        model="rnn",
    )
