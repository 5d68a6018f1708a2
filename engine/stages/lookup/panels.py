"""The live part of the page on soft lookup: the library that is typed, matched with the query; the
browser turns the scores into weights, so that the temperature needs no server.

Shapes: M = keys, D = width of a word vector
"""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.analysis import soft_lookup
from engine.core.trace import FieldSpec, Kind
from engine.live import cache
from engine.live.reader import Reader, describe_field
from engine.live.reply import Extra, Reading, outline
from engine.live.request import Request
from engine.live.shown import Shown
from engine.live.stage import Panel, Stage
from engine.models.abilities import able
from engine.models.wordspace import WordSpace
from engine.runs.store import Run

MOST = 1_000  # characters of a library
WEIGHT = FieldSpec("weight", Kind.ATTENTION, ("key",), "Weight of a key.", "α")


def stage(run: Run) -> Stage:
    model = cache.model(run, WordSpace)
    reader = Reader("words", run.title, model, run.id, "words", top="")
    here = {"reader": "words"}
    panels = (
        Panel(
            "lookup",
            "lookup",
            "Query, keys, values",
            "The first line of the box is the query, every other line a key and its value. Hard: the best key"
            " takes all. Soft: every key is read, each as much as its weight says.",
            {**here, "scale": describe_field(WEIGHT)["scale"]},
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


def read(shown: Shown, request: Request) -> Reading:
    model = able(shown.reader.model, WordSpace)
    start, stop = shown.characters
    said = {"library": matched(model, shown.text[start:stop])}
    return Reading(outline(shown, shown.keep)).add(Extra(said))


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
