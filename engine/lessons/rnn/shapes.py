"""The shapes that tasks have: what goes in and what comes out, when, and how a net of each shape answers.

Shapes: V = vocabulary, L = labels or tags, T = tokens
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from engine.analysis import decode
from engine.core.tap import Recorder
from engine.core.trace import Field
from engine.frame.blocks import Behind, Line, Link, Words, table
from engine.language.message import _
from engine.models.labelling import LabellingModel
from engine.models.recurrent import RecurrentModel
from engine.models.seq2seq import Seq2seq
from engine.text.tokenizers.base import Tokens
from engine.views import theme

STEPS, WRITTEN = 30, 40  # tokens drawn from one, and tokens of a translation
Row = Mapping[str, Words]
Rnn = RecurrentModel[Any]


@dataclass(frozen=True, slots=True)
class Shape:
    """`text`: what is typed before anybody does; `steps`: what goes in at each step, and what comes out."""

    text: str
    steps: tuple[tuple[str, str], ...]
    uses: str
    says: str


SHAPES = {
    "One to one": Shape(
        "la la la",
        (("x", "y"),),
        "a picture and its class; a word and what usually follows it",
        "Each character is read alone, from an empty state: wherever it stands, it gets the same answer.",
    ),
    "One to many": Shape(
        "the c",
        (("x", "y₁"), ("y₁", "y₂"), ("y₂", "y₃")),
        "a picture and its caption; a first note and its melody",
        "Only the last character typed is read. Each character drawn is read at the next step.",
    ),
    "Many to one": Shape(
        "The acting is perfect, but the plot is dull",
        (("x₁", ""), ("x₂", ""), ("x₃", "y")),
        "a review and whether it is good; a recording and who speaks; the days before and tomorrow's weather",
        "The answer comes after the last word: all that was read has to fit into one state. Exchange the two halves:"
        " a bag of words would have to give both texts one answer.",
    ),
    "Many to many, in step": Shape(
        "Time flies like an arrow",
        (("x₁", "y₁"), ("x₂", "y₂"), ("x₃", "y₃")),
        "parts of speech; names in a text; the next token; the next move in a game",
        "Forwards, a tag knows only the words up to its own, and no later word can change it; a network that reads both"
        " ways is told by the words behind, too.",
    ),
    "Many to many, delayed": Shape(
        "The small black cat ate the mouse",
        (("x₁", ""), ("x₂", ""), ("x₃", ""), ("start", "y₁"), ("y₁", "y₂")),
        "translation, summaries, answers to questions; words from sound",
        "The whole text is read first. Then the answer is written, each word read again at the next step.",
    ),
}


# By field, what a net is used for there, and the pages where one runs: (lesson, words, what its address chooses).
# A new page on one of them stands here.
Page = tuple[str, str, Mapping[str, str]]
FIELDS: Mapping[str, tuple[str, tuple[Page, ...]]] = {
    "Language": (
        "next word, tags, sentiment, translation",
        (
            ("lstm", "Next word", {}),
            ("textcnn", "Sentiment", {}),
            ("translation", "Translation", {}),
            ("stories", "Memory", {}),
            ("documents", "Names, answers", {}),
        ),
    ),
    "Series": (
        "prices, load, weather, traffic",
        (
            ("series", "Forecasts", {}),
            ("series", "Load", {"panel": "part-load-and-temperature"}),
        ),
    ),
    "Faults": (
        "machines, networks, patients, fraud",
        (
            ("series", "Alarm", {"panel": "part-alarm"}),
            ("series", "Gaps", {"panel": "part-gaps"}),
        ),
    ),
    "Sound": (
        "speech, speakers, melodies",
        (
            ("series", "Frames", {"panel": "part-sound-in-frames"}),
            ("melody", "Melody", {}),
        ),
    ),
    "Images": (
        "captions, films, movement",
        (
            ("pictures", "Patches", {}),
            ("pictures", "Films", {"panel": "part-a-digit-that-moves"}),
        ),
    ),
    "Molecules": ("proteins, genes, drugs", ()),
    "Decisions": (
        "games, robots, dialogue",
        (("melody", "Games", {"panel": "part-rock-paper-scissors"}),),
    ),
}


def fields() -> Behind:
    rows = table(("field", "for example"), ((f, of[0]) for f, of in FIELDS.items()), folds=True)
    links = Line([Link(*page) for _uses, pages in FIELDS.values() for page in pages])
    return Behind("Fields of use", [rows, "Pages where a net runs:", links])


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
