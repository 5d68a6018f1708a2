"""The few units of a recurrent reader that move most over the text: those whose role was measured, or,
where none was, any of them.

What      how far a unit moves: the standard deviation of tanh of its memory over the tokens of the text
Shapes    L = layers, H = units of a layer, C = units that can be chosen, U = units drawn, T = tokens
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from engine.analysis.units import measured
from engine.analysis.units.measured import Role
from engine.core.trace import Axis, Field, FieldSpec, Trace
from engine.live import cache
from engine.live.drawing import Drawing, Look, Traces, with_entries
from engine.live.reply import Extra, Reading, Sent
from engine.live.request import Request
from engine.live.shown import Shown
from engine.models.abilities import Remembers
from engine.runs.store import Run

DRAWN = 5
ON_SCREEN = "units"  # what the browser says it has: layer, unit, layer, unit ...


@dataclass(frozen=True)
class Units:
    """What is sent of one recurrent reader.

    state, keep  its memory, and the gate that says how much of it stays; "" where it has none
    """

    model: Remembers[Any]
    run: Run

    @cached_property
    def state(self) -> str:
        return self.model.memories[0].state if self.model.memories else measured.memory(self.model)

    @cached_property
    def keep(self) -> str:
        return self.model.memories[0].keep if self.model.memories else ""

    @cached_property
    def roles(self) -> tuple[Role, ...]:
        return measured.find(str(self.run.note.get("recipe")))

    @property
    def also(self) -> tuple[str, ...]:
        """The fields that the model is asked for."""
        return tuple(name for name in (self.state, self.keep) if name)

    @cached_property
    def specs(self) -> tuple[FieldSpec, ...]:
        """Of what is sent: the same numbers, unit by unit."""
        of = {s.name: s for s in self.model.spec() if isinstance(s, FieldSpec)}
        return tuple(
            replace(of[name], name=f"units.{part}", axes=("unit", "token"))
            for part, name in zip(("state", "keep"), self.also, strict=False)
        )

    @property
    def complement(self) -> bool:
        """Whether the share of the memory that stays is 1 - the gate."""
        return bool(self.model.memories and self.model.memories[0].complement)

    def chosen(self, trace: Trace) -> tuple[Role | tuple[int, int], ...]:
        """Those that move most, in the order of their roles, or of their numbers."""
        marks = sum(stop == 0 for _, stop in trace.spans)
        state_LTH = trace.field(self.state).values[:, marks:]
        if not state_LTH.shape[1]:
            return ()
        every: tuple[Role | tuple[int, int], ...] = self.roles or tuple(
            np.ndindex(state_LTH.shape[0], state_LTH.shape[2])
        )
        layers, units = np.array([place(one) for one in every]).T
        moved_C = np.tanh(state_LTH[layers, :, units]).std(1)
        return tuple(every[i] for i in sorted(np.argsort(-moved_C, kind="stable")[:DRAWN]))

    def fields(self, trace: Trace, of: tuple[Role | tuple[int, int], ...]) -> tuple[Field, ...]:
        """Their memories and gates (U, T)."""
        places = [place(one) for one in of]
        names = tuple(f"{layer + 1}.{unit}" for layer, unit in places)
        layers, units = np.array(places, int).reshape(-1, 2).T
        axes = Axis("unit", names), Axis("token", trace.tokens)
        return tuple(
            Field(spec, trace.field(name).values[layers, :, units], axes)
            for spec, name in zip(self.specs, self.also, strict=True)
        )

    def read(self, found: Reading, shown: Shown, request: Request) -> Reading:
        """With the units drawn: of the same units as on the screen only the new tokens."""
        trace = cache.trace_of(shown)
        of = self.chosen(trace) if len(trace) else ()
        places = [place(one) for one in of]
        told = [
            [*place(one), *((one.about.title, one.auc) if isinstance(one, Role) else ())]
            for one in of
        ]
        there = [n for pair in places for n in pair] == [*request.asks.numbers(ON_SCREEN)]
        skip = shown.same if there and shown.before else 0
        sent = tuple(Sent(field, skip=skip) for field in self.fields(trace, of)) if of else ()
        made = found.add(Extra({"units": told}))
        return Reading(made.part, (*made.fields, *sent))

    def figure(self, reader: str) -> Any:
        """A `Panel.figure`: what is drawn."""

        def make(traces: Traces, look: Look) -> Drawing:
            trace = traces[reader]
            drawn = self.fields(trace, self.chosen(trace))
            names = tuple(field.spec.name for field in drawn)
            return Drawing(reader, "", with_entries(trace, *drawn), names)

        return make


def place(one: Role | tuple[int, int]) -> tuple[int, int]:
    """(layer, unit), both from 0."""
    return (one.layer, one.unit) if isinstance(one, Role) else one
