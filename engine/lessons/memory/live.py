"""The live part of the Memory ledger, for whatever memories the cells of a run have: who wrote what is in one unit's
memory now, one moment of it as a sum, and how what a token wrote fades.

Shapes    T = tokens, L = layers, U = units
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from engine.analysis import ledger
from engine.core.trace import FieldSpec, Kind, Trace
from engine.frame import picture as pic
from engine.live import cache, declared
from engine.live.stage import Stage
from engine.models.recurrent import RecurrentModel
from engine.runs.store import Run

READER = "lstm"
NONE = (
    "This network does not keep its memory separate: the whole state is overwritten by each token. What an earlier"
    " token left is inside U h and cannot be separated, so there is no ledger. Choose a gated model."
)
PART = FieldSpec("part", Kind.STATE, (), "", domain=(-1, 1))

LEDGER = pic.Picture(
    "ledger",
    pic.Matrix(
        "part",
        "token",
        "key",
        "part of the memory",
        "moment",
        ("#token", "#key"),
        shade="part",
        number="digits",
        widest=40,
    ),
    "Which token wrote what",
    "Which token wrote what: unit {unit} of layer {layer}",
    "Each row is a moment, each column an earlier token. Strong colour: much of the memory at that moment was"
    " written there. A row adds up to the memory.",
    (
        "At “{token}” the memory is {state}; {part} of it was written at “{key}”, and {left:%} of that is left.[ This"
        " step: {gate} of {state@-1} stays, {write[key=#token]} is written.]",
        "At “{token}” the memory is {state}. “{key}” comes later.",
        "Type something to see what each token writes into the memory.",
    ),
    side="left",
)
ACCOUNT = pic.Picture(
    "account",
    pic.Over(
        (pic.Bars("part", (("part<0", "line-1"), ("", "accent"))),),
        across="key",
        high=150,
        scale="number",
    ),
    "One moment as a sum",
    "One moment as a sum, at “{token}”",
    "What each token wrote, times the share that all later gates have left of it: bars above 0 add to the memory,"
    " bars below take away.",
    "{state} = [{before} from before, ]{terms}.",
    side="right",
    parts={
        "terms": pic.Series(
            "key", "{part} from “{key}”", " + ", 6, "part", " + {rest} from {others} others"
        )
    },
    table=pic.table("key", "token: {key} | wrote: {write} | left: {left:%} | contribution: {part}"),
)
FADING = pic.Picture(
    "fading",
    pic.Over((pic.Line("left", width=2.5, dots=2.5),), high=150, now="rule"),
    "How writes fade",
    "How the value written by “{key}” fades: unit {unit} of layer {layer}",
    "All that was written before shrinks by the same gate. Choose another token in a picture beside this one.",
    "Of what “{key}” wrote, {left:%} is left at “{token}”.[ Half of it is gone after {half:n}"
    " {half|token|tokens}.]",
    side="right",
    table=pic.table("token", "token: {token} | left of what was written: {left:%}"),
)


def stage(run: Run, model: RecurrentModel[Any]) -> Stage:
    """ValueError, with a sentence for the reader, for a network whose state is made anew at each token."""
    memories = {memory.state: memory for memory in model.memories}
    if not memories:
        raise ValueError(NONE)
    layers, first = model.config.layers, next(iter(memories))
    named = (name for m in memories.values() for name in (m.keep, *m.write, m.state) if name)
    parts = tuple(dict.fromkeys(named))
    units = len(model.trace("", fields=(first,)).field(first).axis("unit"))
    look = {"layer": layers - 1, "unit": 0, **run.note.get("look", {}), "field": first}
    most = {"layer": layers - 1, "unit": units - 1}
    which = [(state, state) for state in memories]
    controls: tuple[pic.Control, ...] = (
        *([pic.Choice("field", tuple(which), first, asks=True)] if len(which) > 1 else []),
        *(
            pic.Amount(axis, 0, most[axis], 1, look[axis], says, asks=True)
            for axis, says in (("layer", "layer {layer}"), ("unit", "unit {unit}"))
            if most[axis]
        ),
    )

    saves = pic.Saves(parts, ("layer", "unit"), "lines")  # what a memory is made of

    def derive(of: object, trace: Trace, asks: Mapping[str, object]) -> pic.Derived:
        memory = memories.get(str(asks.get("field")), memories[first])
        layer, unit = (
            min(last, max(0, _whole(asks.get(axis), look[axis]))) for axis, last in most.items()
        )
        return _numbers(ledger.account(trace, memory, layer, unit), trace.offset)

    live = pic.Live(
        (),
        (replace(LEDGER, controls=controls, saves=saves), ACCOUNT, FADING),
        lambda model: pic.Once({axis: labels(axis, last + 1) for axis, last in most.items()}),
        derive,
        parts,
        {"part": PART},
        words=False,
        places={
            **{axis: pic.Place(axis, first=look[axis]) for axis in most},
            "key": pic.Place("other", "largest", -1),
        },
        vertical="unit",
        top="",
        most=256,
    )
    return replace(declared.stage(live, run, READER), selection=look)


def labels(axis: str, count: int) -> list[str]:
    """Layers are counted from 1, units from 0."""
    return [str(n + (axis == "layer")) for n in range(count)]


def _whole(value: object, first: int) -> int:
    try:
        return int(float(str(value)))
    except (ValueError, OverflowError):
        return first


def _numbers(book: ledger.Account, offset: int) -> pic.Derived:
    count = len(book.state_T)
    later_TT = np.triu(np.ones((count, count), bool), 1)
    half = ledger.measure_half_lives(book.keep_T)
    token, pair = ("token",), ("token", "key")
    return {
        "part": (pair, np.where(later_TT, np.nan, book.part_TT)),
        "left": (pair, np.where(later_TT, np.nan, book.kept_TT)),
        "write": (("key",), book.write_T),
        "half": (("key",), np.where(half.longer, np.nan, half.tokens)),
        "state": (token, book.state_T),
        "gate": (token, book.keep_T),
        "before": (token, book.before_T if offset else np.full(count, np.nan)),
        "largest": (token, np.abs(np.tril(book.part_TT, -1)).argmax(1)),  # of those before it
    }


def open_stage(run: Run) -> Stage:
    return stage(run, cache.model(run, RecurrentModel))


LIVE = open_stage
