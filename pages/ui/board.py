"""A board: a picture that is computed in the browser from what Python sends, on which a mouse may draw."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st

from engine.live.stage import colours
from pages.ui import language, loader


class Board:
    """One kind of them, made once, where the page is imported.

    script  the module below assets/live that exports `mount` (`assets/live/descend/board.js`)
    sheets  its style sheets there, besides those of all boards
    """

    def __init__(self, script: str, *sheets: str) -> None:
        self.key = script.removesuffix(".js").replace("/", ".")
        self._component = loader.Component(
            f"unrolled_{self.key.replace('.', '_')}",
            loader.import_script(script, "descend/descend.css", *sheets),
        )

    def show(
        self, data: Mapping[str, Any], wished: Callable[[Mapping[str, Any]], None] | None = None
    ) -> None:
        """Draw it; `wished` is called, before the page runs again, with what was drawn on it."""

        def hear() -> None:
            asked = (st.session_state.get(self.key) or {}).get("wish")
            if wished and isinstance(asked, Mapping):
                st.session_state[f"{self.key}.seq"] = asked.get("seq")
                wished(asked)

        self._component(
            data={
                **data,
                "seq": st.session_state.get(f"{self.key}.seq"),
                "colours": {"light": colours(False)["line"], "dark": colours(True)["line"]},
                "language": language.current(),
            },
            key=self.key,
            on_wish_change=hear,
        )
