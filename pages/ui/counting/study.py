"""Which small text a lesson works on: the picker, and the text counted once for all who look at
it."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

import streamlit as st

from engine import frame as fr
from engine.analysis.study import Study
from engine.core.trace import Field, Table
from engine.lessons.counting_study import ORDERS, described
from engine.lessons.counting_texts import (
    CUTS,
    MOST_CHARACTERS,
    OWN,
    PRESETS,
    Counted,
    Preset,
    own_lines,
    texts,
)
from pages.ui import ask, choice, shell, typed
from pages.ui import texts as all_texts
from pages.ui.address import begin
from pages.ui.language import told
from pages.ui.plate import Plate

SENTENCE = 600  # characters of a typed text that come along from another page


@dataclass(frozen=True)
class Chosen:
    """A counted text.  `id` names it in saved files, `says` in the line under a picture."""

    study: Study
    preset: Preset
    order: int
    cut: str
    key: str  # changes with the text and with how it was counted

    @property
    def id(self) -> str:
        return f"{self.preset.id}-{self.order}-{self.cut}"

    @property
    def says(self) -> str:
        return f"{self.preset.title}, cut into {self.cut}, orders 1 to {self.order}"

    def plate(
        self,
        id: str,
        view: str,
        entry: Field | Table,
        text: str = "",
        of: str = "",
        source: str = "study",
        kept: str = "",
        **options: Any,
    ) -> Plate:
        """A figure of this text, with `of` behind what `says`; `options` are those of the view."""
        says = f"{self.says}; {of}" if of else self.says
        return Plate(id, view, (entry,), f"{source}-{self.id}", says, text, options, kept)


# `hash_funcs` of what is kept of a counted text
BY_TEXT: Any = {Chosen: attrgetter("key")}


def digest_of(lines: tuple[str, ...]) -> str:
    """What tells texts apart; nothing of one that has no lines of its own."""
    return hashlib.sha256("\n".join(lines).encode("utf-8", "replace")).hexdigest() if lines else ""


def choose(page: str, first: str = PRESETS[0].title, first_order: int = 0) -> Chosen:
    """The controls of the text, in the head of the page.  Stops the run, with a sentence, where
    there is nothing to count.

    page   id of the lesson: each begins with its own text, unless somebody has chosen one
    first  title of the text to begin with
    """
    if st.session_state.get(PAGE, page) != page and not st.session_state.get(CHOSEN):
        for name in ("corpus", "order", *BEGINNING):
            st.session_state.pop(name, None)
    st.session_state[PAGE] = page
    if typed.news() and typed.own(SENTENCE):
        for name in TYPED:
            st.session_state.pop(name, None)
    by_title = texts()
    by_id = {p.id: p for p in by_title.values()}
    first_id = by_title.get(first, PRESETS[0]).id
    options = {id: preset.title for id, preset in by_id.items()}
    head = shell.bar()
    preset = by_id[
        all_texts.pick(
            "Text to count",
            options,
            "corpus",
            first_id,
            _other_text,
            head,
            width=256,
            label_visibility="collapsed",
        )
    ]
    begin(**{name: getattr(preset, name) for name in BEGINNING} | _mine())
    with head.popover("Counting", help="How long the n-grams are, and of what"):
        order = ask.among("Longest n-gram", ORDERS, "order", first_order or preset.order)
        cut = choice.one_of("Cut into", list(CUTS), "cut", link=True, on_change=_other_pieces)
        counts = st.container()
    lines, notes = own() if preset is OWN else (preset.lines, ())
    for note in notes:
        st.info(note)
    if preset is OWN and not lines:
        st.stop()
    digest = digest_of(lines)
    of = Counted(preset, order, cut, lines if preset is OWN else ())
    try:
        with st.spinner("Counting …"):
            about = described(of)
    except ValueError as problem:
        st.error(str(problem))
        st.stop()
    for block in about:
        match block:
            case fr.Note(words):
                counts.caption(told(words))
            case fr.Code(text):
                counts.code(text, language=None, height=150, wrap_lines=True)
    return Chosen(of.study, preset, order, cut, f"{preset.id}.{digest}.{order}.{cut}")


def _mine() -> dict[str, str]:
    """What the visitor has typed on another page, to begin with here."""
    mine = typed.own(SENTENCE)
    return {"after": mine, "word": "", "sentence": mine} if mine else {}


def own() -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The lines of the reader's own text, and notes of what was done to it."""
    left, right = st.columns((3, 2))
    text = left.text_area(
        "Your text, one sentence per line",
        key="own",
        height=150,
        placeholder="Paste or type here",
        max_chars=MOST_CHARACTERS,
    )
    kinds = ("txt", "md", "text")
    given = right.file_uploader("or a text file", kinds, key="upload", max_upload_size=50)
    return own_lines(text or "", None if given is None else (given.name, given.getvalue()))


BEGINNING = ("after", "word", "sentence", "follow")
TYPED = ("after", "word", "sentence", "lines")  # gives way to what is typed on another page
# in the session: the page shown last, and whether somebody chose the text
PAGE, CHOSEN = "counted on", "text chosen"


def _other_text() -> None:
    st.session_state[CHOSEN] = True
    preset = texts().get(st.session_state["corpus"], PRESETS[0])
    for name in ("order", *BEGINNING):
        st.session_state[name] = getattr(preset, name)
    if st.session_state.get("cut") == "characters":
        _other_pieces()


def _other_pieces() -> None:
    st.session_state["word"] = st.session_state["follow"] = ""
