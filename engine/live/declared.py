"""Declared: the stage of a page whose live part is declared (engine/frame/picture.py)."""

from __future__ import annotations

import base64
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any
from weakref import ref

import numpy as np

from engine.core.trace import FieldSpec, Trace
from engine.frame.picture import (
    Amount,
    Choice,
    Derive,
    Derived,
    Drawn,
    Live,
    Once,
    Pick,
    Picture,
    plain,
)
from engine.live import cache
from engine.live.drawing import Drawing, Each, picked
from engine.live.reader import Reader, describe_field
from engine.live.reply import Reading, ReadingPart, Together
from engine.live.request import Request
from engine.live.shown import Shown
from engine.live.stage import Panel, Stage, of_trace, standard
from engine.live.window import Window
from engine.models.abilities import able
from engine.models.base import Model
from engine.runs.store import Run


def stage(live: Live, of: Run | Mapping[str, Run], id: str, **_chosen: object) -> Stage:
    """Of one run, whose reader has that id, or of several by what the lesson calls them: what is chosen in the head
    of a page has chosen these.  ValueError, with a sentence for the reader, for a run that is damaged."""
    runs = {id: of} if isinstance(of, Run) else of
    readers = tuple(
        (_reader(live, name, run, n if len(runs) > 1 else 0), run)
        for n, (name, run) in enumerate(runs.items())
    )
    first = readers[0][0]
    model, titles = able(first.model, Model), {reader.id: reader.title for reader, _run in readers}
    place = live.places.get(live.vertical)
    size = len(live.once(model).labels.get(live.vertical, ()))
    return Stage(
        readers,
        tuple(panel(picture, first.id, model, titles) for picture in live.pictures),
        most=live.most,
        vertical={"name": place.name, "size": size} if place else None,
        read=_Deriving(live, live.derive, first) if live.derive else standard,
    )


def _reader(live: Live, id: str, run: Run, colour: int) -> Reader:
    model = cache.model(run)
    promised = {spec.name for spec in model.spec()}
    return Reader(
        id,
        live.called(id) if live.called else run.title,
        model,
        run.id,
        live.unit(model),
        tuple(name for name in live.sends if name in promised),
        live.top,
        live.listed,
        colour,
        also=tuple(name for name in live.also if name in promised),
        more=pack_once(live, live.once(model)),
    )


Reads = Callable[[str, Window, Mapping[str, object]], tuple[ReadingPart, Derived]]


def unread(
    live: Live,
    reader: Mapping[str, Any],
    read: Reads,
    bounds: Callable[[str, Window], Window] | None = None,
) -> Stage:
    """Of a text that no model reads: `read` makes of it, of the characters shown and of what is chosen its
    tokens, and what is derived.  `reader` is what `describe_unread` says of them."""

    def answer(text: str, characters: Window, request: Request) -> list[Reading]:
        part, derived = read(text, characters, request.look)
        numbers, groups = _grouped(derived, ())
        part["said"] = {**part["said"], "numbers": numbers}
        return [Reading(part, (), tuple(_fresh(groups, {})) if part["labels"] else ())]

    return Stage(
        (),
        tuple(panel(picture, reader["id"], None) for picture in live.pictures),
        most=live.most,
        unread=answer,
        bounds=bounds,
        drawn=lambda text, characters: {},
        described=({**reader, **pack_once(live, live.once(None))},),
    )


def panel(
    picture: Picture, reader: str, model: Model[Any] | None, titles: Mapping[str, str] | None = None
) -> Panel:
    """As one panel of a stage, whose reader knows what `pack_once` says; `titles` of all its readers."""
    drawing, saves = picture.drawing, picture.saves
    options: dict[str, Any] = {"reader": reader}
    says = picture.says if isinstance(picture.says, str) else ""
    if picture.side:
        options["column"] = picture.side
    if picture.late:
        options["late"] = picture.late
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
        options["titles"] = said.get("title", [])
        if picture.says and (not says or "{" in says):  # a template, or one of several
            options["how"], says = said["says"], ""
    figure: Callable[..., Drawing] | None = None
    if saves and titles and len(titles) > 1 and saves.each:
        figure = Each(titles, saves.fields, saves.at)
    elif saves:
        figure = picked(reader, saves.view, saves.fields, saves.at, **saves.options)
    return Panel(picture.id, kind, picture.blank, says, options, figure)


def pack_once(live: Live, once: Once) -> dict[str, Any]:
    """What the browser has to know of the model once."""
    return {
        "labels": {axis: list(labels) for axis, labels in once.labels.items()},
        "called": {
            axis: list(names)
            for axis, names in once.called.items()
            if list(names) != list(once.labels.get(axis, ()))
        },
        "places": plain(live.places),
        "named": dict(live.named),
        "tables": {spec.name: _table(spec, values) for spec, values in once.tables},
        "lists": {name: [*lists] for name, lists in once.lists.items()},
        "shades": {name: describe_field(spec)["scale"] for name, spec in live.shades.items()},
    }


def _table(spec: FieldSpec, values: np.ndarray) -> dict[str, Any]:
    data = np.ascontiguousarray(values, "<f4")
    return {
        "axes": spec.axes,
        "shape": data.shape,
        "data": base64.b64encode(data.tobytes()).decode(),
        "scale": describe_field(spec)["scale"],
    }


def find_asks(live: Live) -> tuple[str, ...]:
    """The names that `derive` reads."""
    bends = (getattr(picture.drawing, "bends", None) for picture in live.pictures)
    controls = (one for picture in live.pictures for one in picture.controls)
    return (
        *(one.name for one in bends if one),
        *(one.name for one in controls if isinstance(one, Pick | Choice | Amount) and one.asks),
    )


Groups = Mapping[tuple[str, ...], tuple[tuple[str, ...], np.ndarray]]
"""By the names of fields of one shape: their axes, and all their numbers (fields, ...)."""


@dataclass(frozen=True, slots=True)
class _Made:
    """What was derived, of which text and trace, and of what was asked; `seq` of the last reply that has it."""

    seq: int
    text: str
    trace: ref[Trace]
    asks: Mapping[str, object]
    numbers: Mapping[str, float]
    groups: Groups


class _Deriving:
    """The reader's part of a reply, for one visitor.  What is derived depends on what is asked, too, of which
    the browser's last text says nothing: it tells the number of the reply that it came with, and where that
    is the last one, what differs from it is sent."""

    def __init__(self, live: Live, derive: Derive, reader: Reader) -> None:
        self._derive, self._names, self._words = derive, find_asks(live), live.words
        self._numbers, self._for = live.numbers, live.derives
        # of a model that reads backwards, too, all is computed with every key: its fields are sent in the same way
        specs = [spec for spec in reader.model.spec() if spec.name in reader.fields]
        along = all(isinstance(spec, FieldSpec) and spec.axes[0] == "token" for spec in specs)
        self._own = reader.fields if reader.changing and along else ()
        self._last = dict[str, _Made]()  # by reader

    def __call__(self, shown: Shown, request: Request) -> Reading:
        last = self._last.get(shown.reader.id)
        model = able(shown.reader.model, Model)
        derives = isinstance(model, self._for)
        numbers = self._numbers and derives
        trace = cache.trace_of(shown) if numbers else cache.newest_of(shown)
        found = of_trace(shown, request, trace, not self._own and not shown.unmoved)
        trace = trace if numbers else shown.outline
        if not len(trace):
            return found
        look = request.look
        asks = {name: look.get(name) for name in self._names}
        if last and last.asks == asks and (last.trace() is trace or self._alike(shown, last)):
            made = replace(last, seq=request.seq, text=shown.text, trace=ref(trace))
        else:
            own = {f.spec.name: (f.spec.axes, f.values) for f in map(trace.field, self._own)}
            derived = self._derive(model, trace, asks) if derives else {}
            made = _Made(
                request.seq,
                shown.text,
                ref(trace),
                asks,
                *_grouped({**own, **derived}, shown.reader.changing),
            )
        self._last[shown.reader.id] = made
        if not (last and last.seq and request.base and request.base.seq == last.seq):
            last = None
        if last is None or last.numbers != made.numbers:
            found.part["said"] = {"numbers": made.numbers}
        known = last.groups if last else {}
        return Reading(found.part, found.fields, tuple(_fresh(made.groups, known)))

    def _alike(self, shown: Shown, last: _Made) -> bool:
        """Whether the same is derived of what is shown: only the words of its tokens are others, if that."""
        before = shown.before
        return not self._words and before is not None and shown.unmoved and last.text == before.text


def _grouped(derived: Derived, changing: Collection[str]) -> tuple[Mapping[str, float], Groups]:
    """Numbers, and the fields of one shape together; those that later tokens change, apart."""
    numbers, of = dict[str, float](), defaultdict[Any, dict[str, Any]](dict)
    for name, (axes, values) in derived.items():
        if axes:
            of[tuple(axes), values.shape, name in changing][name] = values
        else:
            numbers[name] = float(values)
    groups = dict[tuple[str, ...], tuple[tuple[str, ...], np.ndarray]]()
    for (axes, shape, _), fields in of.items():
        groups[tuple(fields)] = axes, (together := np.empty((len(fields), *shape), "<f4"))
        for n, values in enumerate(fields.values()):
            together[n] = values
    return numbers, groups


def _fresh(groups: Groups, known: Groups) -> Iterator[Together]:
    """What the browser does not have: of fields of one shape all behind the first position where one of them
    differs from what it has."""
    for names, (axes, now) in groups.items():
        old = known[names][1] if names in known else now[:, :0]
        if old.shape[2:] != now.shape[2:]:
            old = now[:, :0]
        keep = min(now.shape[1], old.shape[1])
        same = now[:, :keep] == old[:, :keep]
        if not same.all():
            keep = int(same.all((0, *range(2, same.ndim))).argmin())
        if not keep or keep < max(now.shape[1], old.shape[1]):
            yield Together(names, axes, now[:, keep:], keep)
