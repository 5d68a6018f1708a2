"""The live pictures of the feed-forward language model: the window with the vectors in it, how much each place adds,
the hidden layer, and what comes next beside other models of the same words.

Shapes    T = tokens, N = words of the window, U = units
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from engine.core.trace import FieldSpec, Kind, Trace
from engine.frame import picture as pic
from engine.frame.part import once
from engine.lessons.feedforward import beside, windowed
from engine.live import declared
from engine.live.drawing import shortlists
from engine.live.stage import Panel, Stage
from engine.models.base import Model
from engine.models.feedforward import FeedForward
from engine.runs.store import Run

SHOWN, LONGEST = 240, 48  # characters and tokens at once
FEW = 5  # words of a list


@once
def blocks(model: FeedForward) -> np.ndarray:
    return windowed.blocks(model)


def name_steps(model: Model[Any]) -> pic.Once:
    if not isinstance(model, FeedForward):
        return pic.Once({})
    n = model.config.window
    return pic.Once({"step": [f"t−{back}" if back else "t" for back in range(n - 1, -1, -1)]})


def derive(model: FeedForward, trace: Trace, asks: Mapping[str, object]) -> pic.Derived:
    """Which token stands in each place, and how much of the lengths of what all places add to the sums
    of the hidden layer is its own."""
    n, count = model.config.window, len(trace.tokens)
    push_TN = windowed.pushes(blocks(model), trace.field("window").values)
    token_TN = np.arange(count)[:, None] - np.arange(n - 1, -1, -1)
    seen_T = trace.offset + np.arange(count) + 1
    places = ("token", "step")
    return {
        "word": (places, np.where(token_TN < 0, np.nan, token_TN)),
        "push": (places, push_TN),
        "share": (places, push_TN / np.maximum(push_TN.sum(1, keepdims=True), 1e-12)),
        "out": (("token",), np.where(seen_T > n, seen_T - n, np.nan)),
        "h": (("token", "dim"), trace.field("hidden").values[0]),
        "sees": ((), n),
        "units": ((), model.config.units),
    }


WINDOW = pic.Picture(
    "window",
    pic.Columns(
        pic.Rows("step"),
        (
            pic.Words("Word", "{word:token}", 1.2),
            pic.Strip("Its vector", "window", "dim", "number", (("h", "h"),), wide=4),
            pic.Column("Share", "share", wide=2),
        ),
    ),
    "What the net sees",
    "What the net sees at “{token}”",
    "The vectors of the words in the window stand side by side: x. Below them the hidden layer, h = tanh(H x + d), of"
    " which the next word is computed. A bar is how much of the lengths of what all places add to H x a place adds.",
    (
        "“{word:token}” in place {step}: it adds a vector of length {push} to the sums of the {units:n} units,"
        " {share:%} of all lengths together.",
        "The net sees “{seen}”[; {out:n} {out|token|tokens} before that {out|is|are} out of its sight]. Likeliest next:"
        " “{top}”, {top.p:%}.",
        "Type something.",
    ),
    parts={"seen": pic.Series("step", "{word:token}", " ")},
    table=pic.table(
        "step",
        "place: {step} | word: {word:token} | length of what it adds: {push} | share: {share:%}",
    ),
    saves=pic.Saves(("window",), ("token",), "heatmap"),
)
PICTURES = pic.Live(
    ("window",),
    (WINDOW,),
    name_steps,
    derive,
    also=("hidden",),
    derives=FeedForward,
    shades={"number": FieldSpec("number", Kind.STATE, (), "", domain=(-1, 1))},
    places={"step": pic.Place("place", first=-1)},
    listed=FEW,
    most=SHOWN,
)


def stage(run: Run) -> Stage:
    """Beside the run others that cut a text into the same tokens."""
    runs, titles = {"net": run}, {"net": "window net"}
    for n, (other, title) in enumerate(beside.choose(run), 1):
        runs[f"m{n}"], titles[f"m{n}"] = other, title
    made = declared.stage(replace(PICTURES, called=titles.__getitem__), runs, "net")
    tops = Panel(
        "tops", "tops", "What comes next", options={"most": FEW}, figure=shortlists(titles, FEW)
    )
    return replace(made, panels=(*made.panels, tops), longest=LONGEST)


LIVE = stage
