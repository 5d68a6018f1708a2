"""Which picture a field of any axes gets, and the part of its numbers that the picture shows.

A view says which axes it draws (`View.keeps`); what it leaves over becomes pickers.  A picture
never holds more than a bounded part of a field, and says which part.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

import numpy as np

from engine.analysis.surgery import ALONG, LONGEST
from engine.core.registry import views
from engine.core.trace import ALONG_TEXT, Axis, Field, FieldSpec, Kind, TableSpec
from engine.language.message import _

DRAWINGS = ("wall", "grid", "lines", "bars")  # what assets/live/panels/field.js draws
LONG = 512  # positions of an axis that are sent at a time; an axis along the text is sent whole
WALL = 1_000_000  # numbers of all thumbnails together
MOST_THUMBNAILS = 256
TOP = 16
NARROW = 8  # columns of a table that is drawn before anybody asks for it
LISTED = 64  # positions of a picker that are sent with their names
VOCABULARIES = frozenset({"next", "word"})
NAMES = VOCABULARIES | {"label", "tag", "method", "language"}  # in no order: bars, not a line
LEARNED = "parameters."  # before the name of what belongs to no text
READS = ("edited", "plain", "change")
START = ".from"


@lru_cache(None)
def _drawers() -> dict[str, str]:
    """The view behind each drawing of the browser: {"grid": "heatmap", ...}."""
    found = {views.get(id).canvas: id for id in views.ids()}
    return {drawing: found[drawing] for drawing in DRAWINGS}


@lru_cache(1024)  # a look into a registry reads its folder: not with every key
def drawings(spec: FieldSpec) -> dict[str, tuple[str, ...]]:
    """The drawings that accept a field, each with the axes that it would draw."""
    kept = {drawing: views.get(id).keeps(spec) for drawing, id in _drawers().items()}
    return {drawing: axes for drawing, axes in kept.items() if axes}


def view_of(drawing: str) -> str:
    return _drawers()[drawing]


def table_view(spec: TableSpec) -> str | None:
    """The view that draws a table with these columns."""
    return next((id for id in views.ids() if views.get(id).keeps(spec) is not None), None)


def first_drawing(spec: FieldSpec) -> tuple[str, str, str]:
    """(drawing, axis down, axis across) before anybody chooses; "" where there is no such axis."""
    accepted = drawings(spec)
    if not accepted:
        return "number", "", ""
    if spec.axes[-1] in VOCABULARIES:
        return "bars", next((a for a in reversed(spec.axes) if a in ALONG), ""), spec.axes[-1]
    if "grid" not in accepted:
        return ("bars" if spec.axes[-1] in NAMES else "lines"), "", spec.axes[-1]
    down, across = accepted["grid"]
    if down in ALONG and across not in ALONG:
        down, across = across, down
    paired = down in ALONG and across in ALONG
    return ("wall" if "wall" in accepted and paired else "grid"), down, across


def first_fields(specs: tuple[FieldSpec | TableSpec, ...]) -> tuple[str, ...]:
    """What is drawn before anybody chooses: of each kind of number the most telling ones.

    Where a model says at the end what it expects, that; where it looks, where it looks, else how
    its gates stand; and the last state, which all that follows is computed from.
    """
    specs = tuple(s for s in specs if not s.name.startswith(LEARNED))
    fields = [s for s in specs if isinstance(s, FieldSpec)]
    of = {kind: [s for s in fields if s.kind is kind and s.axes] for kind in Kind}
    looks = of[Kind.ATTENTION][-1:]
    gates = [] if looks else [s for s in of[Kind.GATE] if not s.derived][:2]
    states = [s for s in of[Kind.STATE] if not s.derived and len(s.axes) > 1]
    near = [s for s in of[Kind.COSINE] if not VOCABULARIES & set(s.axes)][:1]
    chosen = [*looks, *gates, *near, *states[-1:], *of[Kind.PROBABILITY][-2:]]
    if near:  # a space of words: the vectors, not their means
        chosen = [*near, *states[:1], *of[Kind.PROBABILITY][-1:]]
    if len(chosen) < 3:
        chosen += [s for s in fields if s not in chosen and s.axes][: 3 - len(chosen)]
    tables = [s.name for s in specs if isinstance(s, TableSpec) and len(s.columns) <= NARROW][:1]
    return (*dict.fromkeys(s.name for s in chosen), *tables) or tuple(s.name for s in specs)


@dataclass(frozen=True, slots=True)
class Wish:
    """What the browser asks to see.

    ways    field -> (drawing, down, across), where others than the first are chosen
    picks   axis -> the position looked at; "AXIS.from" -> where the part of a long axis begins
    token   position in the whole text; None: the last
    """

    shows: tuple[str, ...]
    ways: Mapping[str, tuple[str, str, str]] = field(default_factory=dict)
    picks: Mapping[str, int] = field(default_factory=dict)
    token: int | None = None
    reads: str = "edited"
    edits: str = ""


def wish(asked: Mapping[str, Any], specs: tuple[FieldSpec | TableSpec, ...]) -> Wish:
    """From a selection as the address or the browser has it; what makes no sense is left out."""
    by_name = {s.name: s for s in specs}
    given = str(asked.get("shows") or "")
    shows = tuple(dict.fromkeys(n for n in given.split(",") if n in by_name))
    ways = {}
    for part in str(asked.get("ways") or "").split(","):
        name, *way = part.split(":")
        spec = by_name.get(name)
        if isinstance(spec, FieldSpec) and len(way) == 3 and way[0] in drawings(spec):
            down, across = way[1:]
            if across in spec.axes and down != across and (not down or down in spec.axes):
                ways[name] = (way[0], down, across)
    picks = {a: int(asked[a]) for a in ("layer", "head", "unit") if isinstance(asked.get(a), int)}
    for part in str(asked.get("picks") or "").split(","):
        axis, __, at = part.partition(":")
        if at.isdecimal() and len(at) < 7:
            picks[axis] = int(at)
    token, reads = asked.get("token"), str(asked.get("reads") or "")
    return Wish(
        shows or (() if given == "-" else first_fields(specs)),
        ways,
        picks,
        token if isinstance(token, int) else None,
        reads if reads in READS else "edited",
        str(asked.get("edits") or "")[:LONGEST],
    )


def drawing_of(spec: FieldSpec, wanted: Wish) -> tuple[str, str, str]:
    drawing, down, across = wanted.ways.get(spec.name) or first_drawing(spec)
    if len(spec.axes) > 1 and drawing != "bars" and not down:
        down = next(a for a in spec.axes if a != across)
    return drawing, down, across


@dataclass(frozen=True, slots=True)
class Cut:
    """The part of one field that is sent: its slices, what the browser is told of them, and for a
    long axis the rows to rank."""

    slices: tuple[Field, ...]
    about: Mapping[str, Any]
    ranked: Field | None = None


def cut(whole: Field, wanted: Wish, offset: int) -> Cut:
    """`whole` has all positions of the tokens shown, whose first one is number `offset`."""
    spec = whole.spec
    drawing, down, across = drawing_of(spec, wanted)
    drawn = tuple(a for a in (down, across) if a)
    sizes = {a.name: len(a) for a in whole.axes}
    at = {a: pick(a, n, wanted, offset) for a, n in sizes.items() if a not in drawn}
    flat = whole.pick(**at)
    about: dict[str, Any] = {
        "drawing": drawing,
        "down": down,
        "across": across,
        "at": at,
        "sizes": sizes,
        "labels": {a.name: a.labels for a in whole.axes if a.name in at and _named(a)},
        "start": {},
    }
    if drawing == "bars" and sizes[across] > LONG and (not down or down in ALONG_TEXT):
        if flat.axis_names[-1] != across:
            axes = flat.axes[::-1]
            turned = replace(flat.spec, axes=tuple(a.name for a in axes))
            flat = Field(turned, flat.values.T, axes)
        return Cut((), about | {"ranked": True}, flat)
    kept = flat
    for axis in flat.axes:
        if axis.name not in ALONG and len(axis) > LONG:
            first = min(wanted.picks.get(axis.name + START, 0), len(axis) - LONG)
            about["start"][axis.name] = first
            kept = _part(kept, axis.name, first)
    about["labels"] |= {
        a.name: a.labels for a in kept.axes if a.name not in ALONG and not _counted(a)
    }
    if drawing != "wall":
        return Cut((kept,), about)
    outer = [a for a in spec.axes if a in at][-2:]
    thumbs = whole.pick(**{a: n for a, n in at.items() if a not in outer})
    count = int(np.prod([sizes[a] for a in outer]))
    about["outer"] = outer
    if count > MOST_THUMBNAILS or thumbs.values.size > WALL:
        about["left_out"] = _(
            "All {count:,} pictures together would be {size:,} numbers, too many to send"
            " with every key: only the opened one is drawn.",
            count=count,
            size=thumbs.values.size,
        )
        return Cut((kept,), about)
    return Cut((kept, named(thumbs, f"{spec.name}#wall")), about)


def pick(axis: str, size: int, wanted: Wish, offset: int) -> int:
    """The position of an axis that is looked at: the chosen one, else the last along the text and
    the first elsewhere."""
    if axis in ALONG_TEXT:
        place = size - 1 if wanted.token is None else wanted.token - offset
    else:
        place = wanted.picks.get(axis, 0)
    return max(0, min(place, size - 1))


def named(entry: Field, name: str) -> Field:
    return Field(replace(entry.spec, name=name), entry.values, entry.axes)


def _part(whole: Field, axis: str, first: int) -> Field:
    n = whole.axis_names.index(axis)
    values = whole.values[(slice(None),) * n + (slice(first, first + LONG),)]
    kept = Axis(axis, whole.axes[n].labels[first : first + LONG])
    return Field(whole.spec, values, (*whole.axes[:n], kept, *whole.axes[n + 1 :]))


def _counted(axis: Axis) -> bool:
    """Whether its labels are nothing but numbers from 0."""
    n = len(axis)
    return not n or (axis.labels[0] == "0" and axis.labels[n - 1] == str(n - 1))


def _named(axis: Axis) -> bool:
    return axis.name not in ALONG and len(axis) <= LISTED and not _counted(axis)


def ranks(rows: Field, keep: int, change: bool) -> list[dict[str, Any]]:
    """Per row along the text from `keep` on (one row where there is none): its TOP largest numbers
    with their labels, and its statistics."""
    labels = rows.axes[-1].labels
    values_RV = rows.values[keep:] if rows.values.ndim > 1 else rows.values[None]
    found = []
    for row_V in values_RV:
        finite_V = np.isfinite(row_V)
        size_V = np.where(finite_V, np.abs(row_V) if change else row_V, -np.inf)
        most = min(TOP, len(row_V))
        some = np.argpartition(-size_V, most - 1)[:most]
        order = some[np.argsort(-size_V[some], kind="stable")]
        found.append(
            {
                "top": [[labels[i], _number(row_V[i])] for i in order.tolist()],
                "says": statistics(row_V, finite_V),
            }
        )
    return found


def _number(value: Any) -> float | None:
    return float(f"{value:.8g}") if np.isfinite(value) else None


def statistics(values: np.ndarray, finite: np.ndarray) -> list[float]:
    """[how many, min, mean, max, not a number, infinite]; the browser says it in the same words as
    of a slice that it has."""
    n = int(finite.sum())
    if n == values.size:
        low, mean, high = values.min(), values.mean(dtype=np.float64), values.max()
    else:
        kept = values[finite]
        low, mean, high = (kept.min(), kept.mean(dtype=np.float64), kept.max()) if n else (0, 0, 0)
    nan = int(np.isnan(values).sum()) if n < values.size else 0
    return [values.size, float(low), float(mean), float(high), nan, values.size - n - nan]
