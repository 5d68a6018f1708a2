"""The language of a visit: chosen at the foot of the menu or in the address (`?lang=de`); `told` says
in it what a page draws."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from typing import Any

import streamlit as st

from engine.language.catalogue import ENGLISH, FOLDER, catalogue, languages
from engine.language.message import Message
from engine.live.assets import LANGUAGE

KEY, CHOSEN = "language", "language.chosen"
IN_FORMULA = re.compile(r"(\\text\{\s*)([^{}]*?)(\s*\})")
TRANSLATORS = "UNROLLED_LANGUAGES"  # "all": those that lack sentences, too


def offered() -> dict[str, str]:
    """Id -> name of the languages of the switch."""
    found = dict(languages())
    if os.environ.get(TRANSLATORS) == "all":
        found |= {path.stem: path.stem for path in FOLDER.glob("*.po") if path.stem not in found}
    return found


def current() -> str:
    """The id of this visit's language."""
    return str(st.session_state.get(CHOSEN, ENGLISH))


def told(words: str, /, **values: Any) -> str:
    """A sentence, or a label, in the language of this visit: looked up as a template, then filled."""
    said, id = Message(words, values) if values else words, current()
    return said if id == ENGLISH else catalogue(id).word(said)


def cell(value: Any) -> Any:
    """What stands in a table: sentences and figures are said; a word may be a model's own."""
    own = not isinstance(value, Message) and not (isinstance(value, str) and {*" ,"} & {*value})
    return value if own else told(value)


def formula(latex: str) -> str:
    """With the words in it, those of `\\text{...}`, in the language of the visit."""
    return IN_FORMULA.sub(lambda found: found[1] + told(found[2]) + found[3], latex)


def labelled(written: Callable[[Any], str] = str) -> dict[str, Any]:
    """The setting of a widget by which its options are said as they are `written`."""
    return {"format_func": lambda option: told(written(option))}


def meanings(label: str) -> Iterator[str]:
    """The label in every language."""
    yield label
    for id in languages():
        if id != ENGLISH:
            yield catalogue(id).word(label)


def follow() -> None:
    """Take the language that the address asks for; the address always says which it is."""
    asked = str(st.query_params.get(LANGUAGE, ""))
    if asked in offered():
        st.session_state[CHOSEN] = asked
    if (here := current()) != ENGLISH and asked != here:
        st.query_params[LANGUAGE] = here


def switch() -> None:
    """Draw the choice, where there is one."""
    found = offered()
    if len(found) < 2:
        return
    st.session_state[KEY] = current()

    def choose() -> None:
        st.session_state[CHOSEN] = st.query_params[LANGUAGE] = st.session_state[KEY]

    st.selectbox("Language", list(found), key=KEY, format_func=found.__getitem__, on_change=choose)
