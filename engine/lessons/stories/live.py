"""The live pictures of the stories: which early word decides what is expected now, the unit that keeps it, its gates,
and what forgetting would cost."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from engine.core.cache import remembered
from engine.core.trace import Trace
from engine.frame import picture as pic
from engine.lessons.stories import memory
from engine.models.base import Model
from engine.models.recurrent import RecurrentModel

FIRST, MOST = 8, 900  # units that are listed; characters of a story
UNTOLD = (
    "This model does not read whole words, or has more than one layer: choose the LSTM, the GRU or the Elman RNN of"
    " stories above."
)


@remembered(8)
def reading(model: RecurrentModel[Any]) -> memory.Reading:
    return memory.Reading(model)


def once(model: Model[Any]) -> pic.Once:
    words = model.tokenizer.vocab if memory.readable(model) else ()
    return pic.Once({"word": words, "rank": [str(n + 1) for n in range(FIRST)]})


def derive(model: Model[Any], trace: Trace, asks: Mapping[str, object]) -> pic.Derived:
    """What `memory.find` finds; a number that there is none of is left out."""
    if not memory.readable(model):
        return {"told": ((), 0)}
    if trace.offset:  # the beginning of the text is not shown
        return {"told": ((), 2)}
    found = memory.find(reading(model), tuple(trace.ids.tolist()))
    token, ids, kept = ("token",), trace.ids, found.kept
    numbers: dict[str, Any] = {
        "told": ((), 1),
        "gated": ((), any(part.keep for part in model.memories)),
        "answer": ((), found.answer),
        "answer.p": ((), 2.0**-found.bits),
        "lost": (token, found.lost_T),
        "other": (token, np.where(found.others_T < 0, np.nan, found.others_T)),
    }
    if kept is None:
        return numbers
    at, units = kept.cause, kept.units[:FIRST]
    worst = at + int(kept.one_T[at:].argmin())
    numbers |= {
        "cause": ((), int(ids[at])),
        "cause.other": ((), kept.id),
        "felt": ((), kept.more >= 1),
        "answer.other": ((), 2.0 ** -(found.bits + kept.more)),
        "rival": ((), kept.rival),
        "rival.other": ((), 2.0**-kept.rival_bits),
        "margin": ((), kept.margin),
        "margin.other": ((), kept.other),
        "together": ((), kept.together),
        "carrier": ((), kept.unit),
        "alone": ((), units[0][2]),
        "own": (token, kept.own_T),
        "twin": (token, kept.other_T),
        "left": (token, kept.one_T),
        "left.every": (token, kept.every_T),
        "worst": ((), int(ids[worst])),
        "worst.left": ((), float(kept.one_T[worst])),
        "rank.unit": (("rank",), np.array([unit for unit, *_ in units])),
        "rank.apart": (("rank",), np.array([apart for _, apart, _ in units])),
        "rank.moved": (("rank",), np.array([max(0.0, moved) for *_, moved in units])),
    }
    return numbers | gates(model, trace, at, kept.unit)


def gates(model: RecurrentModel[Any], trace: Trace, at: int, unit: int) -> dict[str, Any]:
    """Of a unit: the shares that are kept, written and shown; what is left of what it held at that token."""
    part = next(iter(model.memories), None)
    if part is None or not part.keep:
        return {}

    def of(name: str) -> np.ndarray:
        found: np.ndarray = trace.field(name).values[0, :, unit]
        return found

    keep_T = 1 - of(part.keep) if part.complement else of(part.keep)
    found: dict[str, Any] = {
        "keeps": (("token",), keep_T),
        "writes": (("token",), of(part.write[0])),
    }
    if "gate.output" in trace:
        found["shows"] = (("token",), of("gate.output"))
    since_T = keep_T[at + 1 :]
    if len(since_T):
        lowest = int(since_T.argmin())
        found |= {
            "stays": ((), float(np.prod(since_T, dtype=float))),
            "closes": ((), int(trace.ids[at + 1 + lowest])),
            "closes.at": ((), float(since_T[lowest])),
        }
    return found


DECIDES = pic.Picture(
    "decides",
    pic.Over(
        (pic.Bars("lost", (("lost>1", "line-1"), ("", "accent")), ("{other:word}",), "lost"),),
        top=26,
        high=120,
        scale="number",
    ),
    "Which early word decides the next one",
    (
        pic.If(
            "felt=1",
            "“{cause:word}” decides: with “{cause.other:word}” in its place, “{answer:word}” falls from"
            " {answer.p:%} to {answer.other:%}",
        ),
        "No early word decides what comes next: “{answer:word}”, {answer.p:%}",
    ),
    (
        pic.If("told=0", UNTOLD),
        pic.If("told=2", "A story of more than 900 characters is not taken apart: shorten it."),
        "Each word that has another of its kind, such as a country or a name, is exchanged for the one written over it,"
        " and the text is read again. The bar: how many bits more the expected word then costs.",
    ),
    (
        "“{token}” exchanged for “{other:word}”: “{answer:word}” costs {lost} bits more.",
        "With “{cause.other:word}” for “{cause:word}”, “{rival:word}” has {rival.other:%}.",
        "{?answer}No word of this text has another of its kind that the net knows.",
        "Type a story.",
    ),
    table=pic.table("token", "token: {token} | exchanged for: {other:word} | bits more: {lost}"),
)
NEXT = pic.Picture(
    "next",
    pic.Drawn("bars", lambda model: {"words": True, "most": 8, "search": True}),
    "Next word",
    side="right",
    saves=pic.Saves(("probability",), ("token",), "bars", {"top": 8}),
)
CARRIER = pic.Picture(
    "carrier",
    pic.Over(
        (
            pic.Line("own", "accent", "this text", 2.5, 2.5),
            pic.Line("twin", "line-1", "the other text", 2, 2),
        ),
        high=120,
        scale="number",
        now="rule",
    ),
    "The unit that keeps it",
    "Unit {carrier:n} keeps “{cause:word}”",
    (
        "{?carrier}Its memory in this text, and in the one with “{cause.other:word}”. “{answer:word}” is {margin} bits"
        " likelier than “{rival:word}”. With what this unit alone holds in the other text, {alone} bits less; with all"
        " units, {together} less.",
        "Type a story, and the unit that keeps its early word is found.",
    ),
    "“{token}”: unit {carrier:n} holds {own}, in the other text {twin}.",
    side="left",
    table=pic.table("token", "token: {token} | this text: {own} | the other text: {twin}"),
)
ITS_GATES = pic.Picture(
    "its-gates",
    pic.Over(
        (
            pic.Line("keeps", "line-0", "keeps", 2, 2),
            pic.Line("writes", "line-2", "writes", 2, 2),
            pic.Line("shows", "line-3", "shows", 2, 2),
        ),
        high=110,
        scale="share",
        now="rule",
    ),
    "Its gates",
    ("Its gates: {stays:%} of what it held after “{cause:word}” is left", "Its gates"),
    (
        "Keeps: the forget gate, of a GRU 1 − z. Writes: the input gate, of a GRU z. Shows: the output gate. At"
        " “{closes:word}” it forgets most, {closes.at:%} stays; what is left is the product of all these shares.",
        pic.If("gated=0", "An Elman net has no gates."),
        "How far the gates of that unit are open, token by token.",
    ),
    ("“{token}”: keeps {keeps:%}, writes {writes:%}[, shows {shows:%}].", ""),
    side="left",
    table=pic.table(
        "token", "token: {token} | keeps: {keeps:%} | writes: {writes:%} | shows: {shows:%}"
    ),
)
FORGETS = pic.Picture(
    "forgets",
    pic.Over(
        (
            pic.Line("left", "accent", "this unit", 2.5, 2.5),
            pic.Line("left.every", "line-1", "all units", 2, 2),
        ),
        high=120,
        scale="number",
        now="rule",
    ),
    "What forgetting costs",
    "Forgetting costs most after “{worst:word}”: “{answer:word}” {worst.left} bits ahead of “{rival:word}”, not"
    " {margin}",
    "The memory is set to 0 after a token, and the text read on: how many bits likelier the expected word is than what"
    " the other text expects. At 0 the net can’t tell the two apart any more.",
    "Set to 0 after “{token}”: unit {carrier:n} leaves {left} bits, all units {left.every}, of {margin}.",
    side="left",
    table=pic.table(
        "token", "set to 0 after: {token} | this unit: {left} | all units: {left.every}"
    ),
)
CARRIERS = pic.Picture(
    "carriers",
    pic.Columns(
        pic.Rows("rank", FIRST),
        (
            pic.Words("Unit", "{rank.unit:n}", 0.5),
            pic.Column("Bits it moves", "rank.moved", largest=True, colour="line-1"),
            pic.Column("Memory differs by", "rank.apart", largest=True),
        ),
    ),
    "Other units that keep it",
    says="Each alone holds, from the early word on, what it holds in the other text.",
    tell="Unit {rank.unit:n} moves {rank.moved} bits; its memory differs by {rank.apart} at most.",
    side="right",
    table=pic.table(
        "rank",
        "unit: {rank.unit:n} | bits it moves: {rank.moved} | memory differs by: {rank.apart}",
    ),
)
LIVE = pic.Live(
    (),
    (DECIDES, CARRIER, ITS_GATES, FORGETS, NEXT, CARRIERS),
    once,
    derive,
    also=("gate.forget", "gate.input", "gate.output", "gate.update"),
    unit=lambda model: "words" if memory.readable(model) else "tokens",
    places={"rank": pic.Place("rank")},
    vertical="rank",
    most=MOST,
)
