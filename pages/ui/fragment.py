"""A part of a page that is drawn again by itself, known by its page."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, wraps
from typing import Any, TypeVar, overload

import streamlit as st

from pages.ui.address import OPENED

F = TypeVar("F", bound=Callable[..., Any])


@overload
def fragment(draw: F, **how: Any) -> F: ...
@overload
def fragment(draw: None = None, **how: Any) -> Callable[[F], F]: ...
def fragment(draw: Any = None, **how: Any) -> Any:
    """`st.fragment`, whose `how` it takes, for every part of every page.

    Streamlit tells fragments apart by the name of the function and its place, not by the page, and
    all pages are `__main__`: a message that is on its way while the reader goes on to another page
    would find a fragment of that name there too, and Streamlit would draw it into the page that was
    left, which the browser answers with a blank one.
    """
    if draw is None:
        return partial(fragment, **how)

    @wraps(draw)
    def show(*of: Any, **more: Any) -> Any:
        @wraps(draw)
        def part(*of: Any, **more: Any) -> Any:
            return draw(*of, **more)

        part.__qualname__ = f"{st.session_state.get(OPENED)}.{draw.__qualname__}"
        return st.fragment(part, **how)(*of, **more)

    return show
