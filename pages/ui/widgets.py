"""What Streamlit's widgets lack: one of a few that is always chosen, and another value for one that was drawn.

The latter is a new widget from then on.  The browser sends what all widgets hold with everything that it says; what
it says while the change is on its way holds the old value, and under the same key would undo the change.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

import streamlit as st

from pages.ui.language import labelled, told

T = TypeVar("T")


def key(name: str) -> str:
    """The key, in this session, of the widget that goes by a name: the name itself, until it is
    changed."""
    turn = st.session_state.get(f"{name}.turn", 0)
    return f"{name}.{turn}" if turn else name


def renew(name: str) -> None:
    """Have the widget be a new one: a menu, which was open, is closed."""
    st.session_state[f"{name}.turn"] = st.session_state.get(f"{name}.turn", 0) + 1


def change(name: str, value: object) -> None:
    """Have the widget hold another value when it is drawn next; before that in the same run."""
    renew(name)
    st.session_state[key(name)] = value


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
    """One of a few, as buttons side by side: `first`, or else the first of them, until another is pressed.
    Of a mapping {option: words} the words are shown.

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
