"""The live part of the lesson on attention: one head as a soft lookup, its matrices, every cell opened to its sum.

Shapes    T = tokens, d = width of the head
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from engine.analysis.qkv.attend import softmax
from engine.core.cache import remembered
from engine.core.round_numbers import reach, round_up
from engine.core.trace import Field, FieldSpec, Kind, Trace
from engine.frame import picture as pic
from engine.live import cache, declared
from engine.live.drawing import picked
from engine.live.reader import Reader
from engine.live.reply import Extra, Reading, Sent
from engine.live.request import Request
from engine.live.shown import Shown
from engine.live.stage import Panel, Stage, standard
from engine.models.abilities import Attends, able
from engine.runs.store import Run

READER = "transformer"
FIELDS = ("residual.before", "query", "key", "value", "score", "attention", "reading")
WITHIN = 0.97  # share of the numbers that a colour scale must hold
MOST = 300  # characters shown: more tokens than this have no room for their cells
SAMPLE = "The king spoke to the queen, and she said nothing at all before the end of the day."
OWN = "scale.mask"  # as the model does it
WAYS = (
    (OWN, "as the model does it"),
    ("mask", "not divided by √d"),
    ("scale", "no mask"),
    ("column", "softmax over columns"),
)


def _made(name: str, says: str, *axes: str, kind: Kind = Kind.SCORE) -> FieldSpec:
    return FieldSpec(name, kind, axes or ("query", "key"), says)


MOST_OF = _made("most", "The key of the largest weight.", "query", kind=Kind.STATE)
HARD = _made("hard", "All weight on that key.", kind=Kind.ATTENTION)
MADE = (
    _made("product", "Every query times every key."),
    _made("scaled", "Divided by the root of the width."),
    _made("masked", "What may be seen."),
)
SOFT = pic.Picture(
    "soft",
    pic.Columns(
        pic.Rows("key", 16, "attention"),
        (
            pic.Column("Score q · k / √d", "masked", colour="line-1", group="score"),
            pic.Column("Hard lookup", "hard", colour="line-7"),
            pic.Column("Soft lookup", "attention"),
        ),
    ),
    "A soft lookup: one query, every key",
    "What “{token}” looks up: one query, every key",
    "A dictionary finds one key, or none. A head reads the values of all keys at once, each as much as the softmax of"
    " its score says: the best match leads, and no key that may be seen has a weight of 0.",
    (
        "“{token}”: hard, the best key takes all, “{most:key}”. Soft, “{key}” has the score {masked} and"
        " {attention:%} of the weight.",
        "Type something: each token asks for others.",
    ),
    controls=(
        pic.Pick("layer", label="layer", asks=True),
        pic.Pick("head", label="head", asks=True),
        pic.Choice("with", WAYS, OWN, asks=True),
    ),
    table=pic.table("key", "key: {key} | score: {masked} | hard: {hard} | soft: {attention}"),
    saves=pic.Saves(("attention",), ("layer", "head")),
)
PLACES = {"key": pic.Place("other", "most")} | {n: pic.Place(n) for n in ("layer", "head")}
SOFTLY = pic.Live((), (SOFT,), places=PLACES)


@dataclass(frozen=True, slots=True)
class OneHead:
    """What is sent: the numbers of one layer and head only, the one asked for, else the one that a
    link or the page begins with."""

    first: tuple[int, int]
    sizes: tuple[int, int]  # layers, heads
    readers: tuple[Reader, ...]  # for each layer the one who reads no further

    def read(self, shown: Shown, request: Request) -> Reading:
        at = layer, head, _ = self.at(request)
        shown = replace(shown, reader=self.readers[layer])
        if request.asks.get("before") not in (None, [*at]):
            shown = shown.after(None)  # nothing of the head on the screen stays
        found, model = standard(shown, request), able(shown.reader.model, Attends)
        said: dict[str, Any] = {"at": at}
        if shown.before is None:
            said["reach"] = domains(model, layer, head)
        sent = [replace(s, field=cut(s.field, layer, head, self.sizes[1])) for s in found.fields]
        return Reading(found.part, tuple(steps(sent, model, at))).add(Extra(said))

    def at(self, request: Request) -> tuple[int, int, str]:
        """Layer, head, and what is changed in it."""
        wished = request.link | request.asks
        layer, head = (
            max(0, min(first if (place := wished.whole(name)) is None else place, size - 1))
            for name, first, size in zip(("layer", "head"), self.first, self.sizes, strict=True)
        )
        how = wished.words("with")
        return layer, head, how if how in dict(WAYS) else OWN


def steps(sent: list[Sent], model: Attends[Any], at: tuple[int, int, str]) -> list[Sent]:
    """What is sent of a head, with the steps between its queries and its weights, and what a hard lookup
    would take; from the one that is changed on they are computed here."""
    of = {one.field.spec.name: one for one in sent}
    if not of:
        return sent
    q, k, v, score, own = (of[name].field.values for name in FIELDS[1:-1])
    part = model.tower.block(at[0]).attention
    product, seen = q @ k.T, np.isfinite(score)
    every = product * (1.0 if at[2] == "mask" else part.scale)
    every = part.cap * np.tanh(every / part.cap) if part.cap else every
    scaled = every if part.cap or at[2] == "mask" else np.where(seen, score, every)
    masked = scaled if at[2] == "scale" else np.where(seen, scaled, -np.inf)
    weight = own if at[2] == OWN else softmax(masked, 0 if at[2] == "column" else 1)
    most_T = weight.argmax(1)
    made = dict(zip(MADE, (product, scaled, masked), strict=True)) | {
        MOST_OF: most_T,
        HARD: np.eye(len(weight))[most_T],
    }
    later = of.pop("score")
    if at[2] != OWN:
        for name, values in (("attention", weight), ("reading", weight @ v)):
            field = of[name].field
            of[name] = replace(of[name], field=Field(field.spec, values, field.axes), skip=0)
    return [
        *of.values(),
        *(
            replace(
                later,
                field=Field(spec, values.astype(np.float32), later.field.axes[: values.ndim]),
                skip=0,
            )
            for spec, values in made.items()
        ),
    ]


def cut(field: Field, layer: int, head: int, heads: int) -> Field:
    """The numbers of one layer and head; where heads share keys and values, of its group."""
    place = {"layer": layer, "head": head}
    if "head" in field.axis_names:
        place["head"] = head * len(field.axis("head")) // heads
    return field.pick(**{name: n for name, n in place.items() if name in field.axis_names})


@remembered(12)
def _sample(model: Attends[Any]) -> Trace:
    return model.trace(SAMPLE, fields=FIELDS)


@remembered(256)
def domains(model: Attends[Any], layer: int, head: int) -> dict[str, float]:
    """How far the colour scale of each field reaches, on both sides of 0, wide enough for most
    numbers of this head."""
    trace, heads = _sample(model), model.tower.design.heads
    far = {
        name: reach(cut(trace.field(of), layer, head, heads).values, WITHIN)
        for name, of in (("masked", "score"), ("reading", "value"), *zip(FIELDS[:4], FIELDS[:4]))
    }
    product = round_up(far["masked"] / model.tower.block(layer).attention.scale)
    return {**far, "scaled": far["masked"], "product": product}


def stage(run: Run) -> Stage:
    model = cache.model(run, Attends)
    design, part = model.tower.design, model.tower.block(0).attention
    if design.kernel != "softmax":
        raise ValueError("This page shows softmax attention, but this run uses another kind")
    layers, heads = ([str(n + 1) for n in range(of)] for of in (design.layers, design.heads))
    more = {
        **declared.pack_once(SOFTLY, pic.Once({"layer": layers, "head": heads})),
        "head": {"dim": part.dim, "factor": part.scale, "cap": part.cap},
    }
    reader = Reader(
        READER,
        run.title,
        model,
        run.id,
        "tokens",
        FIELDS,
        top="",
        more=more,
        derived=(MOST_OF, HARD, *MADE),
    )
    saved = picked(READER, "heatmap", ("attention",), ("layer", "head"))
    panels = (
        declared.panel(SOFT, READER, model),
        Panel("chain", "attend", "One head, step by step", "", {"column": "left"}, saved),
        Panel("working", "working", "One cell and its sum", "", {"column": "right"}),
    )
    look = {"layer": 0, "head": 0, **run.note.get("look", {}), "field": "attention"}
    readers = tuple(replace(reader, layers=layer + 1) for layer in range(design.layers))
    sends = OneHead((look["layer"], look["head"]), (design.layers, design.heads), readers)
    return Stage(
        ((reader, run),),
        panels,
        most=MOST,
        selection=look,
        vertical={"name": "head", "size": design.heads},
        columns=(13, 6),
        read=sends.read,
    )


LIVE = stage
