"""A widget that is given another value after it was drawn, and is a new one from then on.

The browser sends what all widgets hold with everything that it says.  What it says while the change
is on its way holds the old value, and under the same key would undo the change.
"""

from __future__ import annotations

import streamlit as st


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
