"""The two boards of the page that a mouse draws on: the race and the schedule."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st

from engine.live.stage import colours
from pages.ui import language, loader

_made = {
    name: st.components.v2.component(
        f"unrolled_{name}",
        js=loader.of(f"descend/{name}.js", "descend/descend.css"),
        isolate_styles=False,
    )
    for name in ("race", "schedule")
}


def show(name: str, data: Mapping[str, Any], wished: Callable[[Mapping[str, Any]], None]) -> None:
    """Draw one of them; `wished` is called, before the page runs again, with what was drawn on it."""
    key = f"optimisers.{name}"

    def hear() -> None:
        asked = (st.session_state.get(key) or {}).get("wish")
        if isinstance(asked, Mapping):
            st.session_state[f"{key}.seq"] = asked.get("seq")
            wished(asked)

    _made[name](
        data={
            **data,
            "seq": st.session_state.get(f"{key}.seq"),
            "colours": {"light": colours(False)["line"], "dark": colours(True)["line"]},
            "language": language.current(),
        },
        key=key,
        on_wish_change=hear,
    )


def number(asked: Mapping[str, Any], name: str, least: float, most: float) -> float | None:
    """A number of a wish, within its range; None where it is none."""
    found = asked.get(name)
    if isinstance(found, bool) or not isinstance(found, int | float) or found != found:
        return None
    return float(min(most, max(least, found)))
