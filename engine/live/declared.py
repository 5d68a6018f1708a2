"""Declared: the stage of a page whose live part is declared (engine/frame/picture.py)."""

from __future__ import annotations

import base64
from collections import defaultdict
from functools import partial
from typing import Any

import numpy as np

from engine.core.trace import FieldSpec
from engine.frame.picture import Drawn, Live, Once, Pick, Picture, plain
from engine.live import cache
from engine.live.drawing import picked
from engine.live.reader import Reader, describe_field
from engine.live.reply import Reading, Together
from engine.live.request import Request
from engine.live.shown import Shown
from engine.live.stage import Panel, Stage, standard
from engine.models.abilities import able
from engine.models.base import Model
from engine.runs.store import Run


def stage(live: Live, run: Run, id: str) -> Stage:
    """`id` of the reader.  ValueError, with a sentence for the reader, for a run that is damaged."""
    model = cache.model(run)
    once = live.once(model)
    reader = Reader(
        id,
        run.title,
        model,
        run.id,
        live.unit(model),
        live.sends,
        live.top,
        live.listed,
        also=live.also,
        more=told(live, once),
    )
    place = live.places.get(live.vertical)
    size = len(once.labels.get(live.vertical, ()))
    return Stage(
        ((reader, run),),
        tuple(_panel(picture, id, model) for picture in live.pictures),
        most=live.most,
        vertical={"name": place.name, "size": size} if place else None,
        read=partial(_read, live, asked(live)),
    )


def _panel(picture: Picture, reader: str, model: Model[Any]) -> Panel:
    drawing, saves = picture.drawing, picture.saves
    options: dict[str, Any] = {"reader": reader}
    if picture.side:
        options["column"] = picture.side
    if isinstance(drawing, Drawn):
        kind = drawing.kind
        options |= drawing.options(model)
    else:
        kind = f"grammar/{drawing.kind}"
        said = plain(picture)
        options |= {
            name: said[name]
            for name in ("drawing", "controls", "parts", "table", "alt", "tell")
            if name in said
        }
        options |= {"titles": said.get("title", []), "how": said.get("says", [])}
    figure = picked(reader, saves.view, saves.fields, saves.at, **saves.options) if saves else None
    says = picture.says if isinstance(picture.says, str) else ""
    return Panel(picture.id, kind, picture.blank, says, options, figure)


def told(live: Live, once: Once) -> dict[str, Any]:
    """What the browser has to know of the model once."""
    return {
        "labels": {axis: list(labels) for axis, labels in once.labels.items()},
        "called": {axis: list(labels) for axis, labels in once.called.items()},
        "places": plain(live.places),
        "tables": {spec.name: _table(spec, values) for spec, values in once.tables},
        "lists": {name: [*lists] for name, lists in once.lists.items()},
    }


def _table(spec: FieldSpec, values: np.ndarray) -> dict[str, Any]:
    data = np.ascontiguousarray(values, "<f4")
    return {
        "axes": spec.axes,
        "shape": data.shape,
        "data": base64.b64encode(data.tobytes()).decode(),
        "scale": describe_field(spec)["scale"],
    }


def _read(live: Live, names: tuple[str, ...], shown: Shown, request: Request) -> Reading:
    """The reader's part of a reply.  What is derived depends on what is asked, too, of which the browser's
    last text says nothing: it is sent whole, in every reply."""
    found = standard(shown, request)
    if live.derive is None:
        return found
    trace = cache.trace_of(shown)
    if not len(trace):
        return found
    asks = {name: request.look.get(name) for name in names}
    made = live.derive(able(shown.reader.model, Model), trace, asks)
    scalars, groups = dict[str, float](), defaultdict[Any, dict[str, Any]](dict)
    for name, (axes, values) in made.items():
        if axes:
            groups[tuple(axes), values.shape][name] = values
        else:
            scalars[name] = float(values)
    sent = (Together([*of], axes, np.stack([*of.values()])) for (axes, _), of in groups.items())
    part = found.part.copy()
    part["said"] = {**part.get("said", {}), "numbers": scalars}
    return Reading(part, found.fields, tuple(sent))


def asked(live: Live) -> tuple[str, ...]:
    """The names that `derive` reads."""
    bends = (getattr(picture.drawing, "bends", None) for picture in live.pictures)
    controls = (one for picture in live.pictures for one in picture.controls)
    return (
        *(one.name for one in bends if one),
        *(one.name for one in controls if isinstance(one, Pick) and one.asks),
    )
