"""The live part of the lesson on word vectors: all typed words compared, neighbours of each, the odd one
out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from engine.core.trace import Axis, Field, FieldSpec, Kind, Trace
from engine.lessons.vectors.typed import MOST, looked_at, nearest, words_of
from engine.live import cache
from engine.live.drawing import Drawing, with_entries
from engine.live.reader import Reader, describe_field
from engine.live.stage import Panel, Stage
from engine.models.wordspace import WordSpace
from engine.runs.store import Run
from engine.vectors import odd

PAIRS = "Similarity of each pair of typed words."
SIMILARITY = FieldSpec("similarity", Kind.COSINE, ("word", "label"), PAIRS, "cos")
AGREES = "How well each word agrees with the mean of all: the odd one out agrees least."
FIT = FieldSpec("fit", Kind.COSINE, ("word",), AGREES, "cos")


def stage(run: Run) -> Stage:
    model = cache.model(run, WordSpace)
    dims = model.config.width
    more = {"dims": dims, "vocabulary": len(model.space)}
    reader = Reader(
        "space", run.title, model, run.id, "words", ("vector",), top="neighbours", more=more
    )
    right = {"column": "right", "words": True, "reader": "space"}
    panels = (
        Panel(
            "similarity",
            "similarity",
            "How similar are the typed words?",
            f"Cosine of each pair in all {dims} dimensions: 1 same direction, 0 unrelated."
            " Point at a cell; click a row to select its word.",
            {"column": "left", "reader": "space", "scale": describe_field(SIMILARITY)["scale"]},
            similarity,
        ),
        Panel("neighbours", "neighbours", "True neighbours of", options=right, figure=neighbours),
        Panel(
            "oddone",
            "oddone",
            "Odd one out",
            "Cosine of each word with the mean of all typed words. The least fitting word comes"
            " first.",
            right,
            fits,
        ),
    )
    return Stage(((reader, run),), panels, most=400)


def similarity(traces: Mapping[str, Trace], look: Mapping[str, Any]) -> Drawing:
    words, unit_ND = words_of(traces["space"])
    axes = Axis("word", tuple(words)), Axis("label", tuple(words))
    field = Field(SIMILARITY, np.clip(unit_ND @ unit_ND.T, -1, 1), axes)
    return Drawing("space", "heatmap", with_entries(traces["space"], field), ("similarity",))


def fits(traces: Mapping[str, Trace], look: Mapping[str, Any]) -> Drawing:
    words, unit_ND = words_of(traces["space"])
    field = Field(FIT, odd.scores(unit_ND), (Axis("word", tuple(words)),))
    entries = with_entries(traces["space"], field)
    return Drawing("space", "bars", entries, ("fit",), options={"top": MOST})


def neighbours(traces: Mapping[str, Trace], look: Mapping[str, Any]) -> Drawing:
    trace = traces["space"]
    drawn = with_entries(trace, nearest(trace, looked_at(trace, look)))
    return Drawing("space", "neighbours", drawn, ("nearest",))


LIVE = stage
