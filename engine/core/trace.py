"""Trace: the named numbers of one run of one model on one text.

A `Field` holds float32 numbers whose axes have names and labels, and whose `kind` says
what they mean; they may lie on a device until somebody asks for them.  A `Table` holds what is
ragged.  A `Trace` is the set of fields and tables that one run produced.  All are frozen: a view
may read them, never change them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.core.numbers import Array, Numbers
from engine.language.message import refusal

if TYPE_CHECKING:
    import pandas as pd

AXES = frozenset(
    "token next query key head layer unit state word dim step source target order rank point"
    " coordinate method tag label seen language bin block row column slot expert frame".split()
)
"""The closed list of axis names.  A layer or a head is an axis, never part of a field's name.
`row` and `column` (and `block` before them) are those of a parameter that has no better ones."""

ALONG_TEXT = frozenset({"token", "query", "key"})
"""Axes with one position per token of the text: these are the ones a window cuts."""


class Kind(StrEnum):
    """What the numbers of a field mean, and so which invariants they obey."""

    COUNT = "count"  # whole numbers, 0 or more
    PROBABILITY = "probability"  # last axis sums to 1
    ATTENTION = "attention"  # last axis sums to 1: where a position looks
    GATE = "gate"  # each in [0, 1]
    STATE = "state"  # any real number
    SCORE = "score"  # any real number; -inf where a mask forbids
    COSINE = "cosine"  # each in [-1, 1]
    GRADIENT = "gradient"  # any real number
    LOSS = "loss"  # 0 or more; the unit says bits or nats


@dataclass(frozen=True, slots=True)
class Axis:
    """One axis: its name ("token", "head", "unit") and a label per position.  Labels may repeat;
    positions may not."""

    name: str
    labels: Sequence[str]

    def __len__(self) -> int:
        return len(self.labels)


@dataclass(frozen=True, slots=True)
class FieldSpec:
    """What a model promises to record under one name, before it has run."""

    name: str  # "gate.forget": part, dot, quantity
    kind: Kind
    axes: tuple[str, ...]
    says: str  # one sentence that a reader without the formula understands
    symbol: str = ""  # its letter in the lesson's equation: "f_t"
    unit: str = ""  # "bits", "occurrences"; empty where the kind says it all
    domain: tuple[float, float] | None = (
        None  # what the colour scale spans, where the kind's own range does not fit
    )
    derived: bool = (
        False  # computed for the reader alone: nothing follows from it, so no edit changes it
    )
    causal: bool = True
    """The numbers at a token follow from the tokens up to that one alone: no later token changes
    them, nor another text read beside these (a source).  Along (query, key) the row of a token has
    only 0, or -inf where the field is a score, at the keys that come later.  Of a field without an
    axis along the text: none of its numbers changes when more is typed."""

    def __post_init__(self) -> None:
        unknown = set(self.axes) - AXES
        if unknown:
            raise refusal("{self.name}: no axis {unknown}; there are {AXES}")


@dataclass(frozen=True, slots=True, eq=False)
class Field:
    """`numbers` have one dimension per axis, in that order, and may lie on a device; `values` are
    all of them on the host, float32, read-only."""

    spec: FieldSpec
    numbers: Numbers | np.ndarray
    axes: tuple[Axis, ...]

    def __post_init__(self) -> None:
        want = tuple([len(axis.labels) for axis in self.axes])
        names = tuple([axis.name for axis in self.axes])
        if self.numbers.shape != want or self.spec.axes != names:
            raise refusal(
                "{self.spec.name}: values {self.numbers.shape}, axes {self.spec.axes} of {names}"
                " with {want}"
            )
        if isinstance(self.numbers, np.ndarray):
            values = np.asarray(self.numbers, np.float32).view()
            values.setflags(write=False)
            object.__setattr__(self, "numbers", values)

    @property
    def values(self) -> np.ndarray:
        """All numbers; fetched from where they lie the first time they are asked for, and kept."""
        return self.numbers if isinstance(self.numbers, np.ndarray) else self.numbers.host()

    @property
    def shape(self) -> tuple[int, ...]:
        """Of the numbers, wherever they lie."""
        return self.numbers.shape

    def rows(self, start: int, stop: int | None = None) -> np.ndarray:
        """The numbers at the positions from `start` to `stop` along the text, and nothing else
        fetched: as `values` cut along its first axis of the text; all where it has none."""
        return self.growing.rows(start, stop)

    @property
    def growing(self) -> Numbers:
        """The numbers where they lie, to which those of later tokens can be added."""
        return self.numbers if isinstance(self.numbers, Numbers) else lying(self.spec, self.numbers)

    @classmethod
    def of(
        cls,
        name: str,
        kind: Kind,
        axes: Mapping[str, Iterable[object]],
        values: np.ndarray,
        says: str,
        symbol: str = "",
        **promised: Any,
    ) -> Field:
        """A field and its spec at once, for numbers that no model promised.

        axes      {axis: a label per position, whatever turns into a string}
        promised  `unit`, `domain` ... of its `FieldSpec`
        """
        spec = FieldSpec(name, kind, tuple(axes), says, symbol, **promised)
        return cls(spec, values, tuple(Axis(a, tuple(map(str, of))) for a, of in axes.items()))

    @property
    def axis_names(self) -> tuple[str, ...]:
        return self.spec.axes  # the same, since it was made

    def axis(self, name: str) -> Axis:
        for axis in self.axes:
            if axis.name == name:
                return axis
        raise refusal("{self.spec.name} has axes {self.axis_names}, not {name!r}", KeyError)

    def pick(self, **position: int) -> Field:
        """The slice at the given positions; those axes disappear.  KeyError for an axis it does not
        have."""
        unknown = set(position) - set(self.axis_names)
        if unknown:
            raise refusal("{self.spec.name} has axes {self.axis_names}, not {unknown}", KeyError)
        index = tuple(position.get(a.name, slice(None)) for a in self.axes)
        kept = tuple(a for a in self.axes if a.name not in position)
        found = (
            self.numbers.picked(index)
            if isinstance(self.numbers, Numbers)
            else np.asarray(self.numbers[index])
        )
        return Field(_along(self.spec, tuple([a.name for a in kept])), found, kept)

    def frame(self) -> pd.DataFrame:
        """Long form: one row per number; per axis its position and its label."""
        import pandas as pd

        columns: dict[str, np.ndarray] = {}
        for axis, index in zip(self.axes, np.indices(self.values.shape), strict=True):
            flat = index.ravel()
            columns[axis.name] = flat
            columns[f"{axis.name}_label"] = np.array(axis.labels, dtype=object)[flat]
        columns["value"] = self.values.ravel()
        return pd.DataFrame(columns)

    def problems(self) -> list[str]:
        """The invariants of its kind that the numbers break; empty when sound."""
        v, name = self.values, self.spec.name
        if self.spec.kind is Kind.SCORE:
            return (
                [f"{name}: not a number, or +inf"] if (np.isnan(v) | np.isposinf(v)).any() else []
            )
        found = [] if np.isfinite(v).all() else [f"{name}: not all finite"]
        if not v.size:
            return found
        match self.spec.kind:
            case Kind.PROBABILITY | Kind.ATTENTION if (
                not np.allclose(v.sum(-1, dtype=np.float64), 1, atol=1e-4) or v.min() < 0
            ):
                found.append(f"{name}: last axis does not sum to 1")
            case Kind.GATE if v.min() < 0 or v.max() > 1:
                found.append(f"{name}: outside [0, 1]")
            case Kind.COSINE if np.abs(v).max() > 1 + 1e-5:
                found.append(f"{name}: outside [-1, 1]")
            case Kind.COUNT | Kind.LOSS if v.min() < 0:
                found.append(f"{name}: below 0")
        return found


@lru_cache(4096)
def _along(spec: FieldSpec, axes: tuple[str, ...]) -> FieldSpec:
    return replace(spec, axes=axes)


def lying(spec: FieldSpec, values: Array) -> Numbers:
    """The numbers of a field where they lie: `values` in one piece, float32, an array or a tensor.
    What a token can't look at yet is 0, or -inf where the field is a score."""
    along, across = _texts(spec.axes)
    return Numbers((values,), along, across, -math.inf if spec.kind is Kind.SCORE else 0.0)


@lru_cache(4096)
def _texts(axes: tuple[str, ...]) -> tuple[int | None, int | None]:
    """The first two axes along the text."""
    along, across, *_ = (*(i for i, a in enumerate(axes) if a in ALONG_TEXT), None, None)
    return along, across


@dataclass(frozen=True, slots=True)
class TableSpec:
    """The promise of a ragged record: its name, its columns in order, one sentence."""

    name: str
    columns: tuple[str, ...]
    says: str
    causal: bool = True  # the rows of a token follow from the tokens up to that one alone


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """Columns of equal length: numbers or strings."""

    spec: TableSpec
    columns: Mapping[str, np.ndarray]

    def __post_init__(self) -> None:
        if tuple(self.columns) != self.spec.columns:
            raise refusal(
                "{self.spec.name}: promised columns {self.spec.columns}, came {self.columns}"
            )

    @classmethod
    def of(
        cls, name: str, says: str, columns: Mapping[str, Any], whole: Sequence[str] = ()
    ) -> Table:
        """A table and its spec at once, for columns that no model promised: words stay what they
        are, numbers become floats, but in the columns that are `whole`."""
        made = {}
        for column, values in columns.items():
            held = list(values)
            number = int if column in whole else float
            made[column] = np.array(held, object if held and isinstance(held[0], str) else number)
        return cls(TableSpec(name, tuple(made), says), made)

    @classmethod
    def of_rows(
        cls, name: str, says: str, columns: Sequence[str], rows: Sequence[Sequence[object]]
    ) -> Table:
        """The same from rows."""
        return cls.of(
            name, says, {column: [r[i] for r in rows] for i, column in enumerate(columns)}
        )

    def frame(self) -> pd.DataFrame:
        import pandas as pd

        return pd.DataFrame(dict(self.columns))


class Trace(Mapping[str, Field | Table]):
    """The fields of one run, by name, in the order of the model's promise.

    tokens   the tokens kept, as the reader sees them
    ids      their vocabulary ids, int64
    spans    per token the (start, stop) it covers in `text`; (0, 0) for a start mark
    unknown  positions of tokens that are not in the vocabulary
    lost     per place that no token stands for the (start, stop) in `text`
    offset   position in the whole text of the first token kept
    total    number of tokens of the whole text
    """

    def __init__(
        self,
        text: str,
        tokens: tuple[str, ...],
        fields: tuple[Field | Table, ...],
        *,
        ids: np.ndarray | None = None,
        spans: tuple[tuple[int, int], ...] = (),
        unknown: tuple[int, ...] = (),
        lost: tuple[tuple[int, int], ...] = (),
        offset: int = 0,
        total: int | None = None,
    ) -> None:
        self.text, self.tokens, self.spans = text, tokens, spans
        self.unknown, self.lost = unknown, lost
        self.ids = np.zeros(0, np.int64) if ids is None else ids
        self.offset, self.total = offset, len(tokens) if total is None else total
        self._fields = {field.spec.name: field for field in fields}

    def __getitem__(self, name: str) -> Field | Table:
        if name not in self._fields:
            raise refusal("no field {name!r}; this trace has {self._fields}", KeyError)
        return self._fields[name]

    def __contains__(self, name: object) -> bool:
        return name in self._fields  # Mapping's own asks `[]`, and a KeyError costs a sentence

    def field(self, name: str) -> Field:
        """Like `trace[name]`, for a name that is known to be a field and not a table."""
        found = self[name]
        if not isinstance(found, Field):
            raise refusal("{name!r} is a table, not a field", TypeError)
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(self._fields)

    def __len__(self) -> int:
        return len(self._fields)

    @property
    def size_bytes(self) -> int:
        return sum(4 * math.prod(f.shape) for f in self._fields.values() if isinstance(f, Field))

    @property
    def device(self) -> str:
        """Where its numbers lie: "cpu", "cuda:0"."""
        held = (f.numbers for f in self._fields.values() if isinstance(f, Field))
        places = (n.device for n in held if isinstance(n, Numbers))
        return next((place for place in places if place != "cpu"), "cpu")
