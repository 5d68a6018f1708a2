"""What this visitor has typed, on whichever live page: it goes along from one to the next."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import streamlit as st

from engine.course.curriculum import LESSONS
from engine.live.session import TypedText
from engine.live.stage import MOST_CHARACTERS

KEY = "typed"


def typed() -> TypedText:
    """This visitor's, which begins with the text that the address brought."""
    found = st.session_state.get(KEY)
    if not isinstance(found, TypedText):
        found = st.session_state[KEY] = TypedText()
    if found.text is None and "text" in st.query_params:
        found.text = st.query_params["text"][:MOST_CHARACTERS]
    return found


def text(default: str = "") -> str:
    """The text in the box; `default` as long as nothing was typed."""
    found = typed().text
    return default if found is None else found


@cache
def _examples() -> frozenset[str]:
    return frozenset(t for item in LESSONS for t in (item.example, *(t.text for t in item.tries)))


def read_own(most: int) -> str:
    """At most so many characters of what the visitor wrote, in one line; nothing where the box holds
    an example of some lesson."""
    found = read_clean()
    return "" if found in _examples() else " ".join(found.split())[:most]


def read_clean(default: str = "") -> str:
    """The text in the box without half characters, which no other box can show."""
    return text(default).encode(errors="ignore").decode()


def follow(key: str) -> Callable[[], None]:
    """What is typed into the widget `key` goes along to the other pages too: for `on_change`."""

    def note() -> None:
        typed().text = str(st.session_state[key] or "")[:MOST_CHARACTERS]

    return note
