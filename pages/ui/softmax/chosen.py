"""What is chosen on the board: in the session, and in the address where it is not the usual."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from engine.analysis.softmax_loss import FARTHEST, Logits
from pages.ui import address

NAMES = ("s_z", "s_target", "s_t")
FIRST = (2.0, 1.0, 0.1, -1.0)
FEWEST, MANY = 2, 6
COLDEST, HOTTEST = 0.1, 10.0


def now() -> Logits:
    address.follow(*NAMES)
    z = _logits(_held("s_z", _written(FIRST)))
    target = _number(_held("s_target", 0), 0)
    t = min(HOTTEST, max(COLDEST, _number(_held("s_t", 1.0), 1.0)))
    found = Logits(z, int(min(len(z) - 1, max(0, target))), t)
    kept = {"s_z": _written(z), "s_target": found.target, "s_t": t}
    st.session_state.update(kept)
    usual = {"s_z": _written(FIRST), "s_target": "0", "s_t": "1"}
    said = {key: f"{v:g}" if isinstance(v, float) else str(v) for key, v in kept.items()}
    address.write_all({key: (said[key], usual[key]) for key in NAMES})
    address.leave(*NAMES)
    return found


def _held(key: str, usual: Any) -> Any:
    held = st.session_state.get(key)
    return st.query_params.get(key, usual) if held is None else held


def _written(z: Sequence[float]) -> str:
    return ",".join(f"{v:g}" for v in z)


def _number(said: Any, usual: float) -> float:
    try:
        found = float(said)
    except (TypeError, ValueError):
        return usual
    return found if math.isfinite(found) else usual


def _logits(said: Any) -> tuple[float, ...]:
    """Those that are written with commas between them; the usual ones where that is none."""
    parts = str(said)[:200].split(",")
    if not FEWEST <= len(parts) <= MANY:
        return FIRST
    found = [_number(part, math.nan) for part in parts]
    if not all(map(math.isfinite, found)):
        return FIRST
    return tuple(min(FARTHEST, max(-FARTHEST, v)) for v in found)


def wished(asked: Mapping[str, Any]) -> None:
    """Something was dragged or pressed on the board; what makes no sense is left out."""
    address.choosing(*NAMES)
    z = asked.get("z")
    if isinstance(z, list) and FEWEST <= len(z) <= MANY and all(map(_is_number, z)):
        st.session_state["s_z"] = _written(z)
    if _is_number(asked.get("target")):
        st.session_state["s_target"] = int(asked["target"])
    if _is_number(asked.get("t")):
        st.session_state["s_t"] = float(asked["t"])


def _is_number(value: Any) -> bool:
    return (
        isinstance(value, int | float)
        and not isinstance(value, bool)
        and math.isfinite(float(value))
    )
