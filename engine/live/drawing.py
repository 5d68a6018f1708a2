"""The numbers behind a live picture: which entries of a trace, cut where.

The picture itself is the browser's; from these numbers its tables are saved, and the program that
reads them again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.analysis.measure import surprisal
from engine.core.registry import views
from engine.core.trace import Axis, Field, Table, TableSpec, Trace
from engine.language.message import _
from engine.saving import export

if TYPE_CHECKING:
    import pandas as pd

Traces = Mapping[str, Trace]
Look = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Drawing:
    """Entries of a trace.  `picks` fixes the axes that are not drawn.

    reader  whose run the file is stamped with
    view    a view of engine/views that draws such numbers outside the live screen, "" where there
            is none: the saved program uses it with `options`
    edits   where the trace compares two runs (engine/analysis/surgery.py), the text of the edits that tell
            them apart
    """

    reader: str
    view: str
    trace: Trace
    names: tuple[str, ...]
    picks: Mapping[str, int] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)
    edits: str | None = None

    def inputs(self) -> list[Field | Table]:
        return [pick(self.trace[name], self.picks) for name in self.names]

    def frame(self) -> pd.DataFrame:
        """Every number that is drawn, one a row, with its labels."""
        top = self.options.get("top")
        found = export.frame([largest(e, top) if top else e for e in self.inputs()])
        units = self.options.get("units", ())
        # only these are drawn, in this order
        if "unit" in found and units and isinstance(units[0], int):
            place = found["unit"].map({unit: n for n, unit in enumerate(units)})
            found = found[place.notna()].loc[place.dropna().sort_values(kind="stable").index]
        return found.reset_index(drop=True)

    @property
    def drawer(self) -> str:
        """The view, where engine/views has it."""
        return self.view if self.view in views.ids() else ""

    def figure(self, **more: Any) -> Any:
        return views.get(self.view).draw(*self.inputs(), **self.options, **more)


def largest(entry: Field | Table, top: int) -> Field | Table:
    """The `top` largest numbers of a field with one axis, largest first."""
    if isinstance(entry, Table) or len(entry.axes) != 1 or len(entry.axes[0]) <= top:
        return entry
    at = np.argsort(-entry.values, kind="stable")[:top]
    axis = entry.axes[0]
    return Field(
        entry.spec, entry.values[at], (Axis(axis.name, tuple(axis.labels[i] for i in at)),)
    )


def pick(entry: Field | Table, picks: Mapping[str, int]) -> Field | Table:
    """The slice of a field at those picks whose axes it has."""
    return (
        entry
        if isinstance(entry, Table)
        else entry.pick(**{a: p for a, p in picks.items() if a in entry.axis_names})
    )


@dataclass(frozen=True, slots=True)
class Picked:
    """A `Panel.figure`: these fields of one reader, cut at what is looked at along `axes` ("token"
    counts in the window); the name "*" is the field that is chosen."""

    reader: str
    view: str
    names: tuple[str, ...]
    axes: tuple[str, ...]
    options: Mapping[str, Any]

    def __call__(self, traces: Traces, look: Look) -> Drawing:
        trace = traces[self.reader]
        place = {**look, "token": int(look.get("token", 10**9)) - trace.offset}
        place["token"] = max(0, min(place["token"], len(trace.tokens) - 1))
        first = str(look.get("field", self.names[0]))
        chosen = tuple(first if n == "*" else n for n in self.names)
        sizes = {a.name: len(a) for name in chosen for a in trace.field(name).axes}
        picks = {a: min(int(place.get(a, 0)), sizes[a] - 1) for a in self.axes}
        return Drawing(self.reader, self.view, trace, chosen, picks, self.options)


def picked(
    reader: str, view: str, names: Iterable[str], axes: Iterable[str] = (), **options: Any
) -> Picked:
    return Picked(reader, view, tuple(names), tuple(axes), options)


@dataclass(frozen=True, slots=True)
class Each:
    """A `Panel.figure`: these fields of every reader, by its title, cut at what is looked at along `axes`;
    a query is the token.  A reader that has not one of them is left out."""

    titles: Mapping[str, str]
    names: tuple[str, ...]
    axes: tuple[str, ...]

    def __call__(self, traces: Traces, look: Look) -> Drawing:
        first, entries = next(iter(self.titles)), list[Field]()
        for id, title in self.titles.items():
            trace = traces[id]
            token = max(0, min(int(look.get("token", 10**9)) - trace.offset, len(trace.tokens) - 1))
            for name in (name for name in self.names if name in trace):
                field = trace.field(name)
                sizes = {axis.name: len(axis) for axis in field.axes if axis.name in self.axes}
                at = {
                    axis: token
                    if axis in ("token", "query")
                    else min(int(look.get(axis) or 0), n - 1)
                    for axis, n in sizes.items()
                }
                cut = field.pick(**at)
                says = f"{title}: {field.spec.says}"
                spec = replace(cut.spec, name=f"{name}.{id}", says=says, symbol="")
                entries.append(Field(spec, cut.values, cut.axes))
        names = tuple(entry.spec.name for entry in entries)
        return Drawing(first, "", with_entries(traces[first], *entries), names)


def ribbon(titles: Mapping[str, str]) -> Any:
    """A `Panel.figure`: the surprisal of every token of several readers, side by side, kept as the
    table `surprisal`."""

    def make(traces: Traces, look: Look) -> Drawing:
        columns: dict[str, list[Any]] = {
            "reader": [],
            "token": [],
            "start": [],
            "stop": [],
            "bits": [],
            "bits_per_character": [],
        }
        for id, title in titles.items():
            trace = traces[id]
            before = 0
            for label, (start, stop), bits in zip(
                trace.tokens, trace.spans, surprisal(trace), strict=True
            ):
                if stop > 0 and not np.isnan(bits):
                    length = max(1, stop - min(start, max(before, 0)))
                    row = (title, label, start, stop, float(bits), float(bits) / length)
                    for name, value in zip(columns, row, strict=True):
                        columns[name].append(value)
                before = stop
        spec = TableSpec(
            "surprisal", tuple(columns), "How surprising each token was for each model."
        )
        table = Table(
            spec,
            {
                k: np.array(v, object if k in ("reader", "token") else float)
                for k, v in columns.items()
            },
        )
        first = next(iter(titles))
        return Drawing(first, "", with_entries(traces[first], table), ("surprisal",))

    return make


def shortlists(titles: Mapping[str, str], most: int) -> Any:
    """A `Panel.figure`: what each reader expects after the same place of the text."""

    def make(traces: Traces, look: Look) -> Drawing:
        lead = (
            traces[str(look["reader"])]
            if look.get("reader") in traces
            else next(iter(traces.values()))
        )
        at = max(0, min(int(look.get("token", 10**9)) - lead.offset, len(lead.tokens) - 1))
        end = lead.spans[at][1]
        entries: list[Field | Table] = []
        for id, title in titles.items():
            trace = traces[id]
            last = len(trace.tokens) - 1
            t = (
                0
                if end == 0
                else next((i for i, (__, stop) in enumerate(trace.spans) if stop >= end), last)
            )
            field = trace.field("probability").pick(token=t)
            says = (
                _("{title}, after “{tokens}”", title=_(title), tokens=trace.tokens[t])
                if trace.spans[t][1]
                else _("{title}, at the start", title=_(title))
            )
            entries.append(
                Field(
                    replace(field.spec, name=f"next.{id}", says=says, symbol=""),
                    field.values,
                    field.axes,
                )
            )
        first = next(iter(titles))
        drawn = with_entries(traces[first], *entries)
        return Drawing(first, "", drawn, tuple(e.spec.name for e in entries), options={"top": most})

    return make


def with_entries(trace: Trace, *entries: Field | Table) -> Trace:
    """The trace with more entries, so that a saved trace holds all that its figure shows."""
    return Trace(
        trace.text,
        trace.tokens,
        (*trace.values(), *entries),
        ids=trace.ids,
        spans=trace.spans,
        unknown=trace.unknown,
        offset=trace.offset,
        total=trace.total,
    )
