"""From what is on the live screen to the figure that is saved: which view, of which numbers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from engine.measure import surprisal
from engine.registry import views
from engine.trace import Field, Table, TableSpec, Trace

Traces = Mapping[str, Trace]
Look = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Drawing:
    """A view over entries of a trace.  `picks` fixes the axes that the view does not draw.

    reader  whose run the file is stamped with
    """

    reader: str
    view: str
    trace: Trace
    names: tuple[str, ...]
    picks: Mapping[str, int] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)

    def inputs(self) -> list[Field | Table]:
        return [pick(self.trace[name], self.picks) for name in self.names]

    def figure(self, **more: Any) -> Any:
        return views.get(self.view).draw(*self.inputs(), **self.options, **more)


def pick(entry: Field | Table, picks: Mapping[str, int]) -> Field | Table:
    """The slice of a field at those picks whose axes it has."""
    return entry if isinstance(entry, Table) else entry.pick(**{a: p for a, p in picks.items() if a in entry.axis_names})


def picked(reader: str, view: str, names: Iterable[str], axes: Iterable[str] = (), **options: Any) -> Any:
    """A `Panel.figure`: these fields of one reader, cut at what is looked at along `axes` ("token" counts in the window)."""
    names, axes = tuple(names), tuple(axes)

    def make(traces: Traces, look: Look) -> Drawing:
        trace = traces[reader]
        place = {**look, "token": int(look.get("token", 10**9)) - trace.offset}
        place["token"] = max(0, min(place["token"], len(trace.tokens) - 1))
        chosen = tuple(str(look.get("field", names[0])) if n == "*" else n for n in names)
        sizes = {a.name: len(a) for name in chosen for a in trace.field(name).axes}
        picks = {a: min(int(place.get(a, 0)), sizes[a] - 1) for a in axes}
        return Drawing(reader, view, trace, chosen, picks, options)

    return make


def ribbon(titles: Mapping[str, str]) -> Any:
    """A `Panel.figure`: the surprisal of every token of several readers, side by side, kept as the table `surprisal`."""

    def make(traces: Traces, look: Look) -> Drawing:
        columns: dict[str, list[Any]] = {"reader": [], "token": [], "start": [], "stop": [], "bits": [], "bits_per_character": []}
        for id, title in titles.items():
            trace = traces[id]
            before = 0
            for label, (start, stop), bits in zip(trace.tokens, trace.spans, surprisal(trace), strict=True):
                if stop > 0 and not np.isnan(bits):
                    length = max(1, stop - min(start, max(before, 0)))
                    row = (title, label, start, stop, float(bits), float(bits) / length)
                    for name, value in zip(columns, row, strict=True):
                        columns[name].append(value)
                before = stop
        spec = TableSpec("surprisal", tuple(columns), "How surprised each reader was by each token.")
        table = Table(spec, {k: np.array(v, object if k in ("reader", "token") else float) for k, v in columns.items()})
        first = next(iter(titles))
        return Drawing(first, "ribbon", with_table(traces[first], table), ("surprisal",))

    return make


def with_table(trace: Trace, table: Table) -> Trace:
    """The trace with one more entry, so that a saved trace holds all that its figure shows."""
    return Trace(
        trace.text, trace.tokens, (*trace.values(), table), ids=trace.ids, spans=trace.spans,
        unknown=trace.unknown, offset=trace.offset, total=trace.total,
    )  # fmt: skip
