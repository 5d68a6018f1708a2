"""View: a pure function from fields (or a table) to a figure, and what it can accept.

Here too is what every view shares: how a Vega-Lite specification becomes a `Figure`, and how
numbers, titles and axes are worded.  Labels come from people, so none ever reaches a specification
except through `theme.visible` and `listed`.
"""

from __future__ import annotations

import io
import json
import math
import textwrap
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.core.trace import ALONG_TEXT, Axis, Field, FieldSpec, Kind, TableSpec
from engine.language.message import _, spoken
from engine.language.numbers import number
from engine.text.segmentation import clusters
from engine.views import theme
from engine.views.figure import Figure

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True)
class Need:
    """One shape of input that a view draws.  Axes beyond it are picked by the reader first.

    axes     these names, or any this many
    kinds    the kinds it can colour
    columns  for a table: the columns it must have (then axes and kinds do not matter)
    many     whether several such inputs may be drawn together
    """

    axes: tuple[str, ...] | int = 0
    kinds: frozenset[Kind] = frozenset(Kind)
    columns: tuple[str, ...] = ()
    many: bool = False

    def keeps(self, spec: FieldSpec | TableSpec) -> tuple[str, ...] | None:
        """The axes (or columns) the view would draw of `spec`, in the field's own order, or None
        when it cannot."""
        if isinstance(spec, TableSpec):
            return self.columns if self.columns and set(self.columns) <= set(spec.columns) else None
        if self.columns or spec.kind not in self.kinds:
            return None
        if isinstance(self.axes, int):
            return spec.axes[-self.axes :] if len(spec.axes) >= self.axes else None
        return (
            tuple(a for a in spec.axes if a in self.axes)
            if set(self.axes) <= set(spec.axes)
            else None
        )


@dataclass(frozen=True, slots=True)
class View:
    """`draw(*fields, dark=False, of="", ...)`: `of` names model and layer, and is written under the
    title."""

    title: str
    question: str  # what the reader learns by looking
    needs: tuple[Need, ...]  # any one of them will do
    draw: Callable[..., Figure]
    canvas: str = ""  # the live drawer of the same thing, where there is one

    def keeps(self, spec: FieldSpec | TableSpec) -> tuple[str, ...] | None:
        """What the first need that fits would draw of `spec`, or None."""
        found = (need.keeps(spec) for need in self.needs)
        return next((kept for kept in found if kept is not None), None)


AXIS_TITLES = {
    "token": "token",
    "next": "next token",
    "query": "query: the token that attends",
    "key": "key: the token attended to",
    "dim": "dimension",
    "step": "training step",
    "order": "n-gram order",
    "bin": "value",
    # what the labels are, they say themselves
    **dict.fromkeys(("label", "language", "method", "tag"), ""),
}


def axis_title(name: str) -> str:
    return AXIS_TITLES.get(name, name)


def is_share(spec: FieldSpec) -> bool:
    """Whether the numbers are read in per cent."""
    return spec.kind in (Kind.PROBABILITY, Kind.ATTENTION)


NATURAL = ("bits", "nats", "%")


def measure(spec: FieldSpec) -> str:
    """What a legend or a number axis is called, with its unit."""
    unit = "%" if is_share(spec) else spec.unit or {Kind.LOSS: "bits"}.get(spec.kind, "")
    if unit and (spec.kind is Kind.GATE or (spec.kind is Kind.LOSS and unit not in NATURAL)):
        return unit  # of a loss: no surprisal, but what its unit says
    if spec.kind in (Kind.SCORE, Kind.STATE) and (unit or spec.symbol):
        return unit or spec.symbol
    if spec.kind is Kind.COSINE:
        return "cosine"
    name = {Kind.LOSS: "surprisal", Kind.STATE: "value"}.get(spec.kind, str(spec.kind))
    return _("{name} ({unit})", name=_(name), unit=_(unit)) if unit else name


def labels(axis: Axis, most: int = 24) -> list[str]:
    """Labels as they are drawn: in pieces of text a space is a character to be seen, in names (of
    units, heads) it is not."""
    return [word(label, axis.name, most) for label in axis.labels]


def word(label: str, axis_name: str, most: int = 24) -> str:
    names = axis_name not in ALONG_TEXT and axis_name not in ("next", "word", "source", "target")
    return theme.plain(label, most) if names and label.strip() else theme.visible(label, most)


def width_of(word: str, size: int = 11) -> int:
    """About how many pixels a word takes; enough to lay out by, and the same on every machine."""
    return math.ceil(sum(map(_width, clusters(word))) * size)


def _width(character: str) -> float:
    wide = [
        0.0
        if unicodedata.category(c) in ("Mn", "Me", "Cf")
        else 1.05
        if unicodedata.east_asian_width(c) in "WF"
        else 0.58
        for c in character
    ]
    joined = "\u200d" in character and max(wide) > 1  # emoji in one
    return max(wide) * 1.5 if joined else sum(wide)


def listed(words: Iterable[str]) -> str:
    """Words as an array of a Vega expression: one JSON string in ASCII, cut at a sign that
    `theme.visible` never leaves in a word.

    Not an array of strings: Vega takes a string that is the name of one of its functions ("if") for
    a call, and fails.
    """
    joined = "".join(f"{spoken(word)}\x01" for word in words)
    return f"split({json.dumps(joined)}, {json.dumps(chr(1))})"


def heading(title: str, lines: Iterable[str], width: int) -> dict[str, Any]:
    """Title and subtitle, folded to the width of the picture in pixels."""
    fold = textwrap.TextWrapper(width=max(30, width // 7), break_long_words=True).wrap
    under = [
        part
        for line in lines
        if line
        for part in textwrap.wrap(theme.plain(line), max(36, width // 6))
    ]
    found: dict[str, Any] = {"text": fold(theme.plain(title)) or [" "]}
    return {**found, "subtitle": under} if under else found


def says(spec: FieldSpec) -> str:
    """The title of a field: its sentence and its letter."""
    words = sentence(spec.says) or spec.name
    return f"{words} ({spec.symbol})" if spec.symbol else words


def sentence(words: str) -> str:
    """A sentence as a title: without its full stop."""
    return spoken(words).strip().removesuffix(".")


def rows(columns: Mapping[str, Sequence[Any] | np.ndarray]) -> dict[str, Any]:
    """Inline data, one object a row.  What is not finite becomes null, which JSON can hold."""
    plain = [
        np.asarray(c).tolist() if isinstance(c, np.ndarray) else list(c) for c in columns.values()
    ]
    tidy = [
        [None if isinstance(v, float) and not math.isfinite(v) else v for v in column]
        for column in plain
    ]
    return {"values": [dict(zip(columns, row, strict=True)) for row in zip(*tidy, strict=True)]}


def pack(columns: Mapping[str, np.ndarray], blank: bool = False) -> dict[str, Any]:
    """Inline data for many rows of numbers, as CSV: a quarter of the bytes and five times faster to
    check.

    blank  write what is not finite as nothing, which breaks a line there
    """
    text = io.StringIO()
    text.write(",".join(columns) + "\n")
    for row in zip(*(c.tolist() for c in columns.values()), strict=True):
        cells = (
            (
                ""
                if blank and isinstance(v, float) and not math.isfinite(v)
                else f"{v:.7g}"
                if isinstance(v, float)
                else str(v)
            )
            for v in row
        )
        text.write(",".join(cells) + "\n")
    return {
        "values": text.getvalue(),
        "format": {"type": "csv", "parse": dict.fromkeys(columns, "number")},
    }


def chart(
    title: str,
    lines: Iterable[str],
    layers: list[dict[str, Any]],
    frame: pd.DataFrame,
    alt_text: str,
    *,
    width: int,
    height: int,
    dark: bool,
    data: dict[str, Any] | None = None,
) -> Figure:
    """The layers as one figure in the house style."""
    import altair as alt
    from altair.utils import schemapi

    # Marks and encodings stay plain dictionaries, checked once when the chart is written:
    # `from_dict`, or a check of each part when it is made, would check every part of every part on
    # the way in, which takes five times as long as all the rest.
    schemapi.disable_debug_mode()
    made: dict[str, Any] = {
        "data": lambda data: alt.InlineData(**data),
        "encoding": lambda channels: alt.FacetedEncoding(**channels),
    }
    given: list[dict[str, Any]] = [
        {k: made[k](v) if k in made else v for k, v in _said(layer).items()} for layer in layers
    ]
    alt_text = spoken(alt_text)
    parts = [alt.Chart(**layer) for layer in given]
    whole = alt.LayerChart(
        layer=parts,
        data=alt.InlineData(**data) if data else alt.Undefined,
        title=heading(title, lines, width),
        description=alt_text,
        width=width,
        height=height,
        config=theme.altair_theme(dark),
    )
    return Figure(theme.plain(title), whole, frame, alt_text)


def _said(part: Any) -> Any:
    """With its titles in the language that is drawn in."""
    if isinstance(part, list):
        return [_said(one) for one in part]
    if not isinstance(part, dict):
        return part
    return {
        key: spoken(value, label=True)
        if key == "title" and isinstance(value, str)
        else value
        if key == "data"
        else _said(value)
        for key, value in part.items()
    }


def arranged(field: Field, axis: str, positions: Sequence[int]) -> Field:
    """These positions of an axis, in this order; each keeps its label."""
    n, at = field.axis_names.index(axis), list(positions)
    kept = Axis(axis, tuple(field.axes[n].labels[i] for i in at))
    return Field(
        field.spec, field.values.take(at, axis=n), (*field.axes[:n], kept, *field.axes[n + 1 :])
    )


def join_figures(
    title: str, of: str, figures: list[Figure], names: list[str], *, columns: int, dark: bool
) -> Figure:
    """Several figures as one, `columns` side by side; each keeps its scales.  The table says in
    `figure` whose row is whose."""
    import altair as alt
    import pandas as pd

    charts = [figure.chart.copy(deep=False) for figure in figures]
    for part in charts:
        part.config = alt.Undefined  # only the whole has one
    words = _(" ").join(figure.alt_text for figure in figures)
    whole = alt.ConcatChart(
        concat=charts,
        columns=columns,
        title=heading(title, (of,), 900),
        description=words,
        spacing=30,
        resolve=alt.Resolve(scale={"color": "independent"}),
        config=theme.altair_theme(dark),
    )
    frame = pd.concat(
        [f.frame.assign(figure=name) for f, name in zip(figures, names, strict=True)],
        ignore_index=True,
    )
    return Figure(theme.plain(title), whole, frame, words)


def tell_unsound(values: np.ndarray) -> str:
    """The sentence about numbers that are not finite; empty when all are."""
    counts = {
        "? not a number": np.isnan(values).sum(),
        "∞": np.isposinf(values).sum(),
        "−∞": np.isneginf(values).sum(),
    }
    said = ", ".join(f"{n:,} × {sign}" for sign, n in counts.items() if n)
    return _("Not finite, so without colour: {said}.", said=said) if said else ""


def tell_outside(values: np.ndarray, over: theme.Scale) -> str:
    """The sentence about numbers beyond the ends of the colour scale; empty when there are none."""
    room = 1e-6 * (over.high - over.low)
    beyond = np.isfinite(values) & ((values < over.low - room) | (values > over.high + room))
    if not beyond.any():
        return ""
    far = values[beyond][np.abs(values[beyond]).argmax()]
    return _(
        "{beyond:,} beyond the ends of the scale (as far as {far}) have the end colour.",
        beyond=beyond.sum(),
        far=number(float(far)),
    )


def drawn_scale(
    spec: FieldSpec, values: np.ndarray, domain: tuple[float, float] | None = None
) -> theme.Scale:
    """The colour scale of a field, given the numbers that are drawn; `domain` (low, high) overrides
    its own."""
    if domain is not None:
        spec = replace(spec, domain=domain)
    finite = values[np.isfinite(values)]
    return theme.scale(spec, float(np.abs(finite).max()) if finite.size else None)


def keep_largest(field: Field, name: str, most: int) -> tuple[Field, np.ndarray, str]:
    """At most `most` positions of an axis: the cut field, the positions kept, and the sentence on
    what was left out.

    Along the text and along training the first are kept, elsewhere those with the largest numbers,
    largest first.
    """
    axis, at = field.axis(name), field.axis_names.index(name)
    if len(axis) <= most:
        return field, np.arange(len(axis)), ""
    if name in ALONG_TEXT or name == "step":
        chosen, why = np.arange(most), "the first"
    else:
        size = np.where(np.isfinite(field.values), np.abs(field.values), 0).max(
            tuple(i for i in range(field.values.ndim) if i != at)
        )
        chosen, why = np.argsort(-size, kind="stable")[:most], "those with the largest numbers"
    kept = Axis(name, tuple(axis.labels[i] for i in chosen.tolist()))
    axes = tuple(kept if a is axis else a for a in field.axes)
    cut = Field(field.spec, np.ascontiguousarray(field.values.take(chosen, at)), axes)
    return (
        cut,
        chosen,
        _(
            "{most:,} of {axis:,} {value} positions are drawn, {why}.",
            most=most,
            axis=len(axis),
            value=axis_title(name) or name,
            why=_(why),
        ),
    )


def with_axes(spec: FieldSpec, axes: tuple[str, ...]) -> FieldSpec:
    return replace(spec, axes=axes)
