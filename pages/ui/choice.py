"""One of a few, always: buttons side by side, of which one is pressed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

import streamlit as st

from pages.ui.language import labelled, told

T = TypeVar("T")


def one_of(
    label: str,
    options: Iterable[T],
    key: str,
    first: T | None = None,
    *,
    where: Any = st,
    link: bool = False,
    **more: Any,
) -> T:
    """The chosen one: `first`, or else the first of them, until another is pressed.  Of a mapping
    {option: words} the words are shown.

    link  whether the address holds the choice
    more  settings of `st.segmented_control`
    """
    more |= labelled(options.__getitem__ if isinstance(options, Mapping) else str)
    if link:
        more["bind"] = "query-params"
    given = list(options)
    usual = given[0] if first is None else first
    if key not in st.session_state:  # a widget with a value there must not be given another one
        more["default"] = usual
    chosen = where.segmented_control(told(label), given, key=key, required=True, **more)
    return usual if chosen is None else chosen
