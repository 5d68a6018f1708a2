"""The live part of the word-vector page: neighbours of each typed word, all typed words compared,
the odd one out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.core.trace import Axis, Field, FieldSpec, Kind, Table, Trace
from engine.lessons.vectors.typed import MOST, nearest, words_of
from engine.live.drawing import Drawing, with_entries
from engine.live.reader import Reader, describe_field
from engine.live.stage import Panel, Stage
from engine.runs.store import Run
from engine.vectors import odd
from pages.ui.vectors import idle

if TYPE_CHECKING:
    from engine.models.wordspace import WordSpace

PAIRS = "Similarity of each pair of typed words."
SIMILARITY = FieldSpec("similarity", Kind.COSINE, ("word", "label"), PAIRS, "cos")
AGREES = "How well each word agrees with the mean of all: the odd one out agrees least."
FIT = FieldSpec("fit", Kind.COSINE, ("word",), AGREES, "cos")
Draw = Callable[[Mapping[str, Trace], Mapping[str, Any]], Drawing]


def stage(run: Run, model: WordSpace[Any]) -> Stage:
    dims = model.config.width
    reader = Reader(
        "space",
        run.title,
        model,
        run.id,
        "words",
        ("vector",),
        top="neighbours",
        more={"dims": dims, "vocabulary": len(model.space)},
    )
    panels = (
        Panel(
            "similarity",
            "similarity",
            "How similar are the typed words?",
            f"Cosine of each pair in all {dims} dimensions: 1 same direction, 0 unrelated."
            " Point at a cell; click a row to select its word.",
            {"column": "left", "reader": "space", "scale": describe_field(SIMILARITY)["scale"]},
            _similarity,
        ),
        Panel(
            "neighbours",
            "neighbours",
            "True neighbours of",
            options={"column": "right", "words": True, "reader": "space"},
            figure=_neighbours,
        ),
        Panel(
            "oddone",
            "oddone",
            "Odd one out",
            "Cosine of each word with the mean of all typed words. The least fitting word comes"
            " first.",
            {"column": "right", "words": True, "reader": "space"},
            _odd,
        ),
    )
    return Stage(
        ((reader, run),),
        panels,
        most=400,
        settled=lambda traces, look: idle.show(run, model, traces["space"]),
    )


def _similarity(traces: Mapping[str, Trace], look: Mapping[str, Any]) -> Drawing:
    words, unit_ND = words_of(traces["space"])
    axes = Axis("word", tuple(words)), Axis("label", tuple(words))
    field = Field(SIMILARITY, np.clip(unit_ND @ unit_ND.T, -1, 1), axes)
    return Drawing("space", "heatmap", with_entries(traces["space"], field), ("similarity",))


def _odd(traces: Mapping[str, Trace], look: Mapping[str, Any]) -> Drawing:
    words, unit_ND = words_of(traces["space"])
    field = Field(FIT, odd.scores(unit_ND), (Axis("word", tuple(words)),))
    return Drawing(
        "space", "bars", with_entries(traces["space"], field), ("fit",), options={"top": MOST}
    )


def _neighbours(traces: Mapping[str, Trace], look: Mapping[str, Any]) -> Drawing:
    trace = traces["space"]
    found = trace["neighbours"]
    assert isinstance(found, Table)
    at = max(0, min(int(look.get("token", 10**9)) - trace.offset, len(trace.tokens) - 1))
    while at > 0 and not (found.columns["position"] == at).any():
        at -= 1
    drawn = with_entries(trace, nearest(trace, at))
    return Drawing("space", "neighbours", drawn, ("nearest",))
