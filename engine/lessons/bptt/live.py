"""What the page on backpropagation through time answers: the terms of the gradient for every loss and
every step.

A term never changes with what is typed later, so a key costs the rows of its own tokens.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.analysis import backpropagation
from engine.core.trace import Axis, Field, FieldSpec, Kind, Trace
from engine.lessons.before import carried, walked_to
from engine.live import cache
from engine.live.drawing import picked
from engine.live.reader import Reader, describe_field
from engine.live.reply import Reading, Sent
from engine.live.request import Request
from engine.live.shown import Shown
from engine.live.stage import Panel, Stage, standard
from engine.live.window import Window, tokens
from engine.models.abilities import able
from engine.models.recurrent import RecurrentModel
from engine.runs.store import Run

STEPS = 16  # whose walk is kept for the next key, together
PAIRS = ("layer", "query", "key")
STATE = FieldSpec(
    "gradient.state",
    Kind.GRADIENT,
    PAIRS,
    "Length of the gradient of a token's loss with respect to the state after an earlier token.",
    "‖∂L/∂h‖",
    "nats",
)
WEIGHTS = FieldSpec(
    "gradient.weights",
    Kind.GRADIENT,
    PAIRS,
    "Length of what the recurrent weights, used at an earlier token, add to the gradient of a"
    " token's loss.",
    "‖∂L/∂W_hh‖",
    "nats",
)
INPUT = FieldSpec(
    "gradient.input",
    Kind.GRADIENT,
    PAIRS[1:],
    "Length of the gradient of a token's loss with respect to the vector of an earlier token.",
    "‖∂L/∂x‖",
    "nats",
)
SHADES = FieldSpec("shades", Kind.LOSS, ("token",), "Power of ten.", "", "", (-6, 0))


def stage(run: Run, model: RecurrentModel[Any]) -> Stage:
    longest = backpropagation.longest(model)
    letters = model.config.tokenizer in ("chars", "bytes")
    more = {
        "layers": model.config.layers,
        "bounds": backpropagation.bounds(model),
        "shades": describe_field(SHADES)["scale"],
    }
    reader = Reader(
        "net",
        run.title,
        model,
        run.id,
        "tokens",
        most=8,
        derived=(STATE, WEIGHTS, INPUT),
        more=more,
    )
    panels = (
        Panel(
            "unrolled",
            "unrolled",
            "The unrolled net: a gradient on its way back",
            "One box for the state after each token. The stronger its colour, the more a change of that"
            " state would change the loss looked at. The line over the losses is their running total."
            " Press Play, or point at another token.",
            {"reader": "net"},
        ),
        Panel(
            "triangle",
            "triangle",
            "Which step teaches which loss",
            "One row for the loss of each token, one column for each step before it. A row is the"
            " gradient on its way back through time.",
            {"column": "left", "reader": "net"},
            picked("net", "heatmap", ["*"], ["layer"]),
        ),
        Panel(
            "decay",
            "decay",
            "One loss, step by step back",
            "",
            {"column": "right", "reader": "net"},
        ),
    )
    return Stage(
        ((reader, run),),
        panels,
        most=longest if letters else 4 * longest,
        longest=longest,
        selection={"layer": model.config.layers - 1, "field": STATE.name},
        read=read,
        drawn=lambda text, characters: {"net": drawn(run, reader, text, characters, longest)},
    )


def read(shown: Shown, request: Request) -> Reading:
    """Besides what the model makes of the text, the new rows of the triangle."""
    found = standard(shown, request)
    rows = tuple(Sent(field, skip=shown.keep) for field in fields_of(shown, shown.keep))
    return Reading(found.part, (*found.fields, *rows))


def fields_of(shown: Shown, first: int) -> tuple[Field, ...]:
    """The triangle; the rows before token `first`, and that of the first token, which nothing
    predicts, hold zeros."""
    model, part = able(shown.reader.model, RecurrentModel), shown.part
    count, layers, first = len(part), model.config.layers, max(1, first)
    state_LQK, weights_LQK = np.zeros((2, layers, count, count), np.float32)
    input_QK = np.zeros((count, count), np.float32)
    if first < count:
        before = carried(shown)
        walked = walked_to(shown, [*range(STEPS, count - 1, STEPS), count - 1], before)
        found = backpropagation.rows(model, part, first, before, walked)
        state_LQK[:, first:], weights_LQK[:, first:] = found.state_LQK, found.weights_LQK
        input_QK[first:] = found.input_QK
    pair = Axis("query", part.labels), Axis("key", part.labels)
    every = (Axis("layer", tuple(map(str, range(layers)))), *pair)
    return (
        Field(STATE, state_LQK, every),
        Field(WEIGHTS, weights_LQK, every),
        Field(INPUT, input_QK, pair),
    )


def drawn(run: Run, reader: Reader, text: str, characters: Window, longest: int) -> Trace:
    """The whole triangle of the part shown, for a file."""
    shown = Shown.of(reader, run, text, characters, tokens(reader.model, text), longest)
    outline = shown.outline
    return Trace(
        outline.text,
        outline.tokens,
        fields_of(shown, 0),
        ids=outline.ids,
        spans=outline.spans,
        unknown=outline.unknown,
        offset=outline.offset,
        total=outline.total,
    )


def opened(run: Run) -> Stage:
    return stage(run, cache.model(run, RecurrentModel))


LIVE = opened
