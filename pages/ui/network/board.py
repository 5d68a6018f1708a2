"""The boards of the page on networks.  What they show is computed in the browser; Python tells them
what a step of the first minute chooses, and in which colours they draw."""

from __future__ import annotations

import streamlit as st

from engine.core.trace import FieldSpec, Kind
from engine.lessons import first_minute
from engine.live.stage import colours
from engine.views import theme
from pages.ui import language, loader, minute, renewed

VALUE = FieldSpec("value", Kind.STATE, ("unit",), "What a unit makes of its inputs.")
LOSS = FieldSpec("loss", Kind.LOSS, ("unit",), "The loss for other weights.")
SHEETS = ("descend/descend.css", "network/network.css")
_made = {
    name: st.components.v2.component(
        f"unrolled_network_{name}",
        js=loader.of(f"network/{name}.js", *SHEETS),
        isolate_styles=False,
    )
    for name in ("board", "byhand", "collapse", "around")
}


def asked() -> dict[str, object]:
    """What a step of the first minute has chosen."""
    names = {name for step in first_minute.places("network") for name in minute.chosen(step.link)}
    keys = {name: renewed.key(name) for name in names if name.startswith("net_")}
    return {n: st.session_state[k] for n, k in sorted(keys.items()) if k in st.session_state}


def show(name: str) -> None:
    """Draw one of them."""
    _made[name](
        data={
            "asked": asked(),
            "scale": _scale(VALUE),
            "losses": _scale(LOSS),
            "colours": {"light": colours(False)["line"], "dark": colours(True)["line"]},
            "language": language.current(),
        },
        key=f"network.{name}",
    )


def _scale(of: FieldSpec) -> dict[str, object]:
    """A colour scale as the browser takes it."""
    made = theme.scale(of)
    ends = {"low": made.low, "high": made.high}
    return {**ends, "light": list(made.stops_light), "dark": list(made.stops_dark)}
