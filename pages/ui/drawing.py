"""From what is on the live screen to the figure that is saved: which view, of which numbers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
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
    edits   where the trace compares two runs (engine/surgery.py), the text of the edits that tell them apart
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
        return Drawing(first, "ribbon", with_entries(traces[first], table), ("surprisal",))

    return make


def shortlists(titles: Mapping[str, str], most: int) -> Any:
    """A `Panel.figure`: what each reader expects after the same place of the text."""

    def make(traces: Traces, look: Look) -> Drawing:
        lead = traces[str(look["reader"])] if look.get("reader") in traces else next(iter(traces.values()))
        at = max(0, min(int(look.get("token", 10**9)) - lead.offset, len(lead.tokens) - 1))
        end = lead.spans[at][1]
        entries: list[Field | Table] = []
        for id, title in titles.items():
            trace = traces[id]
            last = len(trace.tokens) - 1
            t = 0 if end == 0 else next((i for i, (_, stop) in enumerate(trace.spans) if stop >= end), last)
            field = trace.field("probability").pick(token=t)
            says = f"{title}, after “{trace.tokens[t]}”" if trace.spans[t][1] else f"{title}, at the start"
            entries.append(Field(replace(field.spec, name=f"next.{id}", says=says, symbol=""), field.values, field.axes))
        first = next(iter(titles))
        drawn = with_entries(traces[first], *entries)
        return Drawing(first, "shortlists", drawn, tuple(e.spec.name for e in entries), options={"top": most})

    return make


def with_entries(trace: Trace, *entries: Field | Table) -> Trace:
    """The trace with more entries, so that a saved trace holds all that its figure shows."""
    return Trace(
        trace.text, trace.tokens, (*trace.values(), *entries), ids=trace.ids, spans=trace.spans,
        unknown=trace.unknown, offset=trace.offset, total=trace.total,
    )  # fmt: skip
