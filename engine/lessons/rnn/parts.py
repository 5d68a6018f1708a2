"""Below the live pictures of the recurrent network: the shapes that its tasks have, what sharing weights saves, and
two texts that begin alike.

Shapes: T = tokens, H = units of the last layer, D = numbers in a token's vector, O = outputs
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from engine import frame as fr
from engine.analysis import decode
from engine.core.tap import Recorder
from engine.core.trace import Field, FieldSpec
from engine.language.message import _
from engine.live.markdown import escape
from engine.models.labelling import LabellingModel
from engine.models.recurrent import RecurrentModel
from engine.models.seq2seq import Seq2seq
from engine.text.tokenizers.base import Tokens
from engine.views import theme

MOST, LONGEST = 200, 300  # characters of a text; tokens that are counted for
STEPS, WRITTEN = 30, 40  # tokens drawn from one, and tokens of a translation
Row = Mapping[str, fr.Words]
Rnn = RecurrentModel[Any]


@dataclass(frozen=True, slots=True)
class Shape:
    """`text`: what is typed before anybody does; `steps`: what goes in at each step, and what comes out."""

    goes_in: str
    comes_out: str
    says: str
    uses: str
    text: str
    steps: tuple[tuple[str, str], ...]


SHAPES = {
    "One to one": Shape(
        "one",
        "one",
        "Each character is read alone, from an empty state: wherever it stands, it gets the same answer. That is a"
        " feed-forward network.",
        "a picture and its class; a word and what usually follows it",
        "la la la",
        (("x", "y"),),
    ),
    "One to many": Shape(
        "one",
        "a sequence",
        "Only the last character typed is read. Each character drawn is read at the next step: new input, but none from"
        " outside.",
        "a picture and its caption; a first note and its melody",
        "the c",
        (("x", "y₁"), ("y₁", "y₂"), ("y₂", "y₃")),
    ),
    "Many to one": Shape(
        "a sequence",
        "one",
        "The answer comes after the last word: all that was read has to fit into one state. In the last column the"
        " answers if the text had ended there. A bag of words has to give two texts of the same words one answer:"
        " exchange the two halves.",
        "a review and whether it is good; a recording and who speaks; the days before and tomorrow's weather or price;"
        " a piece of DNA and its function; whether a sequence of payments is fraud",
        "The acting is perfect, but the plot is dull",
        (("x₁", ""), ("x₂", ""), ("x₃", "y")),
    ),
    "Many to many, in step": Shape(
        "a sequence",
        "one for each token",
        "An answer as soon as a token is read. Forwards, a tag knows only the words up to its own, and no later word"
        " can change it; a network that reads both ways is told by the words behind, too.",
        "parts of speech; names in a text; the next token (a language model); the state of a machine at each reading;"
        " the structure at each place of a protein; the next move in a game",
        "Time flies like an arrow",
        (("x₁", "y₁"), ("x₂", "y₂"), ("x₃", "y₃")),
    ),
    "Many to many, delayed": Shape(
        "a sequence",
        "a sequence",
        "The whole text is read first. Then the answer is written, each word read again at the next step; it may be"
        " longer or shorter than the text.",
        "translation, summaries, answers to questions; words from sound and sound from words",
        "The small black cat ate the mouse",
        (("x₁", ""), ("x₂", ""), ("x₃", ""), ("start", "y₁"), ("y₁", "y₂")),
    ),
}


@fr.part(
    "Task shapes",
    was=(
        "shape",
        "goes_in",
        "turned",
        "order",
        "example_in_step",
        "part-where-it-is-used",
        "stories",
        "fold.stories",
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
    heads = "shape", "goes in", "comes out"
    rows = ((name, s.goes_in, s.comes_out) for name, s in SHAPES.items())
    drawn = fr.Code(diagram(SHAPES[shape].steps), None)
    yield fr.Beside([[fr.table(heads, rows)], [drawn]], (7, 5))
    chosen = {"shape": _(shape), "says": _(SHAPES[shape].says), "uses": _(SHAPES[shape].uses)}
    yield _("**{shape}.** {says} *For example:* {uses}.", **chosen)
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


def diagram(steps: tuple[tuple[str, str], ...]) -> str:
    """Boxes: what comes out of each step, the state, and what goes in."""

    def row(cells: Iterable[str], between: str = "   ") -> str:
        return between.join(cell.center(7) for cell in cells).rstrip()

    boxes = [[f"[{label}]" if label else "" for label in row] for row in zip(*steps, strict=True)]
    goes_in, comes_out = boxes
    above, below = (["↑" if box else "" for box in part] for part in (comes_out, goes_in))
    state = row(["[ h ]"] * len(steps), " → ")
    return "\n".join((row(comes_out), row(above), state, row(below), row(goes_in)))


def likeliest(p_V: np.ndarray, names: tuple[str, ...]) -> str:
    best = int(p_V.argmax())
    return f"{theme.visible(names[best])} {100 * p_V[best]:.0f} %"


def step(
    model: Rnn, id: int, state: Mapping[str, np.ndarray] | None
) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """(p_V, the state after it) of one token behind `state`, or behind nothing."""
    recorder = Recorder(fields={*model.carries, "probability"})
    one = Tokens(np.array([id], np.int64), (model.tokenizer.vocab[id],), ((0, 0),))
    if state is None:
        model.run(one, recorder)
    else:
        model.go_on(one, state, recorder)
    fields = recorder.fields(model.spec(), model.labels(one))
    found = {field.spec.name: field.values for field in fields if isinstance(field, Field)}
    return found["probability"][0], {name: found[name] for name in model.carries}


def read_alone(model: Rnn, text: str) -> Iterator[Row]:
    tokens = model.tokenizer.encode(text)
    for id, label in zip(tokens.ids.tolist(), tokens.labels, strict=True):
        p_V, _state = step(model, id, None)
        yield {"in": theme.visible(label), "out": likeliest(p_V, model.tokenizer.vocab)}


def write_on(model: Rnn, text: str, seed: int) -> Iterator[Row]:
    """From the last token of the text on; the sign for an unknown token is never drawn."""
    vocab, rng = model.tokenizer.vocab, np.random.default_rng(seed)
    ids, state = model.tokenizer.encode(text).ids[-1:].tolist(), None
    while ids and len(ids) <= STEPS and (len(ids) == 1 or ids[-1] != model.tokenizer.boundary):
        p_V, state = step(model, ids[-1], state)
        allowed_V = p_V.copy()
        if model.tokenizer.unknown >= 0:
            allowed_V[model.tokenizer.unknown] = 0
        ids.append(decode.draw(allowed_V, rng))
        source = "typed" if len(ids) == 2 else "its own"
        yield {
            "in": theme.visible(vocab[ids[-2]]),
            "from": source,
            "out": f"{theme.visible(vocab[ids[-1]])} {100 * p_V[ids[-1]]:.0f} %",
        }


def read_review(model: LabellingModel[Any], text: str) -> Iterator[Row]:
    trace = model.trace(text, fields=("label",))
    for t, (label, p_L) in enumerate(zip(trace.tokens, trace.field("label").values, strict=True)):
        last, said = t == len(trace.tokens) - 1, likeliest(p_L, model.names)
        if t:
            yield {"in": label, "out": said if last else "", "if it ended here": said}


def tag_words(forwards: LabellingModel[Any], both: LabellingModel[Any], text: str) -> Iterator[Row]:
    """Both ways twice: when a word was the last one, and with all that follow."""
    trace = both.trace(text, fields=("tag",))
    alone_TL = forwards.trace(text, fields=("tag",)).field("tag").values
    for t, (label, (_start, stop)) in enumerate(zip(trace.tokens, trace.spans, strict=True)):
        then_L = both.trace(text[:stop], fields=("tag",)).field("tag").values[-1]
        found = (then_L, trace.field("tag").values[t])
        then, now = (both.names[p_L.argmax()] for p_L in found)
        yield {
            "in": label,
            "out, forwards": forwards.names[alone_TL[t].argmax()],
            "both ways, as the last word": then,
            "both ways, now": now if now == then else _("{tag} (turned)", tag=now),
        }


def translate(model: Seq2seq, text: str) -> Iterator[Row]:
    import torch

    source = model.tokens(text).source
    if source is None or len(source) < 2:
        return
    for label in source.labels:
        yield {"in": label, "from": "the text", "out": ""}
    ids = model.translated(torch.from_numpy(source.ids)[None], WRITTEN)[0]
    mark, vocab = model.start, model.tokenizer.vocab
    for last, id in zip([mark, *ids], ids, strict=False):
        yield {
            "in": vocab[last],
            "from": "the start mark" if last == mark else "its own",
            "out": vocab[id],
        }


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
    "recurrent network": recurrent,
    "window of T tokens": window,
    "a copy for each token": copies,
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
    yield _(
        "H = {h} units, D = {d} numbers for a token, O = {o} outputs, T = {t}:\n\n"
        "- recurrent: H (H + D) + H + O H + O = **{shared:,}**, with no T in it\n"
        "- window: H T D + H + O H + O = **{window:,}**\n"
        "- a copy for each token: T times the first = **{copies:,}**",
        h=h,
        d=d,
        o=o,
        t=length,
        shared=recurrent(h, d, o),
        window=window(h, d, o, length),
        copies=copies(h, d, o, length),
    )
    lengths = sorted({round(float(t)) for t in np.geomspace(1, LONGEST, 36)})
    yield fr.curves(
        "parameters",
        "Parameters needed to read T tokens",
        {name: (lengths, [count(h, d, o, t) for t in lengths]) for name, count in NETS.items()},
        "length T, in tokens",
        "parameters",
        _("Counted for H = {h}, D = {d}, O = {o}", h=h, d=d, o=o),
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
    most = float(pair.differs_T[: pair.same].max(initial=0.0))
    exact = _("all {n} numbers of the state are equal, **to the last bit**", n=model.config.units)
    alike = _("the states differ by {most} at most, which is rounding error", most=most)
    if pair.same:
        yield _(
            "The first {n} tokens are the same, “{read}”: {alike}.",
            n=pair.same,
            read=escape(theme.visible("".join(pair.labels[0][: pair.same]))),
            alike=alike if most else exact,
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
    labels = (map(theme.visible, part) for part in pair.labels)
    heads = "token", "first text", "second text", "largest difference", "cosine"
    columns = zip(at_T, *labels, pair.differs_T.tolist(), pair.cosine_T.tolist(), strict=True)
    yield fr.table(heads, columns, tall=240)
    yield fr.Note(
        "A bidirectional network has a second reader that begins at the end: at the word itself it knows what comes"
        " after it. But it cannot predict the next token, because it has already read it. “I'm going to the bank” has"
        " no clue in either direction."
    )


PARTS = (shapes, length, banks)
