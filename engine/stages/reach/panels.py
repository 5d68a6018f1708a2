"""How far learning reaches: of several models, the gradient of each word's loss with respect to the
vectors of the tokens before it.  A key costs one row, that of the word it belongs to.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engine.analysis import backpropagation
from engine.core.trace import Axis, Field, FieldSpec, Kind, Trace
from engine.live import cache
from engine.live.drawing import Drawing, Look, Traces, picked
from engine.live.reader import Reader
from engine.live.reply import Reading, Sent
from engine.live.request import Request
from engine.live.shown import Shown
from engine.live.stage import Panel, Stage, standard
from engine.live.window import Window, tokens
from engine.models.abilities import able
from engine.models.neural import NeuralLanguageModel
from engine.runs.store import Run
from engine.stages.before import carried

SHOWN = 120  # characters at once
UNITS = {"chars": "characters", "words": "words", "bytes": "bytes"}
INPUT = FieldSpec(
    "gradient.input",
    Kind.GRADIENT,
    ("query", "key"),
    "Length of the gradient of a word's loss, up to its last token, with respect to the "
    "vector of an earlier token.",
    "‖∂L/∂x‖",
    "nats",
)


def stage(runs: Sequence[Run], titles: Sequence[str]) -> Stage:
    """ValueError for a run that is no language model which learns by gradients."""
    readers = []
    for n, (run, title) in enumerate(zip(runs, titles, strict=True)):
        model = cache.model(run, NeuralLanguageModel)
        unit = UNITS.get(model.tokenizer.id, "tokens")
        reader = Reader(f"m{n}", title, model, run.id, unit, most=8, colour=n, derived=(INPUT,))
        readers.append((reader, run))
    panels = (
        Panel(
            "arcs",
            "reacharcs",
            "How far back each word teaches",
            "From the word looked at, an arc to every word before it: how much the word's loss would"
            " change with that word's vectors, as a share of all. Point at another word.",
            {"column": "left"},
            matrix,
        ),
        Panel(
            "fall",
            "reachfall",
            "Gradient by distance",
            "Averaged over all words of the text: the gradient that many words back, "
            "relative to that of the word just before.",
            {"column": "right"},
        ),
    )
    return Stage(
        tuple(readers),
        panels,
        most=SHOWN,
        read=read,
        drawn=lambda text, characters: {
            reader.id: drawn(reader, run, text, characters) for reader, run in readers
        },
    )


def matrix(traces: Traces, look: Look) -> Drawing:
    """A `Panel.figure`: the numbers of the model looked at, of the first where none is."""
    reader = str(look.get("reader") or "")
    return picked(reader if reader in traces else next(iter(traces)), "heatmap", [INPUT.name])(
        traces, look
    )


def read(shown: Shown, request: Request) -> Reading:
    # the last token may end a word now that was longer before
    found, first = standard(shown, request), min(shown.keep, max(0, len(shown.part) - 1))
    return Reading(found.part, (*found.fields, Sent(field(shown, first), skip=first)))


def field(shown: Shown, first: int) -> Field:
    """The rows from token `first` on where a word ends, and zeros elsewhere."""
    model, part = able(shown.reader.model, NeuralLanguageModel), shown.part
    groups = {word[-1]: word for word in words(shown.text, part.spans) if word[-1] >= first}
    input_QK = np.zeros((len(part), len(part)), np.float32)
    if groups:
        found = backpropagation.inputs(model, part, [*groups.values()], carried(shown))
        input_QK[[*groups]] = found
    return Field(INPUT, input_QK, (Axis("query", part.labels), Axis("key", part.labels)))


def words(text: str, spans: Sequence[tuple[int, int]]) -> list[list[int]]:
    """The tokens of each word, but for the first token shown, which nothing here predicts: a word
    begins behind a blank, and tokens that are blanks alone belong to none."""
    found: list[list[int]] = []
    for t, (start, stop) in enumerate(spans):
        written = text[start:stop]
        if not t or not written.strip():
            continue
        begins = written[0].isspace() or not start or text[start - 1].isspace()
        if begins or not found:
            found.append([])
        found[-1].append(t)
    return found


def drawn(reader: Reader, run: Run, text: str, characters: Window) -> Trace:
    """The whole matrix of the part shown, for a file."""
    shown = Shown.of(reader, run, text, characters, tokens(reader.model, text))
    outline = shown.outline
    return Trace(
        outline.text,
        outline.tokens,
        (field(shown, 0),),
        ids=outline.ids,
        spans=outline.spans,
        unknown=outline.unknown,
        offset=outline.offset,
        total=outline.total,
    )
