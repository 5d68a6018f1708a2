"""The live part of the lesson on attention: one head as a soft lookup, its matrices, every cell opened to its sum."""

from __future__ import annotations

import base64
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from engine.analysis.qkv.projection import Projection, projection
from engine.core.cache import remembered
from engine.core.round_numbers import reach, round_up
from engine.core.trace import Field, FieldSpec, Kind, Trace
from engine.frame import picture as pic
from engine.live import cache, declared
from engine.live.drawing import Drawing, Look, Traces
from engine.live.reader import Reader, describe_field
from engine.live.reply import Extra, Reading, Sent
from engine.live.request import Request
from engine.live.shown import Shown
from engine.live.stage import Panel, Stage, standard
from engine.models.abilities import Attends, able
from engine.nn.positions.scaling import Scaling
from engine.runs.store import Run

READER = "transformer"
FIELDS = (
    "embedding.token",
    "embedding.position",
    "residual.before",
    "attention.norm.mean",
    "attention.norm.deviation",
    "query",
    "key",
    "value",
    "score",
    "attention",
    "reading",
)
WITHIN = 0.97  # share of the numbers that a colour scale must hold
MOST = 300  # characters shown: more tokens than this have no room for their cells
SAMPLE = "The king spoke to the queen, and she said nothing at all before the end of the day."
SHOWN = {
    "input": "residual.before",
    "product": "score",
    "scaled": "score",
    "masked": "score",
    "weighted": "value",
}


MOST_OF = FieldSpec("most", Kind.STATE, ("query",), "The key of the largest weight.")
HARD = FieldSpec("hard", Kind.ATTENTION, ("query", "key"), "All weight on that key.")
SOFT = pic.Picture(
    "soft",
    pic.Columns(
        pic.Rows("key", 16, "attention"),
        (
            pic.Column("Score q · k / √d", "score", colour="line-1", group="score"),
            pic.Column("Hard lookup", "hard", colour="line-7"),
            pic.Column("Soft lookup", "attention"),
        ),
    ),
    "A soft lookup: one query, every key",
    "What “{token}” looks up: one query, every key",
    "A dictionary finds one key, or none. A head reads the values of all keys at once, each as much as the softmax of"
    " its score says: the best match leads, and no key that may be seen has a weight of 0.",
    (
        "“{token}”: hard, the best key takes all, “{most:key}”. Soft, “{key}” has the score {score} and"
        " {attention:%} of the weight.",
        "Type something: each token asks for others.",
    ),
    table=pic.table("key", "key: {key} | score: {score} | hard: {hard} | soft: {attention}"),
    saves=pic.Saves(("attention",)),
)
SOFTLY = pic.Live((), (SOFT,), places={"key": pic.Place("other", "most")})


@dataclass(frozen=True, slots=True)
class OneHead:
    """What is sent: the numbers of one layer and head only, the one asked for, else the one that a
    link or the page begins with."""

    first: tuple[int, int]
    sizes: tuple[int, int]  # layers, heads
    readers: tuple[Reader, ...]  # for each layer the one who reads no further

    def read(self, shown: Shown, request: Request) -> Reading:
        at = self.at(request)
        shown = replace(shown, reader=self.readers[at[0]])
        other = "at_before" in request.asks and request.asks.pair("at_before") != at
        if other:  # nothing of the head on the screen stays
            shown = shown.after(None)
        found = standard(shown, request)
        said: dict[str, Any] = {"at": at}
        if shown.before is None:
            model = able(shown.reader.model, Attends)
            said["weights"] = packed(projection(model, *at))
            said["reach"] = domains(model, *at)
        fields = [replace(sent, field=cut(sent.field, *at, self.sizes[1])) for sent in found.fields]
        more = (
            hard for sent in fields if sent.field.spec.name == "attention" for hard in taken(sent)
        )
        return Reading(found.part, (*fields, *more)).add(Extra(said))

    def at(self, request: Request) -> tuple[int, int]:
        asked, link = request.asks.pair("at"), request.link
        names = zip(("layer", "head"), self.first, strict=True)
        pair = asked or [link.whole(n) if n in link else x for n, x in names]
        layer, head = (n or 0 for n in pair)
        return max(0, min(layer, self.sizes[0] - 1)), max(0, min(head, self.sizes[1] - 1))


def taken(sent: Sent) -> tuple[Sent, Sent]:
    """What a hard lookup would take: for each token the key of the largest weight, and that as weights."""
    field = sent.field
    most_T = field.values.argmax(1)
    made = Field(MOST_OF, most_T.astype(np.float32), field.axes[:1])
    return replace(sent, field=made), replace(
        sent, field=Field(HARD, np.eye(field.values.shape[1], dtype=np.float32)[most_T], field.axes)
    )


def cut(field: Field, layer: int, head: int, heads: int) -> Field:
    """The numbers of one layer and head; where heads share keys and values, of its group."""
    place = {"layer": layer, "head": head}
    if "head" in field.axis_names:
        place["head"] = head * len(field.axis("head")) // heads
    return field.pick(**{name: n for name, n in place.items() if name in field.axis_names})


def packed(found: Projection | None) -> dict[str, Any] | None:
    """The matrices of a head in one piece of base64, as assets/live/sums/onehead.js reads them."""
    if found is None:
        return None
    numbers = np.concatenate([part.ravel() for part in found.parts()]).astype("<f4").tobytes()
    return {"dim": found.dim, "width": found.width, "numbers": base64.b64encode(numbers).decode()}


@remembered(12)
def _sample(model: Attends[Any]) -> Trace:
    return model.trace(SAMPLE, fields=FIELDS)


@remembered(256)
def domains(model: Attends[Any], layer: int, head: int) -> dict[str, float]:
    """How far the colour scale of each picture reaches, on both sides of 0, wide enough for most
    numbers of this head."""
    trace = _sample(model)
    names = {
        "input": "residual.before",
        "query": "query",
        "key": "key",
        "value": "value",
        "reading": "value",
        "scaled": "score",
        "masked": "score",
    }
    far = {
        stage: reach(cut(trace.field(name), layer, head, model.tower.design.heads).values, WITHIN)
        for stage, name in names.items()
    }
    return {**far, "product": round_up(far["scaled"] / model.tower.block(layer).attention.scale)}


def opened(traces: Traces, look: Look) -> Drawing:
    """The matrix that the opened cell belongs to, of this layer and head."""
    name = str(look.get("field", "attention"))
    name = SHOWN.get(name, name if name in ("query", "key", "value", "reading") else "attention")
    trace: Trace = traces[READER]
    sizes = {axis.name: len(axis) for axis in trace.field(name).axes}
    picks: dict[str, int] = {
        axis: max(0, min(int(look.get(axis, 0)), sizes[axis] - 1))
        for axis in ("layer", "head")
        if axis in sizes
    }
    return Drawing(READER, "heatmap", trace, (name,), picks)


def stage(run: Run) -> Stage:
    model = cache.model(run, Attends)
    design, part = model.tower.design, model.tower.block(0).attention
    if design.kernel != "softmax":
        raise ValueError("This page shows softmax attention, but this run uses another kind")
    head = {
        "layers": design.layers,
        "heads": design.heads,
        "dim": part.dim,
        "factor": part.scale,
        "turn": (
            {
                "speeds": model.tower.position.speeds().tolist(),
                "stretch": model.tower.stretch,
                "gain": scaling.gain if (scaling := Scaling.read(design.scaling)) else 1.0,
            }
            if design.position == "rope"
            else None
        ),
        "norm": design.norm if design.first else "",
        "epsilon": design.epsilon,
        "normed": design.query_norm,
    }
    specs = {spec.name: spec for spec in model.spec() if isinstance(spec, FieldSpec)}
    fields = {name: describe_field(specs[name]) for name in FIELDS} | {
        stage: describe_field(specs[name]) for stage, name in SHOWN.items()
    }
    more = {**declared.told(SOFTLY, pic.Once({})), "fields": fields, "head": head}
    reader = Reader(READER, run.title, model, run.id, "tokens", FIELDS, top="", more=more)
    panels = (
        declared.panel(SOFT, READER, model),
        Panel("chain", "attend", "One head, step by step", "", {"column": "left"}, opened),
        Panel("working", "working", "One cell and its sum", "", {"column": "right"}),
    )
    look = {"layer": 0, "head": 0, **run.note.get("look", {}), "field": "attention"}
    vertical = {"name": "head", "size": design.heads}
    readers = tuple(replace(reader, layers=layer + 1) for layer in range(design.layers))
    sends = OneHead((look["layer"], look["head"]), (design.layers, design.heads), readers)
    return Stage(
        ((reader, run),),
        panels,
        most=MOST,
        selection=look,
        vertical=vertical,
        columns=(13, 6),
        read=sends.read,
    )


LIVE = stage
