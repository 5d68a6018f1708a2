"""Surgery: edits of a model as a short text, the edited run, and what it changes.

What      one edit is `field:layer:unit:tokens:how:value`, several are joined by commas; counted
          from 0.  Layer and unit are one number, `3-9` (both ends included) or `*` for all; tokens
          are one number, `5-9`, or `5-` for "to the end".
          how is set (hold at the value), scale, add, or freeze (no value).
          gate.forget:1:212:5-:set:0 Where a field has heads, a head stands in place of the unit;
          where it goes from token to token, the tokens that look and the tokens looked at:
          reading:3:5:*:scale:0, attention:3:5:7:2:set:0 A field of any other axes names them, and
          leaves out those of which all are meant: part:order=2:token=5-:set:0
Source    interventions on single units: Bau et al., Identifying and Controlling Important Neurons
          in Neural Machine Translation, 2019; Lakretz et al., The Emergence of Number and Syntax
          Units in LSTM Language Models, 2019
Shapes    V = vocabulary; fields that can be edited are (layer, token, unit), (layer, head, token,
          dim), (layer, head, query, key)
Differs   Before the first edit and below the lowest edited layer both runs are the same, number for
          number: the edited run goes on from the run as it is, and takes those layers from it.  A
          model with attention reads the whole text anew.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.analysis.measure import surprisal
from engine.core.tap import Edit, How
from engine.core.trace import ALONG_TEXT, Axis, Field, FieldSpec, Kind, Trace
from engine.language.message import _, refusal
from engine.models.abilities import Attends
from engine.models.base import Model

if TYPE_CHECKING:
    from engine.models.base import Model

UNITS = ("layer", "token", "unit")
HEADS, PAIRS = ("layer", "head", "token", "dim"), ("layer", "head", "query", "key")
PLACED: dict[str, tuple[str, ...]] = dict.fromkeys(("attention", "score"), PAIRS) | dict.fromkeys(
    ("query", "key", "value", "reading"), HEADS[:3]
)
# of a block of attention, what is no field: the change that a norm makes, and what goes past a part
SWITCHES = ("attention.norm", "attention.skip", "feed_forward.norm", "feed_forward.skip")
MOST = 32  # edits at a time
LONGEST = 4_000  # characters of their text
BOUND = 1_000.0  # of a value
SURPRISAL = FieldSpec(
    "surprisal", Kind.LOSS, ("token",), "How surprising each token was.", "s", "bits"
)

Site = Mapping[str, int | None]
"""Where a field can be edited: axis -> how many positions it has; None along a text."""

Sizes = Mapping[str, tuple[int, int]] | Mapping[str, Site]
ALONG = ALONG_TEXT | {"source", "seen"}


def placed(name: str) -> tuple[str, ...]:
    """What says where an edit of a field is made, in the order of its text."""
    return PLACED.get(name, ("layer", "unit", "token"))


def operable(model: Model[Any]) -> dict[str, tuple[int, int]]:
    """The fields of a model that can be edited, and its switches: name -> (layers, units or heads)."""
    specs = [spec for spec in model.spec() if isinstance(spec, FieldSpec) and not spec.derived]
    names = [
        s.name for s in specs if s.axes == UNITS or (s.name in PLACED and s.axes in (HEADS, PAIRS))
    ]
    trace = model.trace("", fields=names)
    fields = {name: trace.field(name) for name in names}
    return {
        name: (len(f.axis("layer")), len(f.axis(placed(name)[1]))) for name, f in fields.items()
    } | switches(model)


def switches(model: Model[Any]) -> dict[str, tuple[int, int]]:
    """Norms and residual connections of a model with attention: name -> (layers, width)."""
    if not isinstance(model, Attends):
        return {}
    design = model.tower.design
    return {design.naming.prefix + name: (design.layers, design.width) for name in SWITCHES}


def sites(model: Model[Any], derived: bool = False) -> dict[str, Site]:
    """Every field of a model that can be edited, whatever its axes: its name, and where.

    derived  with those that cannot, since nothing follows from them
    """
    fields = [spec for spec in model.spec() if isinstance(spec, FieldSpec)]
    names = [spec.name for spec in fields if derived or not spec.derived]
    some = (model.trace(text, fields=names) for text in ("", "a", "a a"))
    trace = next((trace for trace in some if trace.tokens), None)
    if trace is None:
        return {}
    return {
        name: {a.name: None if a.name in ALONG else len(a) for a in trace.field(name).axes}
        for name in names
    }


def changeable(model: Model[Any]) -> dict[str, Site]:
    """`sites`, and the switches that are no fields."""
    found = switches(model).items()
    return sites(model) | {
        name: {"layer": layers, "unit": width, "token": None} for name, (layers, width) in found
    }


def write(edits: tuple[Edit, ...]) -> str:
    """The text of edits; `read` gives the same edits back."""
    return ",".join(
        ":".join(
            (e.name, *_places(e), e.how, *([_number(e.to)] if e.how is not How.FREEZE else []))
        )
        for e in edits
    )


def _places(edit: Edit) -> list[str]:
    """In the order of its text, or by name where that order has not all of them."""
    axes = placed(edit.name)
    if set(edit.where) <= set(axes):
        return [_place(edit.where, axis) for axis in axes]
    return [f"{axis}={_place(edit.where, axis)}" for axis in edit.where]


def read(text: str, sizes: Sizes) -> tuple[tuple[Edit, ...], list[str]]:
    """Edits from their text, and a sentence for each that cannot be made and is left out.  Any text
    is allowed."""
    edits: list[Edit] = []
    problems: list[str] = []
    for part in text[:LONGEST].split(","):
        if not part.strip():
            continue
        if len(edits) == MOST:
            problems.append(_("More than {most} edits: the first {most} are made.", most=MOST))
            break
        try:
            edits.append(_edit(part.strip(), sizes))
        except ValueError as problem:
            problems.append(
                _("Left out: “{part}”: {problem}.", part=part.strip()[:60], problem=problem)
            )
    return tuple(edits), problems


def _edit(part: str, sizes: Sizes) -> Edit:
    """ValueError, in words, for anything but an edit of these fields."""
    name, *rest = part.split(":")
    if name not in sizes:
        raise refusal("there is no such field; there are {sizes}", sizes=", ".join(sizes))
    axes, size = placed(name), sizes[name]
    site: Site = (
        dict(zip(axes, (*size, None, None), strict=False)) if isinstance(size, tuple) else size
    )
    named = [words for words in rest if "=" in words]
    if named or (rest and rest[0] in list(How)):
        pairs = [(words.partition("=")[0], words.partition("=")[2]) for words in named]
        said = rest[len(named) :]
    else:
        pairs, said = list(zip(axes, rest, strict=False)), rest[len(axes) :]
    if len(said) not in (1, 2):
        raise refusal("an edit of it is field:{axes}:how:value", axes=":".join(axes))
    where: dict[str, int | tuple[int, int | None]] = {}
    for axis, words in pairs:
        if axis not in site and words != "*":
            raise refusal("it has no {axis}; it has {site}", axis=axis[:20], site=", ".join(site))
        where |= _range(axis, site.get(axis), words)
    if said[0] not in list(How):
        raise refusal("an operation is one of {How}", How=", ".join(How))
    how = How(said[0])
    if how is How.FREEZE and "query" in site:
        raise ValueError("a weight can't be frozen: another token looks from another place")
    if (how is How.FREEZE) == (len(said) == 2):
        raise ValueError("freezing takes no value, everything else takes one")
    if how is How.FREEZE and "token" not in site:
        raise ValueError("it has no tokens, so there is none before to freeze it at")
    value = _value(said[1]) if len(said) == 2 else 0.0
    if how is How.SET and name.startswith("gate.") and not 0 <= value <= 1:
        raise ValueError("a gate lies between 0 and 1")
    return Edit(name, where, value, how)


def _range(axis: str, size: int | None, words: str) -> dict[str, int | tuple[int, int | None]]:
    if words == "*":
        return {}
    found = re.fullmatch(r"([0-9]{1,6})(-([0-9]{1,6})?)?", words)
    if not found or (found[2] == "-" and size is not None):
        raise refusal("“{words}” is no {axis} and no range of them")
    first, last = int(found[1]), int(found[3] or found[1])
    if last < first or (size is not None and last >= size):
        raise ValueError(
            _("{axis} {words} does not exist", axis=axis, words=words)
            if size is None
            else _("{axis}s go from 0 to {size}", axis=axis, size=size - 1)
        )
    if found[2] is None:
        return {axis: first}
    return {axis: (first, None if found[2] == "-" else last + 1)}


def _value(words: str) -> float:
    if (
        not re.fullmatch(r"-?[0-9]{1,9}(\.[0-9]{1,20})?(e-?[0-9]{1,3})?", words)
        or not abs(value := float(words)) <= BOUND
    ):
        raise refusal("a value is a number between -{BOUND:g} and {BOUND:g}")
    return value


def _place(where: Mapping[str, int | tuple[int, int | None]], axis: str) -> str:
    at = where.get(axis, "*")
    if not isinstance(at, tuple):
        return str(at)
    return f"{at[0]}-" if at[1] is None else f"{at[0]}-{at[1] - 1}"


def _number(value: float) -> str:
    return str(int(value)) if value.is_integer() else repr(value)


def words(edits: tuple[Edit, ...]) -> str:
    """What the edits do, for people: layers counted from 1, units and tokens as on the page."""
    done = {
        How.SET: "held at {to}",
        How.SCALE: "times {to}",
        How.ADD: "plus {to}",
        How.FREEZE: "frozen",
    }
    return (
        _("; ").join(
            _(
                "{name} of {where} {done} {where_2}",
                name=_(e.name),
                where=_named(e.where),
                done=_(done[e.how], to=_number(e.to)),
                where_2=_when(e.where),
            )
            if set(e.where) <= set(placed(e.name))
            else _(
                "{name} {done} at {e}",
                name=_(e.name),
                done=_(done[e.how], to=_number(e.to)),
                e=" ".join(_places(e)),
            )
            for e in edits
        )
        or "nothing"
    )


def _named(where: Mapping[str, int | tuple[int, int | None]]) -> str:
    # heads are counted from 1, as layers are
    axis, add = ("head", 1) if {"head", "query", "key"} & set(where) else ("unit", 0)
    part, layer = where.get(axis), where.get("layer")
    if isinstance(part, tuple):
        of: str = _(
            "{axis}s {part} to {value}",
            axis=axis,
            part=part[0] + add,
            value=(part[1] or 0) - 1 + add,
        )
    else:
        of = _("all {axis}s", axis=axis) if part is None else f"{axis} {part + add}"
    if layer is None:
        return _("{of} of all layers", of=_(of))
    return (
        _("{of}, layer {layer}", of=_(of), layer=layer + 1)
        if isinstance(layer, int)
        else _("{of}, layers {layer} to {layer_2}", of=_(of), layer=layer[0] + 1, layer_2=layer[1])
    )


def _when(where: Mapping[str, int | tuple[int, int | None]]) -> str:
    if "query" in where or "key" in where:
        looks, looked = (
            _when({"token": where[axis]} if axis in where else {}) for axis in ("query", "key")
        )
        return _("{looks}, looking {looked}", looks=looks, looked=looked)
    at = where.get("token")
    if at is None:
        return "everywhere"
    if isinstance(at, int):
        return _("at token {at}", at=at)
    return (
        _("from token {at} on", at=at[0])
        if at[1] is None
        else _("from token {at} to {at_2}", at=at[0], at_2=at[1] - 1)
    )


def begins(edits: tuple[Edit, ...]) -> float:
    """The first token that edits reach; infinite where there are none."""
    return min(
        (_first(e.where.get("query" if "query" in placed(e.name) else "token", 0)) for e in edits),
        default=math.inf,
    )


def parting(these: tuple[Edit, ...], those: tuple[Edit, ...]) -> float:
    """The first token about which two lists of edits may say different things; infinite where they
    are the same."""
    same = next(
        (i for i, (a, b) in enumerate(zip(these, those, strict=False)) if a != b),
        min(len(these), len(those)),
    )
    return begins(these[same:] + those[same:])


def head(trace: Trace, count: float) -> Trace | None:
    """The first `count` tokens of a trace; None where that is none."""
    n = int(min(count, len(trace.tokens)))
    if n <= 0 or not all(isinstance(f, Field) and "token" in f.axis_names for f in trace.values()):
        return None
    cut = {name: f.axis_names.index("token") for name, f in trace.items() if isinstance(f, Field)}
    fields = []
    for name, axis in cut.items():
        f = trace.field(name)
        axes = tuple(Axis(a.name, a.labels[:n]) if i == axis else a for i, a in enumerate(f.axes))
        fields.append(Field(f.spec, f.values[(slice(None),) * axis + (slice(n),)], axes))
    return Trace(
        trace.text,
        trace.tokens[:n],
        tuple(fields),
        ids=trace.ids[:n],
        spans=trace.spans[:n],
        offset=trace.offset,
        total=trace.total,
    )


def active(edits: tuple[Edit, ...]) -> tuple[Edit, ...]:
    """Those that may change something."""
    return tuple(e for e in edits if (e.how, e.to) not in ((How.SCALE, 1.0), (How.ADD, 0.0)))


def operate(
    model: Model[Any],
    plain: Trace,
    edits: tuple[Edit, ...],
    before: Trace | None = None,
    apart: float | None = None,
) -> Trace:
    """The edited run of the text of `plain`, with the same fields over the same tokens.

    before  an earlier edited trace whose edits say the same about its tokens before `apart`, of a
            text with the same tokens before its window; otherwise `plain` is gone on from
    """
    edits = active(edits)
    if not edits or not plain.tokens:
        return plain
    # every token looks at others: read all of them again
    if model.context is not None or not model.carries:
        again: Trace = model.trace(
            plain.text,
            edits,
            fields=tuple(plain),
            window=(plain.offset, plain.offset + len(plain.tokens)),
        )
        return again
    if before is None or apart is None:
        before, apart = plain, begins(edits)
    if apart - before.offset >= len(plain.tokens) and before is plain:
        return plain
    window, after = (
        (plain.offset, plain.offset + len(plain.tokens)),
        head(before, apart - before.offset),
    )
    if after is not None and (after.offset != plain.offset or after.ids[0] != plain.ids[0]):
        after = None
    carried: tuple[int, dict[str, np.ndarray]] | None = (
        None if after is None else (plain.offset, {})
    )  # all that is carried stands in `after`
    found: Trace = model.trace(
        plain.text, edits, fields=tuple(plain), window=window, after=after, carried=carried
    )
    return _raised(plain, found, min(_first(e.where.get("layer", 0)) for e in edits))


def _raised(plain: Trace, edited: Trace, lowest: int) -> Trace:
    """The layers below `lowest` as they are: an edit cannot reach them, and the rounding of another
    way there is no change."""
    if not lowest:
        return edited
    fields = []
    for name in edited:
        f = edited.field(name)
        below = f.spec.axes == UNITS
        values = (
            np.concatenate([plain.field(name).values[:lowest], f.values[lowest:]])
            if below
            else f.values
        )
        fields.append(Field(f.spec, values, f.axes))
    return Trace(
        edited.text,
        edited.tokens,
        tuple(fields),
        ids=edited.ids,
        spans=edited.spans,
        unknown=edited.unknown,
        offset=edited.offset,
        total=edited.total,
    )


def _first(at: int | tuple[int, int | None]) -> int:
    return at[0] if isinstance(at, tuple) else at


def compare(plain: Trace, edited: Trace) -> Trace:
    """One trace with every field of both runs: `edited.NAME`, `plain.NAME` and, but for
    probabilities, `change.NAME`."""
    fields = []
    for name in plain:
        a, b = plain.field(name), edited.field(name)
        fields += [_called(b, "edited"), _called(a, "plain")]
        if a.spec.kind is not Kind.PROBABILITY:
            with np.errstate(invalid="ignore"):  # two scores of -inf differ by nothing
                fields.append(
                    Field(
                        change(a.spec),
                        np.where(a.values == b.values, 0, b.values - a.values),
                        a.axes,
                    )
                )
    if "probability" in plain:
        axes = (plain.field("probability").axes[0],)
        for which, trace in (("edited", edited), ("plain", plain)):
            # the start mark is given: it surprises nobody
            bits_T = np.nan_to_num(surprisal(trace), nan=0.0)
            fields.append(_called(Field(SURPRISAL, bits_T.astype(np.float32), axes), which))
    return Trace(
        plain.text,
        plain.tokens,
        tuple(fields),
        ids=plain.ids,
        spans=plain.spans,
        unknown=plain.unknown,
        offset=plain.offset,
        total=plain.total,
    )


def _called(field: Field, which: str) -> Field:
    said = {"edited": "edited", "plain": "as it is"}[which]
    spec = field.spec
    spec = replace(
        spec,
        name=f"{which}.{spec.name}",
        says=f"{spec.says.removesuffix('.')}, {said}.",
        symbol=f"{spec.symbol} {said}",
    )
    return Field(spec, field.values, field.axes)


def change(spec: FieldSpec) -> FieldSpec:
    """The promise of a difference: edited minus as it is, on half the scale of its field."""
    reach = max(map(abs, spec.domain)) if spec.domain else 1.0
    says = _("The change of {name}, edited minus as it is.", name=_(spec.name))
    return replace(
        spec,
        name=f"change.{spec.name}",
        kind=Kind.STATE,
        says=says,
        symbol=f"Δ{spec.symbol}",
        domain=(-reach / 2, reach / 2),
    )


def moves(
    plain_TV: np.ndarray, edited_TV: np.ndarray, labels: Sequence[str], most: int
) -> list[list[list[Any]]]:
    """Per token the `most` next tokens that change most, largest change first: [label, p as it is,
    p edited].

    Those that change alike stand by their probability.
    """
    far_TV = np.abs(edited_TV - plain_TV) + 1e-9 * plain_TV.astype(np.float64)
    most = min(most, far_TV.shape[-1])
    some_TK = np.argpartition(-far_TV, most - 1, axis=-1)[:, :most]
    order_TK = np.take_along_axis(
        some_TK, np.argsort(-np.take_along_axis(far_TV, some_TK, -1), -1, kind="stable"), -1
    )
    return [
        [[labels[i], float(f"{p[i]:.6g}"), float(f"{e[i]:.6g}")] for i in ids]
        for p, e, ids in zip(plain_TV, edited_TV, order_TK.tolist(), strict=True)
    ]
