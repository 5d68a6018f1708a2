"""The one head of a Transformer that brings most to the last token from further back, and its weights.

Shapes    T = tokens
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from engine.analysis.heads import brought, measured
from engine.core.numbers import Numbers
from engine.core.trace import Axis, Field, FieldSpec, Kind, Trace
from engine.live import cache
from engine.live.drawing import Drawing, Look, Traces, with_entries
from engine.live.reply import Extra, Reading, Sent
from engine.live.request import Request
from engine.live.shown import Shown
from engine.models.abilities import Attends
from engine.runs.store import Run

SPEC = FieldSpec(
    "arcs", Kind.ATTENTION, ("query", "key"), "Attention weights of the head that is drawn.", "A"
)
ON_SCREEN = "arcs"  # what the browser says it has: layer, head


@dataclass(frozen=True)
class Arcs:
    """What is sent of one reader with attention over its own text."""

    model: Attends[Any]
    run: Run

    def strongest(self, trace: Trace) -> tuple[int, int, float]:
        marks = sum(stop == 0 for _, stop in trace.spans)
        return brought.strongest(self.model, trace, marks)

    def field(self, trace: Trace, layer: int, head: int) -> Field:
        """The weights (T, T) of one head."""
        weight: Numbers = trace.field("attention").growing
        axes = tuple(Axis(name, trace.tokens) for name in SPEC.axes)
        return Field(SPEC, weight.picked((layer, head, slice(None), slice(None))), axes)

    def tags(self, layer: int, head: int) -> list[str]:
        """What the head was measured to do, the clearest first, but last that it rests on the first
        token; none where it was not measured."""
        found = measured.find(str(self.run.note.get("recipe")))
        if found is None:
            return []
        over = found.score[:, layer, head] - found.baseline[:, layer, head]
        over[found.names.index("first")] *= 1e-3
        given = found.given()[:, layer, head]
        return [found.names[r] for r in sorted(given.nonzero()[0].tolist(), key=lambda r: -over[r])]

    def read(self, found: Reading, shown: Shown, request: Request) -> Reading:
        """With the head drawn: of the same head as on the screen only the new rows."""
        trace = cache.trace_of(shown)
        if len(trace.tokens) < 2:
            return found.add(Extra({"arcs": None}))
        layer, head, much = self.strongest(trace)
        told = {"at": [layer, head], "brought": round(much, 3), "tags": self.tags(layer, head)}
        there = request.asks.numbers(ON_SCREEN) == (layer, head)
        skip = shown.same if there and shown.before else 0
        made = found.add(Extra({"arcs": told}))
        return Reading(made.part, (*made.fields, Sent(self.field(trace, layer, head), skip=skip)))

    def figure(self, reader: str) -> Any:
        """A `Panel.figure`: the weights that are drawn."""

        def make(traces: Traces, look: Look) -> Drawing:
            trace = traces[reader]
            layer, head, _ = self.strongest(trace)
            drawn = with_entries(trace, self.field(trace, layer, head))
            return Drawing(reader, "heatmap", drawn, (SPEC.name,))

        return make
