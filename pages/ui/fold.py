"""A part that is drawn only when somebody opens it: closed, it asks nothing of anybody."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from pages.ui.fragment import fragment


def show(title: str, draw: Callable[[], None], key: str) -> None:
    """`key` tells it from the other folds of the page."""

    @fragment
    def page() -> None:
        if (opened := st.expander(title, key=f"fold.{key}", on_change="rerun")).open:
            with opened:
                draw()

    page()
