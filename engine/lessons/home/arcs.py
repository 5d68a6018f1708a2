"""The one head of a Transformer that brings most to the last token from further back, and its weights.

Shapes    T = tokens
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from engine.core.numbers import Numbers
from engine.core.trace import Axis, Field, FieldSpec, Kind, Trace
from engine.frame import picture as pic
from engine.lessons.home import brought
from engine.live import cache
from engine.live.drawing import Drawing, Look, Traces, with_entries
from engine.live.reply import Extra, Reading, Sent
from engine.live.request import Request
from engine.live.shown import Shown
from engine.models.abilities import Attends

SPEC = FieldSpec(
    "arcs", Kind.ATTENTION, ("query", "key"), "Attention weights of the head that is drawn.", "A"
)
READS = FieldSpec(
    "reads", Kind.COUNT, ("token",), "The token that it takes most from, besides itself."
)
PICTURE = pic.Picture(
    "arcs",
    pic.Over((pic.Arcs("arcs"),), scale="none"),
    "Attention",
    says=(
        "Layer {layer:n}, head {head:n} carries the most from further back to the last word. At “{token}” it"
        " takes {arcs[key=reads]:%} from “{reads:key}”.",
        "Type a word or two: where a head looks is drawn as arcs.",
    ),
    table=pic.table("token key", "looks: {token} | looked at: {key} | weight: {arcs:%}"),
)


@dataclass(frozen=True)
class Arcs:
    """What is sent of one reader with attention over its own text."""

    model: Attends[Any]

    def strongest(self, trace: Trace) -> tuple[int, int, float]:
        marks = sum(stop == 0 for _, stop in trace.spans)
        return brought.strongest(self.model, trace, marks)

    def fields(self, trace: Trace, layer: int, head: int) -> tuple[Field, Field]:
        """The weights (T, T) of one head, and where each token looks most, but at itself (T,)."""
        weight: Numbers = trace.field("attention").growing
        axes = tuple(Axis(name, trace.tokens) for name in SPEC.axes)
        weights = Field(SPEC, weight.picked((layer, head, slice(None), slice(None))), axes)
        others_TT = np.tril(weights.values, -1)
        return weights, Field(READS, others_TT.argmax(1), (Axis("token", trace.tokens),))

    def read(self, found: Reading, shown: Shown, request: Request) -> Reading:
        """With the head drawn: of the same head as on the screen only the new rows."""
        trace = cache.trace_of(shown)
        if len(trace.tokens) < 2:
            return found.add(Extra({"numbers": {}}))
        layer, head, _ = self.strongest(trace)
        before = cache.trace_of(shown.before) if shown.before and shown.same else None
        there = before and len(before.tokens) > 1 and self.strongest(before)[:2] == (layer, head)
        sent = (Sent(f, skip=shown.same if there else 0) for f in self.fields(trace, layer, head))
        made = found.add(Extra({"numbers": {"layer": layer + 1, "head": head + 1}}))
        return Reading(made.part, (*made.fields, *sent))

    def figure(self, reader: str) -> Any:
        """A `Panel.figure`: the weights that are drawn."""

        def make(traces: Traces, look: Look) -> Drawing:
            trace = traces[reader]
            layer, head, _ = self.strongest(trace)
            drawn = with_entries(trace, *self.fields(trace, layer, head))
            return Drawing(reader, "heatmap", drawn, (SPEC.name,))

        return make
