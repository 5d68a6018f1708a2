"""Tap: the one line by which a model shows a number, or lets it be changed.

    gate_TH = tap("gate.forget", sigmoid(a_TH), ("token", "unit"))

The default tap returns the value untouched and costs one call.  A `Recorder` keeps it;
an `Edit` inside the recorder replaces it, so switching off an attention head is the same
line of model code as looking at it.  A loop binds its index with `tap.at(layer=i)`; the
index becomes an axis of the field.  Works for numpy arrays and torch tensors: tensors stay
on their device until `Recorder.fields`, which moves each field to the host once.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from engine.trace import ALONG_TEXT, Axis, Field, FieldSpec, Table, TableSpec


class Tap(Protocol):
    def __call__(self, name: str, value: Any, axes: tuple[str, ...]) -> Any: ...
    def at(self, **index: int) -> Tap: ...
    def change(self, name: str, value: Any, axes: tuple[str, ...]) -> Any: ...
    def table(self, name: str, make: Callable[[], Mapping[str, np.ndarray]]) -> None: ...
    def wants(self, name: str) -> bool: ...
    def edits(self, *names: str) -> bool: ...


class _PassThrough:
    def __call__(self, name: str, value: Any, axes: tuple[str, ...]) -> Any:
        return value

    def at(self, **index: int) -> _PassThrough:
        return self

    def change(self, name: str, value: Any, axes: tuple[str, ...]) -> Any:
        return value

    def table(self, name: str, make: Callable[[], Mapping[str, np.ndarray]]) -> None:
        return None

    def wants(self, name: str) -> bool:
        return False

    def edits(self, *names: str) -> bool:
        return False


passthrough: Tap = _PassThrough()


@dataclass(frozen=True, slots=True)
class Edit:
    """Set the numbers of field `name` at `where` (axis -> position in the whole text) to `to`."""

    name: str
    where: Mapping[str, int]
    to: float = 0.0

    def apply(self, value: Any, axes: tuple[str, ...], at: Mapping[str, int], origin: int = 0) -> Any:
        """`value` changed, as a copy.  A position outside it changes nothing.  KeyError for an axis it does not have."""
        unknown = set(self.where) - set(axes) - set(at)
        if unknown:
            raise KeyError(f"edit of {self.name!r}: it has axes {(*at, *axes)}, not {sorted(unknown)}")
        where = {a: p - origin if a in ALONG_TEXT else p for a, p in self.where.items()}
        if any(at[a] != p for a, p in where.items() if a in at):
            return value
        if any(not 0 <= p < value.shape[axes.index(a)] for a, p in where.items() if a in axes):
            return value
        changed = value.clone() if hasattr(value, "clone") else value.copy()
        changed[tuple(where.get(a, slice(None)) for a in axes)] = self.to
        return changed


class Recorder:
    """Keeps the fields asked for (all when `fields` is None), cut to `window` along the text.

    window  (start, stop) among the tokens of this run; None keeps all
    origin  position in the whole text of the first token of this run
    """

    def __init__(
        self,
        edits: Iterable[Edit] = (),
        fields: Collection[str] | None = None,
        window: tuple[int, int] | None = None,
        origin: int = 0,
    ) -> None:
        self._edits, self._asked, self._window, self._origin = tuple(edits), fields, window, origin
        self._at: dict[str, int] = {}
        self._seen: dict[str, dict[tuple[int, ...], Any]] = {}
        self._axes: dict[str, tuple[str, ...]] = {}
        self._tables: dict[str, Mapping[str, np.ndarray] | None] = {}

    def at(self, **index: int) -> Recorder:
        child = Recorder.__new__(Recorder)
        child.__dict__ = {**self.__dict__, "_at": {**self._at, **index}}
        return child

    def wants(self, name: str) -> bool:
        return self._asked is None or name in self._asked

    def edits(self, *names: str) -> bool:
        return any(edit.name in names for edit in self._edits)

    def change(self, name: str, value: Any, axes: tuple[str, ...]) -> Any:
        """Apply the edits only; for loops that record their steps together at the end."""
        for edit in self._edits:
            if edit.name == name:
                value = edit.apply(value, axes, self._at, self._origin)
        return value

    def table(self, name: str, make: Callable[[], Mapping[str, np.ndarray]]) -> None:
        """Keep the columns that `make` returns.  A column `position` counts tokens of this run: it is cut to the window."""
        self._tables[name] = self._cut(make()) if self.wants(name) else None

    def _cut(self, columns: Mapping[str, np.ndarray]) -> Mapping[str, np.ndarray]:
        if not self._window or "position" not in columns:
            return columns
        start, stop = self._window
        inside = (columns["position"] >= start) & (columns["position"] < stop)
        return {name: c[inside] - start if name == "position" else c[inside] for name, c in columns.items()}

    def __call__(self, name: str, value: Any, axes: tuple[str, ...]) -> Any:
        kept = value = self.change(name, value, axes)
        if axes[:1] == ("batch",):  # a trace is of one text
            kept, axes = value[0], axes[1:]
        self._axes[name] = (*self._at, *axes)
        parts = self._seen.setdefault(name, {})
        if self.wants(name):
            if self._window:
                kept = kept[tuple(slice(*self._window) if a in ALONG_TEXT else slice(None) for a in axes)]
            parts[tuple(self._at.values())] = kept
        return value

    def fields(
        self, specs: Iterable[FieldSpec | TableSpec], labels: Mapping[str, tuple[str, ...]]
    ) -> tuple[Field | Table, ...]:
        """One field or table per promise that was asked for.  LookupError where promise and taps disagree."""
        return tuple(self._one(spec, labels) for spec in self.promised(specs))

    def promised(self, specs: Iterable[FieldSpec | TableSpec]) -> tuple[FieldSpec | TableSpec, ...]:
        """The promises that were asked for.  LookupError where promise and taps disagree."""
        specs = tuple(specs)
        tapped = set(self._seen) | set(self._tables)
        missing = [s.name for s in specs if s.name not in tapped]
        extra = tapped - {s.name for s in specs}
        if missing or extra:
            raise LookupError(f"promised but not tapped: {missing}; tapped but not promised: {sorted(extra)}")
        return tuple(spec for spec in specs if self.wants(spec.name))

    def _one(self, spec: FieldSpec | TableSpec, labels: Mapping[str, tuple[str, ...]]) -> Field | Table:
        if isinstance(spec, TableSpec):
            return Table(spec, self._tables[spec.name] or {})
        values = self.values(spec)
        axes = tuple(
            Axis(name, labels.get(name) or tuple(str(i) for i in range(size)))
            for name, size in zip(spec.axes, values.shape, strict=True)
        )
        return Field(spec, values, axes)

    def values(self, spec: FieldSpec) -> np.ndarray:
        """The numbers kept for a promise, float32, axes in its order.  LookupError where it has others."""
        if self._axes[spec.name] != spec.axes:
            raise LookupError(f"{spec.name}: promised axes {spec.axes}, tapped {self._axes[spec.name]}")
        return _stack(self._seen[spec.name])


def _stack(parts: dict[tuple[int, ...], Any]) -> np.ndarray:
    """Values by loop index -> one float32 array with the loop indices in front; one move to the host."""
    keys = sorted(parts)
    lead = tuple(max(k[i] for k in keys) + 1 for i in range(len(keys[0])))
    values = [parts[k] for k in keys]
    if hasattr(values[0], "detach"):
        import torch

        joined = (torch.stack(values) if lead else values[0]).detach().float().cpu().numpy()
    else:
        joined = np.asarray(np.stack(values) if lead else values[0], np.float32)
    return joined.reshape(*lead, *values[0].shape)
