"""The boards of the page on one neuron: the neuron itself, and the sums of an LSTM under their curves."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st

from engine.live.stage import colours
from pages.ui import language, loader

_made = {
    name: st.components.v2.component(
        f"unrolled_neuron_{name}",
        js=loader.of(f"neuron/{name}.js", "descend/descend.css", "neuron/neuron.css"),
        isolate_styles=False,
    )
    for name in ("neuron", "gates")
}


def show(
    name: str, data: Mapping[str, Any], wished: Callable[[Mapping[str, Any]], None] | None = None
) -> None:
    """Draw one of them; `wished` is called, before the page runs again, with what was dragged."""
    key = f"neuron.{name}"

    def hear() -> None:
        asked = (st.session_state.get(key) or {}).get("wish")
        if wished and isinstance(asked, Mapping):
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
