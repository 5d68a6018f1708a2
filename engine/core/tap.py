"""Tap: the one line by which a model shows a number, or lets it be changed.

    gate_TH = tap("gate.forget", sigmoid(a_TH), ("token", "unit"))

The default tap returns the value untouched and costs one call.  A `Recorder` keeps it;
an `Edit` inside the recorder replaces it, so switching off an attention head is the same
line of model code as looking at it.  A loop binds its index with `tap.at(layer=i)`; the
index becomes an axis of the field.  Works for numpy arrays and torch tensors: what a model
made on a device stays there, also in the fields of its trace (engine/core/numbers.py).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Protocol, Self

import numpy as np

from engine.core import stacking
from engine.core.labels import numbered
from engine.core.numbers import Numbers, fetched
from engine.core.trace import ALONG_TEXT, Axis, Field, FieldSpec, Table, TableSpec, lying
from engine.language.message import refusal

Changed = Callable[[int, Any, Any], Any]
"""What edits make of a value inside a loop over tokens: (token of this run, value, the value one
token before) -> value."""


class Tap(Protocol):
    def __call__(self, name: str, value: Any, axes: tuple[str, ...]) -> Any: ...
    def keep(self, name: str, value: Any, axes: tuple[str, ...]) -> None: ...
    def derived(self, name: str, make: Callable[[], Any], axes: tuple[str, ...]) -> None: ...
    def at(self, **index: int) -> Tap: ...
    def in_loop(self, name: str, axes: tuple[str, ...]) -> Changed | None: ...
    def switch(self, name: str, axes: tuple[str, ...]) -> Callable[[Any], Any] | None: ...
    def table(self, name: str, make: Callable[[], Mapping[str, np.ndarray]]) -> None: ...
    def wants(self, name: str) -> bool: ...
    def edits(self, *names: str) -> bool: ...
    def window(self, count: int) -> tuple[int, int]: ...


class _PassThrough:
    def __call__(self, name: str, value: Any, axes: tuple[str, ...]) -> Any:
        return value

    def keep(self, name: str, value: Any, axes: tuple[str, ...]) -> None:
        return None

    def derived(self, name: str, make: Callable[[], Any], axes: tuple[str, ...]) -> None:
        return None

    def at(self, **index: int) -> _PassThrough:
        return self

    def in_loop(self, name: str, axes: tuple[str, ...]) -> None:
        return None

    def switch(self, name: str, axes: tuple[str, ...]) -> None:
        return None

    def table(self, name: str, make: Callable[[], Mapping[str, np.ndarray]]) -> None:
        return None

    def wants(self, name: str) -> bool:
        return False

    def edits(self, *names: str) -> bool:
        return False

    def window(self, count: int) -> tuple[int, int]:
        return 0, count


passthrough: Tap = _PassThrough()


FAR = 1e6
LOOPED = {"token", "query", "source"}  # axes that a value may be without, inside a loop over them


class How(StrEnum):
    """What an edit does to a number."""

    SET = "set"  # it becomes `to`
    SCALE = "scale"  # it is multiplied by `to`
    ADD = "add"  # `to` is added
    # it stays what it was one token before the first one edited; 0 at the start of the text
    FREEZE = "freeze"


@dataclass(frozen=True, slots=True)
class Edit:
    """Change the numbers of field `name` at `where`: axis -> position, or (start, stop) with stop
    None for "to the end".

    Positions along the text are those in the whole text.  A gate that is scaled or added to stays
    within 0 and 1, any other number within +-FAR, or a memory that is doubled at every token would
    soon be no number.
    """

    name: str
    where: Mapping[str, int | tuple[int, int | None]]
    to: float = 0.0
    how: How = How.SET

    def apply(
        self, value: Any, axes: tuple[str, ...], at: Mapping[str, int], origin: int = 0
    ) -> Any:
        """`value` changed, as a copy.  A position outside it changes nothing.  KeyError for an axis
        it does not have."""
        if not self._is_here(axes, at):
            return value
        cut = self._cut(value.shape, axes, origin)
        if cut is None:
            return value
        before = 0.0
        if self.how is How.FREEZE:
            along = next((i for i, a in enumerate(axes) if a in ALONG_TEXT), None)
            if along is not None and cut[along].start > 0:
                first = cut[along].start
                before = value[
                    tuple(slice(first - 1, first) if i == along else c for i, c in enumerate(cut))
                ]
        return self._written(value, cut, before)

    def in_loop(
        self, axes: tuple[str, ...], at: Mapping[str, int], origin: int, earlier: Any = None
    ) -> Changed | None:
        """The same inside a loop over tokens, where a value has no axis for them; None where it
        changes nothing.

        earlier  (unit,) what these numbers were one token before the loop; 0 without
        """
        if not self._is_here(axes, at, loop=True):
            return None
        # along what the loop goes: an axis that the value has is none of it
        along = next((a for a in ("query", "source") if a in self.where and a not in axes), "token")
        start, stop = _range(self.where.get(along, (0, None)))
        origin = 0 if along == "source" else origin  # a source is always read whole
        first, last = start - origin, math.inf if stop is None else stop - origin

        cuts: dict[tuple[int, ...], tuple[slice, ...] | None] = {}
        freezes = self.how is How.FREEZE

        def changed(t: int, value: Any, before: Any) -> Any:
            if not first <= t < last:
                return value
            shape = value.shape
            if shape not in cuts:
                cuts[shape] = self._cut(shape, axes, 0)
            cut = cuts[shape]
            if t == 0 and earlier is not None:
                before = (
                    value.new_tensor(earlier)[None] if hasattr(value, "new_tensor") else earlier
                )
            return (
                value if cut is None else self._written(value, cut, before[cut] if freezes else 0.0)
            )

        return changed

    def _is_here(self, axes: tuple[str, ...], at: Mapping[str, int], loop: bool = False) -> bool:
        unknown = set(self.where) - set(axes) - set(at) - (LOOPED if loop else set())
        if unknown:
            raise refusal(
                "edit of {self.name!r}: it has axes {axes}, not {unknown}",
                KeyError,
                axes=(*at, *axes),
            )
        ranges = {a: _range(p) for a, p in self.where.items() if a in at}
        return all(
            start <= at[a] and (stop is None or at[a] < stop) for a, (start, stop) in ranges.items()
        )

    def _cut(
        self, shape: tuple[int, ...], axes: tuple[str, ...], origin: int
    ) -> tuple[slice, ...] | None:
        """The part of an array that is edited; None when it is empty."""
        found = []
        for axis, size in zip(axes, shape, strict=True):
            start, stop = _range(self.where.get(axis, (0, None)))
            back = origin if axis in ALONG_TEXT else 0
            start, stop = max(0, start - back), size if stop is None else min(size, stop - back)
            if start >= stop:
                return None
            found.append(slice(start, stop))
        return tuple(found)

    def _written(self, value: Any, cut: tuple[slice, ...], before: Any) -> Any:
        changed = value.clone() if hasattr(value, "clone") else value.copy()
        if self.how is How.SET:
            changed[cut] = self.to
        elif self.how is How.FREEZE:
            changed[cut] = before
        else:
            part = changed[cut] * self.to if self.how is How.SCALE else changed[cut] + self.to
            changed[cut] = (
                part.clip(0, 1) if "gate" in self.name.split(".") else part.clip(-FAR, FAR)
            )
        return changed


def _range(position: int | tuple[int, int | None]) -> tuple[int, int | None]:
    if isinstance(position, tuple):
        return position
    return position, position + 1


class Enough(Exception):
    """Goes through a run and ends it: all that its recorder was asked for is recorded."""


class Recorder:
    """Keeps the fields asked for (all when `fields` is None), cut to `window` along the text.

    window  (start, stop) among the tokens of this run; None keeps all
    origin  position in the whole text of the first token of this run
    last    per edited field its numbers (layer, unit) one token before this run, which a frozen
            number goes on from
    layers  how many there are, where that is known: what is large is then put where it stays at
            once
    ahead   how many tokens this run looks back at and did not read: along a second axis of the
            text their places come first, and are not kept
    deepest the last layer that `fields` are wanted of; None: whatever the run taps.  Once they are
            recorded up to there, `Enough` ends the run
    """

    def __init__(
        self,
        edits: Iterable[Edit] = (),
        fields: Collection[str] | None = None,
        window: tuple[int, int] | None = None,
        origin: int = 0,
        last: Mapping[str, np.ndarray] | None = None,
        layers: int = 0,
        deepest: int | None = None,
        ahead: int = 0,
    ) -> None:
        self._ahead = ahead
        self._edits, self._asked, self._window, self._origin = tuple(edits), fields, window, origin
        self._last, self._layers, self._deepest = last or {}, layers, deepest
        self._left = {*fields} if fields is not None and deepest is not None else None
        self._whole: dict[str, np.ndarray] = {}
        self._at: dict[str, int] = {}
        self._seen: dict[str, dict[tuple[int, ...], Any]] = {}
        self._axes: dict[str, tuple[str, ...]] = {}
        self._tables: dict[str, Mapping[str, np.ndarray] | None] = {}

    def at(self, **index: int) -> Self:
        child = type(self).__new__(type(self))
        child.__dict__ = {**self.__dict__, "_at": {**self._at, **index}}
        return child

    def wants(self, name: str) -> bool:
        return self._asked is None or name in self._asked

    def edits(self, *names: str) -> bool:
        return any(edit.name in names for edit in self._edits)

    def window(self, count: int) -> tuple[int, int]:
        """Of `count` tokens of this run those (first, stop) whose numbers are kept: what nothing
        else reads need not be computed of the others."""
        return self._window or (0, count)

    def in_loop(self, name: str, axes: tuple[str, ...]) -> Changed | None:
        """What the edits make of a value at each step of a loop that records its steps together at
        the end."""
        last = self._last[name][self._at["layer"]] if name in self._last else None
        found = [
            edit.in_loop(axes, self._at, self._origin, last)
            for edit in self._edits
            if edit.name == name
        ]
        changes = [change for change in found if change]
        if not changes:
            return None

        def changed(t: int, value: Any, before: Any) -> Any:
            for change in changes:
                value = change(t, value, before)
            return value

        return changed

    def switch(self, name: str, axes: tuple[str, ...]) -> Callable[[Any], Any] | None:
        """What the edits make of a number on its way that is no field: a residual connection, what a norm does."""
        edits = [edit for edit in self._edits if edit.name == name]
        if not edits:
            return None

        def changed(value: Any) -> Any:
            for edit in edits:
                value = edit.apply(value, axes, self._at, self._origin)
            return value

        return changed

    def table(self, name: str, make: Callable[[], Mapping[str, np.ndarray]]) -> None:
        """Keep the columns that `make` returns.  A column `position` counts tokens of this run: it
        is cut to the window."""
        self._tables[name] = self._cut(make()) if self.wants(name) else None

    def _cut(self, columns: Mapping[str, np.ndarray]) -> Mapping[str, np.ndarray]:
        if not self._window or "position" not in columns:
            return columns
        start, stop = self._window
        inside = (columns["position"] >= start) & (columns["position"] < stop)
        return {
            name: c[inside] - start if name == "position" else c[inside]
            for name, c in columns.items()
        }

    def __call__(self, name: str, value: Any, axes: tuple[str, ...]) -> Any:
        for edit in self._edits:
            if edit.name == name:
                value = edit.apply(value, axes, self._at, self._origin)
        self.keep(name, value, axes)
        return value

    def keep(self, name: str, value: Any, axes: tuple[str, ...]) -> None:
        """Record without a change: for a loop that made its edits step by step."""
        parts = self._met(name, axes)
        if not self.wants(name):
            return
        if axes[:1] == ("batch",):  # a trace is of one text
            value, axes = value[0], axes[1:]
        if self._window or self._ahead:
            value = value[self._kept_of(axes)]
        parts[tuple(self._at.values())] = stacking.laid(
            self._whole, name, self._at, self._layers, value
        )
        if self._left is not None and self._at.get("layer", self._deepest) == self._deepest:
            self._left.discard(name)
            if not self._left:
                raise Enough

    def _kept_of(self, axes: tuple[str, ...]) -> tuple[slice, ...]:
        """What of a value is kept along its axes."""
        start, stop = self._window or (0, None)
        cut, behind = [], 0
        for axis in axes:
            if axis in ALONG_TEXT:
                cut.append(slice(behind + start, stop if stop is None else behind + stop))
                behind = self._ahead
            else:
                cut.append(slice(None))
        return tuple(cut)

    def _met(self, name: str, axes: tuple[str, ...]) -> dict[tuple[int, ...], Any]:
        """The parts of a field that was tapped, whether it is kept or not."""
        if name not in self._seen:
            self._axes[name] = (*self._at, *(a for a in axes if a != "batch"))
            self._seen[name] = {}
        return self._seen[name]

    def derived(self, name: str, make: Callable[[], Any], axes: tuple[str, ...]) -> None:
        """Record what the run itself does not need, computed only where it is asked for.  Nothing
        reads it, so no edit changes it."""
        if self.wants(name):
            self.keep(name, make(), axes)
        else:
            self._met(name, axes)

    def fields(
        self, specs: Iterable[FieldSpec | TableSpec], labels: Mapping[str, tuple[str, ...]]
    ) -> tuple[Field | Table, ...]:
        """One field or table per promise that was asked for.  LookupError where promise and taps
        disagree."""
        return tuple(self._one(spec, labels) for spec in self.promised(specs))

    def promised(self, specs: Iterable[FieldSpec | TableSpec]) -> tuple[FieldSpec | TableSpec, ...]:
        """The promises that were asked for.  LookupError where promise and taps disagree."""
        specs = tuple(specs)
        tapped = set(self._seen) | set(self._tables)
        # a run that was ended did not come to what is promised behind
        missing = [s.name for s in specs if s.name not in tapped] if self._left != set() else []
        extra = tapped - {s.name for s in specs}
        if missing or extra:
            raise refusal(
                "promised but not tapped: {missing}; tapped but not promised: {extra}",
                LookupError,
                missing=repr(missing),
                extra=repr(sorted(extra)),
            )
        return tuple(spec for spec in specs if self.wants(spec.name))

    def _one(
        self, spec: FieldSpec | TableSpec, labels: Mapping[str, tuple[str, ...]]
    ) -> Field | Table:
        if isinstance(spec, TableSpec):
            return Table(spec, self._tables[spec.name] or {})
        return of_numbers(spec, self.numbers(spec), labels)

    def values(self, spec: FieldSpec) -> np.ndarray:
        """The numbers kept for a promise, float32, on the host.  LookupError where it has other
        axes."""
        return fetched(self._kept(spec))

    def numbers(self, spec: FieldSpec) -> Numbers:
        """The same where they lie."""
        return lying(spec, self._kept(spec))

    def _kept(self, spec: FieldSpec) -> Any:
        """The numbers kept for a promise, in one piece, axes in its order."""
        if self._axes[spec.name] != spec.axes:
            raise refusal(
                "{spec.name}: promised axes {spec.axes}, tapped {axes}",
                LookupError,
                axes=self._axes[spec.name],
            )
        parts, whole = self._seen[spec.name], self._whole.get(spec.name)
        return whole if whole is not None and len(parts) == len(whole) else stacking.stacked(parts)


def of_numbers(spec: FieldSpec, numbers: Numbers, labels: Mapping[str, tuple[str, ...]]) -> Field:
    """A field with its promise; an axis without labels is numbered from 0."""
    sizes = zip(spec.axes, numbers.shape, strict=True)
    axes = [Axis(name, labels.get(name) or numbered(size)) for name, size in sizes]
    return Field(spec, numbers, tuple(axes))
