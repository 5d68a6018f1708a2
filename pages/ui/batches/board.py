"""The boards of the page on batches: the matrix of lines, masks in time, the bits of a number."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st

from engine.live.stage import colours
from pages.ui import language, loader

_made = {
    name: st.components.v2.component(
        f"unrolled_{name}",
        js=loader.of(f"batches/{name}.js", "descend/descend.css", "batches/batches.css"),
        isolate_styles=False,
    )
    for name in ("matrix", "bits", "masks")
}


def show(
    name: str, data: Mapping[str, Any], wished: Callable[[Mapping[str, Any]], None] | None = None
) -> None:
    """Draw one of them; `wished` is called, before the page runs again, with what was chosen on it."""
    key = f"batches.{name}"

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
