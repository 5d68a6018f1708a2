"""Attention step by step: what is sent of the one head that is looked at, and its panels."""

from __future__ import annotations

import base64
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import streamlit as st

from engine import reading
from engine.qkv.projection import Projection, projection
from engine.reading import Reader, describe_field
from engine.runs import Run
from engine.trace import Field, FieldSpec, Trace
from pages.ui import cache
from pages.ui.address import selection_from_address
from pages.ui.drawing import Drawing, Look, Traces
from pages.ui.stage import Panel, Stage

READER = "transformer"
FIELDS = (
    "embedding.token", "embedding.position", "residual.before", "attention.norm.mean", "attention.norm.deviation",
    "query", "key", "value", "score", "attention", "reading",
)  # fmt: skip
MOST = 300  # characters shown: more tokens than this have no room for their cells
SAMPLE = "The king spoke to the queen, and she said nothing at all before the end of the day."
SHOWN = {"input": "residual.before", "product": "score", "scaled": "score", "masked": "score", "weighted": "value"}

Base = tuple[str, int | None] | None


@dataclass(frozen=True, slots=True)
class OneHead(Stage):
    """A stage that sends the numbers of one layer and head only: the one in the message, else the one in the address."""

    sizes: tuple[int, int] = (1, 1)  # layers, heads

    def answers(self, text: str, start: int | None, base: Base, ask: Mapping[str, Any]) -> tuple[list[Any], reading.Window]:
        at = self.at(ask)
        fresh = base is None or ask.get("at_before", list(at)) != list(at)
        parts, characters = Stage.answers(self, text, start, None if fresh else base, {})
        header, fields = parts[0]
        header["said"] = {"at": at}
        reader, run = self.readers[0]
        if fresh:
            header["said"] |= {"weights": packed(projection(reader.model, *at)), "reach": domains(run, reader.model, *at)}
        return [(header, [(cut(field, *at, self.sizes[1]), keep) for field, keep in fields])], characters

    def at(self, ask: Mapping[str, Any]) -> tuple[int, int]:
        first = {**self.selection, **selection_from_address(), **ask.get("selection", {})}
        asked = ask.get("at")
        pair = asked if isinstance(asked, list) and len(asked) == 2 else (first["layer"], first["head"])
        layer, head = (n if isinstance(n, int) else 0 for n in pair)
        return max(0, min(layer, self.sizes[0] - 1)), max(0, min(head, self.sizes[1] - 1))


def cut(field: Field, layer: int, head: int, heads: int) -> Field:
    """The numbers of one layer and head; where heads share keys and values, of its group."""
    place = {"layer": layer, "head": head}
    if "head" in field.axis_names:
        place["head"] = head * len(field.axis("head")) // heads
    return field.pick(**{name: n for name, n in place.items() if name in field.axis_names})


def packed(found: Projection | None) -> dict[str, Any] | None:
    """The matrices of a head in one piece of base64, as assets/live/onehead.js reads them."""
    if found is None:
        return None
    numbers = np.concatenate([part.ravel() for part in found.parts()]).astype("<f4").tobytes()
    return {"dim": found.dim, "width": found.width, "numbers": base64.b64encode(numbers).decode()}


@st.cache_resource(max_entries=12, show_spinner=False)
def _sample(folder: str, recipe: str, _model: Any) -> Trace:
    found: Trace = _model.trace(SAMPLE, fields=FIELDS)
    return found


def domains(run: Run, model: Any, layer: int, head: int) -> dict[str, float]:
    """How far the colour scale of each picture reaches, on both sides of 0, wide enough for most numbers of this head."""
    trace = _sample(str(run.folder), str(run.note.get("recipe")), model)
    names = {"input": "residual.before", "query": "query", "key": "key", "value": "value", "reading": "value", "scaled": "score", "masked": "score"}
    far = {stage: reach(cut(trace.field(name), layer, head, model.net.tower.design.heads).values) for stage, name in names.items()}
    return {**far, "product": tidy(far["scaled"] / model.net.tower.blocks[layer].attention.scale)}


def reach(values: np.ndarray) -> float:
    """What 97 % of the numbers keep within, made round."""
    return tidy(float(np.quantile(np.abs(values[np.isfinite(values)]), 0.97)))


def tidy(most: float) -> float:
    """1, 2 or 5 times a power of ten, at least `most`."""
    step = 10.0 ** math.floor(math.log10(max(most, 1e-3)))
    return step * min(n for n in (1, 2, 5, 10) if n * step >= most * 0.999)


def opened(traces: Traces, look: Look) -> Drawing:
    """The matrix that the opened cell belongs to, of this layer and head."""
    name = str(look.get("field", "attention"))
    name = SHOWN.get(name, name if name in ("query", "key", "value", "reading") else "attention")
    trace: Trace = traces[READER]
    sizes = {axis.name: len(axis) for axis in trace.field(name).axes}
    picks = {axis: max(0, min(int(look.get(axis, 0)), sizes[axis] - 1)) for axis in ("layer", "head") if axis in sizes}
    return Drawing(READER, "heatmap", trace, (name,), picks)


def stage(run: Run) -> OneHead:
    model = cache.model(run)
    design, part = model.net.tower.design, model.net.tower.blocks[0].attention
    if design.kernel != "softmax":
        raise ValueError("This page shows softmax attention, and this run has another kind")
    head = {
        "layers": design.layers, "heads": design.heads, "dim": part.dim, "factor": part.scale,
        "turn": {"base": design.base, "stretch": model.net.tower.stretch} if design.position == "rope" else None,
        "norm": design.norm if design.first else "", "epsilon": design.epsilon,
    }  # fmt: skip
    specs = {spec.name: spec for spec in model.spec() if isinstance(spec, FieldSpec)}
    fields = {name: describe_field(specs[name]) for name in FIELDS} | {stage: describe_field(specs[name]) for stage, name in SHOWN.items()}
    reader = Reader(READER, run.title, model, run.id, "tokens", FIELDS, top="", more={"fields": fields, "head": head})
    panels = (
        Panel("chain", "attend", "One head, step by step", "", {"column": "left"}, opened),
        Panel("working", "working", "One cell and its sum", "", {"column": "right"}),
    )
    look = {"layer": 0, "head": 0, **run.note.get("look", {}), "field": "attention"}
    vertical = {"name": "head", "size": design.heads}
    return OneHead(((reader, run),), panels, most=MOST, selection=look, vertical=vertical, columns=(13, 6), sizes=(design.layers, design.heads))
