"""The live part of backpropagation through time: how long the gradient of every loss still is at every earlier step.

A term never changes with what is typed later, so a key costs the rows of its own tokens.

Shapes    L = layers, Q, K = tokens (of the loss, of the step)
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from engine.analysis import backpropagation
from engine.core.trace import Axis, Field, FieldSpec, Kind, Trace
from engine.frame import picture as pic
from engine.lessons.before import carried, walked_to
from engine.live import cache, declared
from engine.live.reply import Reading, Sent
from engine.live.request import Request
from engine.live.shown import Shown
from engine.live.stage import Stage, standard
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
POWER = FieldSpec("gradient.power", Kind.SCORE, PAIRS, "Its power of ten.")
LATEST = FieldSpec("latest", Kind.STATE, ("token",), "The last step before a loss.")
SHADES = FieldSpec("shades", Kind.LOSS, ("token",), "Power of ten.", "", "", (-6, 0))

UNROLLED = pic.Picture(
    "unrolled",
    pic.Drawn("unrolled", lambda model: {"layers": model.config.layers}),
    "The unrolled net: a gradient on its way back",
    says="One box for the state after each token. The stronger its colour, the more a change of that"
    " state would change the loss looked at. Press Play, or point at another token.",
)
TRIANGLE = pic.Picture(
    "triangle",
    pic.Matrix(
        "gradient.power",
        "token",
        "key",
        "length of the gradient, power of ten",
        "loss of",
        ("#token", "#key"),
        shade="power",
        number="digits",
        widest=34,
    ),
    "Which step teaches which loss",
    says="One row for the loss of each token, one column for each step before it. A row is the"
    " gradient on its way back through time. Truncated after some steps, a loss does not reach back into"
    " an earlier chunk: its gradient is 0 there, while the state itself is handed on.",
    tell=(
        "Loss of “{token}” ({bits} bits), at the state after “{key}”: gradient {gradient.state}.",
        "Loss of “{token}” ({bits} bits), one step back, after “{token@-1}”: gradient"
        " {gradient.state[key=latest]}.",
        "Type something: the first token that is predicted has the first row.",
    ),
    side="left",
    saves=pic.Saves((STATE.name,), ("layer",), "heatmap"),
)
DECAY = pic.Picture(
    "decay",
    pic.Over(
        (pic.Line("gradient.state", dots=2, each="layer"),),
        across="key",
        high=190,
        scale="log",
        now="rule",
    ),
    "One loss, step by step back",
    "The loss of “{token}”, step by step back",
    "On a scale of powers of ten: a straight line is a gradient that every step back shortens by the same"
    " factor.",
    "State after “{key}”: {gradient.state}; one step back, after “{token@-1}”:"
    " {gradient.state[key=latest]}.",
    side="right",
    table=pic.table(
        "key layer",
        "state after: {key} | layer: {layer} | gradient: {?gradient.state>0}{gradient.state}",
    ),
)


def stage(run: Run, model: RecurrentModel[Any]) -> Stage:
    layers = model.config.layers
    longest = backpropagation.longest(model)
    letters = model.config.tokenizer in ("chars", "bytes")
    cut = pic.Amount(
        "chunk",
        0,
        64,
        1,
        0,
        "[{?chunk>0}truncated after {chunk} steps: {left:n} of {terms:n} terms left][{?chunk<1}not truncated]",
        asks=True,
    )
    which = (pic.Pick("layer", aria="Layer"),) if layers > 1 else ()
    live = pic.Live(
        (),
        (UNROLLED, replace(TRIANGLE, controls=(*which, cut)), DECAY),
        lambda model: pic.Once({"layer": [f"layer\u2009{n + 1}" for n in range(layers)]}),
        shades={"power": SHADES},
        places={
            "layer": pic.Place("layer", first=layers - 1),
            "key": pic.Place("other", "latest", -1),
        },
        most=longest if letters else 4 * longest,
        listed=8,
    )
    made = declared.stage(live, run, "net")
    reader = replace(made.readers[0][0], derived=(STATE, POWER, LATEST))
    sent = _Sending()

    def draw(text: str, characters: Window) -> dict[str, Trace]:
        """The whole triangle of the part shown, for a file."""
        shown = Shown.of(reader, run, text, characters, tokens(model, text), longest)
        outline = shown.outline
        parts = {n: getattr(outline, n) for n in ("ids", "spans", "unknown", "offset", "total")}
        state, *_ = fields_of(shown, 0)
        return {"net": Trace(outline.text, outline.tokens, (state,), **parts)}

    return replace(made, readers=((reader, run),), longest=longest, read=sent.read, drawn=draw)


class _Sending:
    """The reader's part of a reply, for one visitor, with the rows that the browser does not have: all of them
    where they were cut after other steps."""

    def __init__(self) -> None:
        self._last: tuple[int, int] | None = None  # number of a reply, and its chunk

    def read(self, shown: Shown, request: Request) -> Reading:
        found, chunk = standard(shown, request), max(0, request.look.whole("chunk") or 0)
        keep = shown.keep if request.base and self._last == (request.base.seq, chunk) else 0
        self._last = request.seq, chunk
        count = len(shown.part)
        left = sum(q - cut_at(q, chunk) for q in range(1, count))
        numbers = {"terms": count * (count - 1) // 2, "left": left}
        found.part["said"] = {"numbers": numbers}
        rows = tuple(Sent(field, skip=keep) for field in fields_of(shown, keep, chunk))
        return Reading(found.part, (*found.fields, *rows))


def cut_at(q: int, chunk: int) -> int:
    """The first step that the gradient of the loss of token `q` reaches, in chunks of so many; 0: in one."""
    return (q - 1) // chunk * chunk if chunk else 0


def fields_of(shown: Shown, first: int, chunk: int = 0) -> tuple[Field, Field, Field]:
    """The triangle, its powers of ten, and the last step before each loss; the rows before token `first`, and that
    of the first token, which nothing predicts, hold zeros."""
    model, part = able(shown.reader.model, RecurrentModel), shown.part
    count, layers, first = len(part), model.config.layers, max(1, first)
    state_LQK = np.zeros((layers, count, count), np.float32)
    if first < count:
        before = carried(shown)
        walked = walked_to(shown, [*range(STEPS, count - 1, STEPS), count - 1], before)
        state_LQK[:, first:] = backpropagation.rows(model, part, first, before, walked).state_LQK
    for q in range(first, count):
        state_LQK[:, q, : cut_at(q, chunk)] = 0
    with np.errstate(divide="ignore"):
        power_LQK = np.log10(state_LQK)
    latest_T = np.arange(count, dtype=np.float32) - 1
    pair = Axis("query", part.labels), Axis("key", part.labels)
    every = (Axis("layer", tuple(map(str, range(layers)))), *pair)
    return (
        Field(STATE, state_LQK, every),
        Field(POWER, power_LQK, every),
        Field(LATEST, latest_T, (Axis("token", part.labels),)),
    )


def open_stage(run: Run) -> Stage:
    return stage(run, cache.model(run, RecurrentModel))


LIVE = open_stage
