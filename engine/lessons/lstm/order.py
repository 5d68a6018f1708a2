"""The units of a layer in the order chosen, for saved figures; assets/live/sums/order.js says the same
for the screen.

A statistic is taken over the tokens shown, in double precision, and kept as float32; equal units
stand by number, those without a value last.  Shapes: T = tokens, U = units.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from engine.analysis import ledger
from engine.core.trace import Trace
from engine.language.message import _
from engine.lessons import looked
from engine.live.drawing import Drawing, Look, Traces, picked

STATISTICS = {
    "mean": "mean",
    "range": "range",
    "last": "last value",
    "change": "change at the chosen token",
    "half_life": "half-life",
    "correlation": "correlation",
    "similar": "similarity of shape",
}
ROUNDS = 8


def statistic(
    name: str, x_TU: np.ndarray, y_TU: np.ndarray, complement: bool = False, token: int = 0
) -> np.ndarray:
    """One number per unit (U,).  `y_TU` matters to the correlation only, `token` to the change."""
    x_TU, y_TU = x_TU.astype(float), y_TU.astype(float)
    match name:
        case "mean":
            return x_TU.mean(0).astype(np.float32)
        case "range":
            return np.ptp(x_TU, 0).astype(np.float32)
        case "last":
            return x_TU[-1].astype(np.float32)
        case "change":
            moved_U = np.abs(x_TU[token] - x_TU[token - 1]) if token else np.zeros(x_TU.shape[1])
            return moved_U.astype(np.float32)
        case "half_life":
            with np.errstate(divide="ignore"):
                m_U = np.log(1 - x_TU if complement else x_TU).mean(0)
                return np.where(m_U < 0, np.log(2) / -m_U, np.inf).astype(np.float32)
        case "correlation":
            p_TU, q_TU = x_TU - x_TU.mean(0), y_TU - y_TU.mean(0)
            with np.errstate(invalid="ignore", divide="ignore"):
                lengths_U = np.sqrt((p_TU**2).sum(0) * (q_TU**2).sum(0))
                return ((p_TU * q_TU).sum(0) / lengths_U).astype(np.float32)
    return likeness(x_TU).astype(np.float32)


def likeness(x_TU: np.ndarray) -> np.ndarray:
    """The first principal component of the courses, each less its mean: power iteration from the
    one that moves most."""
    x_TU = x_TU - x_TU.mean(0)
    pattern_T = x_TU[:, (x_TU**2).sum(0).argmax()]
    share_U = np.zeros(x_TU.shape[1])
    for __ in range(ROUNDS + 1):
        share_U = x_TU.T @ (pattern_T / (np.sqrt((pattern_T**2).sum()) or 1))
        pattern_T = x_TU @ share_U
    return share_U


def order(
    trace: Trace, look: Look, keeps: Mapping[str, bool], names: Sequence[str]
) -> tuple[list[list[int]], str]:
    """Per layer its unit numbers from the top down, and the sentence that says so; ([], "") where
    they stand by number."""
    name = str(look.get("order", ""))
    among = list(keeps) if name == "half_life" else list(names)
    if name not in STATISTICS or not among or not trace.tokens:
        return [], ""
    by = look["by"] if look.get("by") in among else among[0]
    other = look["with"] if look.get("with") in names else names[0]
    x_LTU, y_LTU = trace.field(by).values, trace.field(other).values
    token = looked.token(trace, look)
    up = bool(look.get("up"))
    found = []
    if name == "half_life":
        x_LTU = x_LTU[:, ledger.first(trace.offset, x_LTU.shape[1]) :]
    for x_TU, y_TU in zip(x_LTU, y_LTU, strict=True):
        value_U = statistic(name, x_TU, y_TU, keeps.get(by, False), token).tolist()
        found.append(sorted(range(len(value_U)), key=partial(_rank, value_U, up)))
    of = _(" with {other}", other=other) if name == "correlation" else ""
    first = "smallest" if up else "largest"
    return found, _(
        "Units sorted by {statistics} of {by}{of}, {first} first.",
        statistics=_(STATISTICS[name]),
        by=_(by),
        of=_(of),
        first=first,
    )


def in_order(
    reader: str,
    view: str,
    fields: Sequence[str],
    axes: Sequence[str],
    keeps: Mapping[str, bool],
    names: Sequence[str],
) -> Any:
    """A `Panel.figure`: like `picked`, with the units in the order chosen, and only the places that
    are shown."""
    plain = picked(reader, view, fields, axes)

    def make(traces: Traces, look: Look) -> Drawing:
        drawing: Drawing = plain(traces, look)
        units_LU, said = order(drawing.trace, look, keeps, names)
        count = len(drawing.trace.field(drawing.names[0]).axis("unit"))
        if units_LU and len(units_LU[0]) != count:  # this field has other units
            units_LU, said = [], ""
        units_U = units_LU[drawing.picks["layer"]] if units_LU else list(range(count))
        shown = max(1, min(count, int(look.get("shown") or count)))
        first = max(0, min(count - shown, int(look.get("first") or 0)))
        if not units_LU and shown == count:
            return drawing
        options = {"units": units_U[first : first + shown], "sorted_by": said}
        return replace(drawing, options=options)

    return make


def _rank(value_U: list[float], up: bool, unit: int) -> tuple[bool, float, int]:
    """The place of a unit: by its number, what is none last."""
    value = value_U[unit]
    return value != value, value if up else -value, unit
