"""The live part of the lesson on melodies: notes on a staff, what was expected at each, and one unit below them.

Shapes    T = tokens, V = vocabulary, P = pitches
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from engine.analysis.measure import surprisal
from engine.core.cache import remembered
from engine.core.trace import Trace
from engine.frame import picture as pic
from engine.live import cache, declared
from engine.live.stage import Stage
from engine.models.base import Model
from engine.models.recurrent import RecurrentModel
from engine.runs.store import Run
from engine.text.notes import MIDDLE, OCTAVE, read, write
from engine.text.tokenizers.base import Tokenizer

LOWEST, HIGHEST = 55, 88
KEYS = range(MIDDLE, MIDDLE + 2 * OCTAVE)
ROWS = ("gate.input", "gate.forget", "gate.output", "cell")
LETTERS = "CDEFGAB"
TEMPO, HEAT = 180, 80  # quarters in a minute; hundredths of a temperature


def place(word: str) -> tuple[float, float]:
    """Of a note the steps of the scale above middle C, and its sign in half tones."""
    letter = next(sign for sign in word if sign.isalpha())
    up = letter.islower() + word.count("'") - word.count(",")
    return 7 * up + LETTERS.index(letter.upper()), word.count("^") - word.count("_")


def pitches() -> list[str]:
    return [write(pitch, Fraction(1)) for pitch in range(LOWEST, HIGHEST + 1)]


@remembered(16)
def high(tokenizer: Tokenizer) -> np.ndarray:
    """(V, P): 1 where a word is a note of this pitch, else 0."""
    found_VP = np.zeros((len(tokenizer.vocab), HIGHEST - LOWEST + 1), np.float32)
    for v, word in enumerate(tokenizer.vocab):
        pitch = (read(word) or (None,))[0]
        if pitch is not None and LOWEST <= pitch <= HIGHEST:
            found_VP[v, pitch - LOWEST] = 1
    return found_VP


NOTHING = (0.0,) * 4


def said(word: str) -> tuple[float, ...]:
    """Pitch, step, sign and eighths; 0 for what is no note, and for the pitch of a rest."""
    note = read(word)
    if note is None:
        return NOTHING
    pitch, eighths = note
    return (0.0, 6, 0, float(eighths)) if pitch is None else (pitch, *place(word), float(eighths))


def derive(model: Model[Any], trace: Trace, asks: Mapping[str, object]) -> pic.Derived:
    said_T4 = np.array([said(word) for word in trace.tokens]).reshape(-1, 4)
    found: dict[str, Any] = {
        name: (("token",), said_T4[:, n])
        for n, name in enumerate(("pitch", "step", "sign", "eighths"))
    }
    p_TV = trace.field("probability").values
    return found | {
        "expected": (("token", "high"), p_TV @ high(model.tokenizer)),
        "cost": (("token",), surprisal(trace)),
    }


def options(model: Model[Any]) -> Mapping[str, Any]:
    units = model.config.units if isinstance(model, RecurrentModel) else 0
    return {
        "rows": ROWS,
        "units": list(range(units)),
        "steps": [place(word)[0] for word in pitches()],
        "lowest": LOWEST,
        "keys": [(write(pitch, Fraction(1)), pitch) for pitch in KEYS],
    }


STAFF = pic.Picture(
    "staff",
    pic.Drawn("staff", options),
    "The melody, and what comes next",
    says="Dots: where the net expected the note, the larger the likelier; after the last note and on the keys, what it"
    " expects next. Below each note the gates i, f and o and the memory c of one unit. Type letters, or click keys.",
    saves=pic.Saves(ROWS, ("layer", "unit"), "lines"),
)
NEXT = pic.Picture(
    "next",
    pic.Drawn("bars", lambda model: {"words": True, "most": 8}),
    "Next note",
    side="right",
    saves=pic.Saves(("probability",), ("token",), "bars", {"top": 12}),
)
COST = pic.Picture(
    "cost",
    pic.Over((pic.Bars("cost"),), high=150, scale="number", now="rule"),
    "What each note cost",
    ("What “{token}” cost: {cost} bits",),
    "A bar for each token: how many bits it cost the net, the more, the less it was expected. Where a bar is full, its"
    " bar line costs next to nothing.",
    "“{token}” cost {cost} bits; after it {top} is likeliest, {top.p:%}.",
    side="left",
    table=pic.table("token", "token: {token} | bits: {cost}"),
)
PICTURES = pic.Live(
    ("probability", *ROWS),
    (STAFF, COST, NEXT),
    lambda model: pic.Once({"next": model.tokenizer.vocab, "high": pitches()}),
    derive,
    places={"unit": pic.Place("unit")},
    vertical="unit",
    most=600,
)


def stage(shown: Mapping[str, Run], **_chosen: object) -> Stage:
    (run,) = shown.values()
    if cache.model(run, Model).tokenizer.id != "notes":
        raise ValueError("This page needs a model that reads notes; no such run is here.")
    made = declared.stage(PICTURES, shown, "melody")
    look = {"unit": 0, "layer": 0, **run.note.get("look", {})}
    first = {"times": TEMPO, "rate": HEAT, "seed": 1}
    return replace(made, selection={**look, **first})


LIVE = stage
