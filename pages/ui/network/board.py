"""The boards of the page on networks.  What they show is computed in the browser; Python tells them
what a step of the first minute chooses, and in which colours they draw."""

from __future__ import annotations

import streamlit as st

from engine.core.trace import FieldSpec, Kind
from engine.course import first_minute
from pages.ui import minute, renewed
from pages.ui.board import Board, scale

VALUE = FieldSpec("value", Kind.STATE, ("unit",), "What a unit makes of its inputs.")
LOSS = FieldSpec("loss", Kind.LOSS, ("unit",), "The loss for other weights.")
BOARDS = {
    name: Board(f"network/{name}.js", "network/network.css")
    for name in ("board", "byhand", "collapse", "layers", "around")
}


def asked() -> dict[str, object]:
    """What a step of the first minute has chosen."""
    names = {name for step in first_minute.places("network") for name in minute.chosen(step.link)}
    keys = {name: renewed.key(name) for name in names if name.startswith("net_")}
    return {n: st.session_state[k] for n, k in sorted(keys.items()) if k in st.session_state}


def show(name: str) -> None:
    """Draw one of them."""
    BOARDS[name].show({"asked": asked(), "scale": scale(VALUE), "losses": scale(LOSS)})
