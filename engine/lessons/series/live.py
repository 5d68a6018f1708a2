"""The live part of the page: the numbers in the text box as a line, every forecast of them with its fan, and what a net
holds after each number.

Shapes    T = numbers shown, U = units, Q = quantiles, H = numbers foretold
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from engine.core.trace import FieldSpec, Kind
from engine.frame.picture import Derived, Drawn, Live, Picture
from engine.lessons.series import classic, judge, nets, typed
from engine.lessons.series.head import Chosen
from engine.live import declared
from engine.live.reader import describe_unread
from engine.live.reply import ReadingPart, unread
from engine.live.stage import Stage, describe_field
from engine.live.window import Window

READER, SHOWN, BACK = (
    "numbers",
    3_000,
    36,
)  # characters shown; numbers before the end that one may go back
STATE = {
    "lstm": FieldSpec("state", Kind.STATE, ("token", "unit"), "", domain=(-1, 1)),
    "transformer": FieldSpec("state", Kind.STATE, ("token", "unit"), "", domain=(-3, 3)),
}


def asked(asks: Mapping[str, object], name: str, most: int) -> int:
    """A whole number from 0 to `most` that the page asks for."""
    found = asks.get(name, 0)
    return min(max(int(found), 0), most) if isinstance(found, int | float) else 0


def foretold(of: typed.Numbers, asks: Mapping[str, object]) -> tuple[dict[str, Any], Derived]:
    """What the browser draws of these numbers."""
    x_N = of.values
    said: dict[str, Any] = {
        "values": x_N.tolist(),
        "missing": np.flatnonzero(of.missing).tolist(),
        "left_out": len(of.unknown),
        "fans": None,
    }
    if len(x_N) < nets.LEAST:
        return said, {}
    back = asked(asks, "back", min(BACK, len(x_N) - nets.LEAST))
    known = x_N[: len(x_N) - back]
    found = judge.foretell(known, asked(asks, "order", classic.MOST_ORDER))
    net = "transformer" if asks.get("net") == "transformer" else "lstm"
    state = nets.state(net, known)
    state_TU = np.full((len(x_N), state.shape[1]), np.nan, np.float32)
    state_TU[len(known) - len(state) : len(known)] = state
    said |= {
        "known": len(known),
        "season": classic.season(known),
        "fans": {m: one.quantile_QH.tolist() for m, one in found.items()},
        "weights": {m: one.weights for m, one in found.items()},
        "net": net,
    }
    return said, {"state": (("token", "unit"), state_TU)}


def read(text: str, shown: Window, asks: Mapping[str, object]) -> tuple[ReadingPart, Derived]:
    """Of the numbers in the part of the text that is shown."""
    first, stop = shown
    of = typed.read(text[first:stop])
    said, derived = foretold(of, asks)
    spans = [(first + a, first + b) for a, b in of.spans] if len(of.values) else []
    labels = [text[a:b] for a, b in spans]
    return unread(READER, labels, [*map(list, spans)], said), derived


def options(_model: object) -> dict[str, Any]:
    covered = judge.measured()["covered"]
    return {
        "methods": [[m, judge.CALLED[m]] for m in judge.METHODS],
        "covered": {
            m: {
                band: float(np.mean([covered[f][m][band] for f in covered]))
                for band in ("50", "80", "95")
            }
            for m in judge.METHODS
        },
        "scales": {net: describe_field(spec)["scale"] for net, spec in STATE.items()},
        "back": BACK,
        "orders": classic.MOST_ORDER,
        "horizon": nets.HORIZON,
        "context": nets.CONTEXT,
        "least": nets.LEAST,
    }


PICTURE = Picture(
    "series",
    Drawn("series", options),
    "Your numbers, and what each method expects next",
)
PICTURES = Live((), (PICTURE,), most=SHOWN)


def stage(*, series: Chosen | None) -> Stage:
    reader = describe_unread(READER, "The numbers", "numbers", one="number")
    return declared.unread(PICTURES, reader, read)


LIVE = stage
