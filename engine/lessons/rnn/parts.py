"""Below the live pictures of the recurrent network: the shapes that its tasks have, what sharing weights saves, and
two texts that begin alike.

Shapes: T = tokens, H = units of the last layer, D = numbers in a token's vector, O = outputs
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from engine import frame as fr
from engine.core.tap import Recorder
from engine.core.trace import FieldSpec
from engine.language.message import _
from engine.lessons.rnn.shapes import (
    SHAPES,
    Rnn,
    diagram,
    fields,
    read_alone,
    read_review,
    tag_words,
    translate,
    write_on,
)
from engine.live.markdown import escape
from engine.models.labelling import LabellingModel
from engine.models.seq2seq import Seq2seq
from engine.text.tokenizers.base import Tokens
from engine.views import theme

MOST, LONGEST = 200, 300  # characters of a text; tokens that are counted for


@fr.part(
    "Task shapes",
    was=tuple(
        "shape goes_in turned order example_in_step stories fold.stories part-where-it-is-used".split()
    ),
)
def shapes(
    model: Rnn,
    judge: LabellingModel[Any] | None = fr.shipped("sentiment"),
    forwards: LabellingModel[Any] | None = fr.shipped("tagger"),
    both: LabellingModel[Any] | None = fr.shipped("tagger_both"),
    translator: Seq2seq | None = fr.shipped("seq2seq"),
    shape: str = fr.pick("Shape", [*SHAPES], "Many to one"),
    text: str = fr.typed(
        "Text", lambda given: SHAPES[given["shape"]].text, MOST, width=420, live=True
    ),
    *,
    draw: int = fr.slider("Draw", 1, 99, 1),
) -> fr.Blocks:
    yield "One loop serves many tasks, which differ in what goes in, what comes out, and when."
    uses = fr.table(("shape", "for example"), ((name, of.uses) for name, of in SHAPES.items()))
    yield fr.Beside([[uses, fields()], [fr.Code(diagram(SHAPES[shape].steps), None)]], (7, 5))
    yield _("**{shape}.** {says}", shape=_(shape), says=_(SHAPES[shape].says))
    if shape == "One to many":
        yield fr.Controls(["draw"])
    match shape:
        case "Many to one" if judge:
            found = read_review(judge, text)
        case "Many to many, in step" if forwards and both:
            found = tag_words(forwards, both, text)
        case "Many to many, delayed" if translator:
            found = translate(translator, text)
        case "One to many":
            found = write_on(model, text, draw)
        case "One to one":
            found = read_alone(model, text)
        case _:
            raise ValueError("The shipped model of this shape is not here: `make zoo` trains it.")
    if not (listed := [*found]):
        raise ValueError("Type some words.")
    yield fr.Rows(listed, width=640, tall=400)


# ---------------------------------------------------------------- shared weights


def recurrent(h: int, d: int, o: int, t: int = 1) -> int:
    """W_xh and W_hh, their bias, W_hy and its bias."""
    return h * (h + d) + h + o * h + o


def window(h: int, d: int, o: int, t: int) -> int:
    """One layer over the vectors of T tokens side by side, and the same output."""
    return h * t * d + h + o * h + o


def copies(h: int, d: int, o: int, t: int) -> int:
    return t * recurrent(h, d, o)


NETS = {
    "recurrent network": (recurrent, "H (H + D) + H + O H + O"),
    "window of T tokens": (window, "H T D + H + O H + O"),
    "a copy for each token": (copies, "T times the first"),
}


@fr.part("A text of any length")
def length(
    model: Rnn,
    sizes: str = fr.pick("Sizes", ("this model", "small example"), few=True),
    length: int = fr.slider("Length T, in tokens", 1, LONGEST, 30),
) -> fr.Blocks:
    yield (
        "The three matrices do not depend on the length of the text. A network over a **window** concatenates the last"
        " T tokens: it, too, can use what came before, but only within the window, and every further token needs more"
        " weights."
    )
    here = model.config.units, model.config.width, len(model.tokenizer.vocab)
    h, d, o = here if sizes == "this model" else (2, 2, 3)
    yield fr.table(
        ("network", "parameters", _("with T = {t}", t=length)),
        [(name, terms, f"{count(h, d, o, length):,}") for name, (count, terms) in NETS.items()],
        width=560,
    )
    lengths = sorted({round(float(t)) for t in np.geomspace(1, LONGEST, 36)})
    yield fr.curves(
        "parameters",
        "Parameters needed to read T tokens",
        {name: (lengths, [of(h, d, o, t) for t in lengths]) for name, (of, _terms) in NETS.items()},
        "length T, in tokens",
        "parameters",
        _("H = {h} units, D = {d} numbers for a token, O = {o} outputs", h=h, d=d, o=o),
        log_x=True,
        log_y=True,
    )
    yield fr.Note(
        "One layer and the output above it, without the token vectors, which every kind of network needs. A GRU of the"
        " same size has 3 times and an LSTM 4 times H (H + D) + H."
    )


# ---------------------------------------------------------------- two banks


@dataclass(frozen=True, eq=False)
class Pair:
    """What two texts make of one cell.  Position 0 is the first token after the start mark.

    same     tokens that are alike from the start
    differs  the largest difference of any unit
    """

    labels: tuple[tuple[str, ...], ...]
    same: int
    cosine_T: np.ndarray
    differs_T: np.ndarray


def compare(model: Rnn, one: str, other: str) -> Pair:
    """Both texts are read at the same length, the shorter with line ends behind it, so that the same
    sums are made for both."""
    tokens = [model.tokens(text) for text in (one, other)]
    longest, common = max(map(len, tokens)), min(map(len, tokens))
    a_TH, b_TH = (states(model, of, longest)[1:common].astype(float) for of in tokens)
    unlike = np.flatnonzero(tokens[0].ids[1:common] != tokens[1].ids[1:common])
    with np.errstate(invalid="ignore"):
        cosine_T = (a_TH * b_TH).sum(1) / np.sqrt((a_TH**2).sum(1) * (b_TH**2).sum(1))
    return Pair(
        tuple(of.labels[1:common] for of in tokens),
        int(unlike[0]) if len(unlike) else common - 1,
        cosine_T,
        np.abs(a_TH - b_TH).max(1, initial=0.0),
    )


def states(model: Rnn, tokens: Tokens, length: int) -> np.ndarray:
    """Of the last layer (T, H), read with line ends up to `length`."""
    ends = length - len(tokens)
    ids = np.append(tokens.ids, np.full(ends, model.tokenizer.boundary, np.int64))
    recorder = Recorder(fields=("hidden",))
    model.run(
        Tokens(ids, (*tokens.labels, *[""] * ends), (*tokens.spans, *[(0, 0)] * ends)), recorder
    )
    spec = next(s for s in model.spec() if isinstance(s, FieldSpec) and s.name == "hidden")
    return recorder.values(spec)[-1, : len(tokens)]


@fr.part("Two banks, one state")
def banks(
    model: Rnn,
    bank_0: str = fr.typed("First text", "The bank by the river is steep", MOST, width=420),
    bank_1: str = fr.typed("Second text", "The bank approved my loan application", MOST, width=420),
) -> fr.Blocks:
    yield (
        "Can the state tell a river bank from a bank that lends money? At the word “bank” it cannot: the network has"
        " read the same tokens, in the same order, with the same weights, so the state is the same. Only later words"
        " can separate the two, and then only in the states after them."
    )
    if not bank_0 or not bank_1:
        raise ValueError("Type two texts to compare them token by token.")
    pair = compare(model, bank_0, bank_1)
    if pair.same:
        yield _(
            "The first {n} tokens are the same, “{read}”: no number of the state differs by more than **{most}**.",
            n=pair.same,
            read=escape(theme.visible("".join(pair.labels[0][: pair.same]))),
            most=float(pair.differs_T[: pair.same].max(initial=0.0)),
        )
    if pair.same < len(pair.differs_T):
        one, other = (escape(theme.visible(labels[pair.same])) for labels in pair.labels)
        yield _(
            "From token {n} (“{one}” and “{other}”) on they differ: at that token by {far}.",
            n=pair.same + 1,
            one=one,
            other=other,
            far=float(pair.differs_T[pair.same]),
        )
    at_T = range(1, len(pair.cosine_T) + 1)
    yield fr.curves(
        "bank",
        "Similarity of the states of two texts after each token",
        {"forwards": (at_T, pair.cosine_T)},
        "token",
        "cosine of the two states",
        text=f"{bank_0} | {bank_1}",
        whole=True,
        every=True,
    )
    yield fr.Note(
        "A bidirectional network has a second reader that begins at the end: at the word itself it knows what comes"
        " after it. But it cannot predict the next token, because it has already read it. “I'm going to the bank” has"
        " no clue in either direction."
    )


PARTS = (shapes, length, banks)
