"""The live part of the page on soft lookup: the library that is typed, matched with the query; the
browser turns the scores into weights, so that the temperature needs no server.

Shapes: M = keys, D = width of a word vector
"""

from __future__ import annotations

import re
from functools import partial
from typing import Any

import numpy as np

from engine.analysis import soft_lookup
from engine.core.trace import Field, Kind
from engine.live import cache
from engine.live.drawing import Drawing, Look, Traces, with_entries
from engine.live.reader import Reader
from engine.live.reply import Extra, Reading
from engine.live.request import Request
from engine.live.shown import Shown
from engine.live.stage import Panel, Stage, standard
from engine.models.abilities import able
from engine.models.wordspace import WordSpace
from engine.runs.store import Run

MOST = 1_000  # characters of a library
RULES = re.compile(r"(\d{1,2})\.(cosine|dot)")  # as assets/live/sums/lookup.js writes them
STEP = 20  # of the temperature, where none is chosen: T = 0.1


def stage(run: Run) -> Stage:
    model = cache.model(run, WordSpace)
    reader = Reader("words", run.title, model, run.id, "words", ("vector",), top="")
    here = {"reader": "words"}
    panels = (
        Panel(
            "lookup",
            "lookup",
            "Query, keys, values",
            "The first line of the box is the query, every other line a key and its value. Hard: the best key"
            " takes all. Soft: every key is read, each as much as its weight says.",
            here,
            partial(scored, model),
        ),
        Panel(
            "heat",
            "lookupheat",
            "From hard to soft: the temperature",
            "Each line is the weight of one key. Far left the best key has everything, far right all have the"
            " same. Click to set the temperature.",
            {**here, "column": "left"},
        ),
        Panel(
            "reading",
            "lookupreading",
            "What was read",
            "",
            {**here, "column": "right"},
        ),
    )
    return Stage(((reader, run),), panels, most=MOST, read=read)


def scored(model: WordSpace[Any], traces: Traces, look: Look) -> Drawing:
    """A `Panel.figure`: score and weight of every key, as they are chosen."""
    trace = traces["words"]
    found = matched(model, trace.text)
    chosen = RULES.fullmatch(str(look.get("rules")))
    step, score = (int(chosen[1]), chosen[2]) if chosen else (STEP, "cosine")
    score_M = np.array(found["cosine"] if score == "cosine" else found["dot"])
    score_M = score_M if score == "cosine" else score_M / np.sqrt(found["width"])
    weight_M = soft_lookup.weights(score_M, 10 ** (step / 20 - 2)) if len(score_M) else score_M
    fields = (
        Field.of(
            "lookup.score", Kind.SCORE, {"word": found["keys"]}, score_M, "Score of each key."
        ),
        Field.of(
            "lookup.weight", Kind.ATTENTION, {"word": found["keys"]}, weight_M, "Weight of a key."
        ),
    )
    return Drawing(
        "words", "bars", with_entries(trace, *fields), tuple(f.spec.name for f in fields)
    )


def read(shown: Shown, request: Request) -> Reading:
    model = able(shown.reader.model, WordSpace)
    start, stop = shown.characters
    said = {"library": matched(model, shown.text[start:stop])}
    return standard(shown, request).add(Extra(said))


def matched(model: WordSpace[Any], text: str) -> dict[str, Any]:
    """All that the browser draws of a typed library."""
    typed = soft_lookup.read(text)
    query = soft_lookup.meaning(model, typed.query)
    keys = [soft_lookup.meaning(model, key) for key in typed.keys]
    d = model.in_VD.shape[1]
    key_MD = np.array([key.vector_D for key in keys]).reshape(-1, d)
    found = soft_lookup.match(query.vector_D, key_MD)
    numbers = soft_lookup.numbers(typed.values)
    said: dict[str, Any] = {
        "query": typed.query,
        "keys": typed.keys,
        "values": typed.values,
        "left": typed.left,
        "unknown": [query.unknown, *(key.unknown for key in keys)],
        "known": [query.known, *(key.known for key in keys)],
        "dot": found.dot_M.tolist(),
        "cosine": found.cosine_M.tolist(),
        "length": [found.query, *found.key_M.tolist()],
        "width": d,
        "numbers": None if numbers is None else numbers.tolist(),
        "words": [],
        "along": [],
        "gram": [],
    }
    if numbers is None and typed.values:
        value_MD = np.array([soft_lookup.meaning(model, v).vector_D for v in typed.values])
        near = soft_lookup.candidates(model, value_MD)
        said |= {"words": near.words, "along": near.along_MC.round(6).tolist()}
        said |= {"gram": (value_MD @ value_MD.T).round(6).tolist()}
    return said
