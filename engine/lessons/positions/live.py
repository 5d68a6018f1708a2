"""The live part of the lesson on positions: what the places of the typed tokens say, and where the heads look.

Shapes    T = tokens
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from engine.core.trace import Trace
from engine.frame import picture as pic
from engine.language.message import _
from engine.lessons.positions import encodings
from engine.live import cache, declared
from engine.live.stage import Stage
from engine.models.transformer import Transformer
from engine.runs.store import Run

READER = "transformer"


def once(model: Transformer) -> pic.Once:
    sizes = {"layer": model.config.layers, "head": model.config.heads}
    labels = {axis: [str(n + 1) for n in range(size)] for axis, size in sizes.items()}
    return pic.Once(labels, {"head": [_("head {label}", label=label) for label in labels["head"]]})


def derive(model: Transformer, trace: Trace, asks: Mapping[str, object]) -> pic.Derived:
    """What the places say of each pair, over the layers and heads where these differ; a run may begin behind
    the start of a long text."""
    values = encodings.place(model, trace)
    axes = ("layer", "head", "token", "key")
    one = tuple(a for a in range(2) if values.shape[a] == 1)
    count = len(trace.tokens)
    begin = max(0, trace.offset + count - (model.context or count))
    return {
        "place": ([axis for a, axis in enumerate(axes) if a not in one], values.squeeze(one) + 0.0),
        "at": (("token",), np.arange(count) + trace.offset - begin),
        "before": (("token",), np.maximum(np.arange(count) - 1, 0)),
        "most": (axes[:3], trace.field("attention").values.argmax(-1)),
    }


def curve(model: Transformer) -> pic.Picture:
    """What the places alone say, a line for each head where these differ."""
    told, apart = model.tower.position, model.tower.position.biases()
    return pic.Picture(
        "places",
        pic.Over(
            (pic.Line("place", dots=2, each="head" if apart else ""),),
            across="key",
            scale="number",
            widest=74,
        ),
        "The positions alone",
        "What the places alone say, seen from “{token}” at place {at:n}",
        _("{about} Drawn: {says}", about=_(told.about), says=_(told.says)),
        (
            "“{token}” at place {at:n}, “{key}” at place {at[token=#key]:n}: layer {layer}, {each}."
            if apart
            else "“{token}” at place {at:n}, “{key}” at place {at[token=#key]:n}: {place}.",
            "Type a few words: their positions are shown here.",
        ),
        parts={"each": pic.Series("head", "head {head} {place}", ", ")},
        table=pic.table(
            "key head", "token: {key} | place: {at[token=#key]:n} | head: {head} | value: {place}"
        )
        if apart
        else pic.table("key", "token: {key} | place: {at[token=#key]:n} | value: {place}"),
    )


def clocks(model: Transformer) -> dict[str, Any]:
    return {"speeds": model.tower.position.speeds().tolist(), "stretch": model.tower.stretch}


CLOCKS = pic.Picture("clocks", pic.Drawn("clocks", clocks), "The clocks behind the places")
WALL = pic.Picture(
    "wall",
    pic.Multiples(("layer", "head"), "attention", "token", "key", legend="attention weight"),
    "Where the heads look, with these positions",
    says="A row is a token that looks, a column a token looked at; over each layer and head. Compare the kinds of"
    " positions: which heads look nearby, which look far? Click one to open it.",
    tell=(
        "Open is layer {layer}, head {head}: from “{token}” most, {attention[key=most]:%}, goes to “{most:key}”.",
        "Type a few words.",
    ),
    side="left",
    table=pic.table("layer head", "layer: {layer} | head: {head} | looks most at: {most:key}"),
    saves=pic.Saves(("attention",), view="multiples"),
)
OPEN = pic.Picture(
    "open",
    pic.Matrix("attention", "token", "key", "attention weight", frame=("#token", "#key")),
    "Opened head",
    "Layer {layer}, head {head}",
    tell=("“{token}” puts {attention:%} of its weight on “{key}”.", "Type a few words."),
    side="right",
    table=pic.table("key", "looks: {token} | looked at: {key} | weight: {attention:%}"),
    saves=pic.Saves(("attention",), ("layer", "head"), "heatmap"),
)
PICTURES = pic.Live(
    ("attention",),
    (CLOCKS, WALL, OPEN),
    once,
    derive,
    also=("embedding.position", "query"),
    places={
        "layer": pic.Place("layer"),
        "head": pic.Place("head"),
        "key": pic.Place("other", "before"),
    },
    vertical="head",
    top="",
    words=False,
    most=240,
)


def stage(shown: Mapping[str, Run], positions: str = "") -> Stage:
    """`positions`: the id of the run, as it was chosen."""
    run = shown[READER]
    model = cache.model(run, Transformer)
    turning = (CLOCKS,) if model.tower.position.turning else ()
    live = replace(PICTURES, pictures=(curve(model), *turning, WALL, OPEN))
    return declared.stage(live, run, READER)


LIVE = stage
