"""Which small text a lesson works on: the picker, and the text counted once for all who look at
it."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import Any

import streamlit as st

from engine.analysis.study import Study
from engine.core.trace import Field, Table
from engine.live.markdown import escape, sentence
from engine.stages.counting.presets import OWN, PRESETS, Preset
from engine.text.collection import Stored
from engine.text.read import read, unwrap
from pages.ui import ask, choice, shell, typed
from pages.ui import texts as all_texts
from pages.ui.address import begin
from pages.ui.plate import Plate

MOST_CHARACTERS = 2_000_000  # of a text of the reader's
MOST_LINES = 100  # shown
SENTENCE = 600  # characters of a typed text that come along from another page
ORDERS = (1, 2, 3, 4, 5)
CUTS = {"words": "words", "characters": "chars"}


@dataclass(frozen=True)
class Chosen:
    """A counted text.  `id` names it in saved files, `says` in the line under a picture."""

    study: Study
    preset: Preset
    order: int
    cut: str
    key: str  # changes with the text and with how it was counted
    left_out: str = ""  # a sentence where the text goes on

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


def texts() -> dict[str, Preset]:
    """All texts by title: ours, those that come with the program, and the reader's own."""
    more = [
        Preset(c.id, title, c.says, after=_after(c), order=3)
        for title, c in all_texts.by_label().items()
    ]
    return {p.title: p for p in (*PRESETS, *more, OWN)}


AFTER = {"stories": "walked to the", "python_docs": "the value of"}


def _after(corpus: Any) -> str:
    """A context to begin with: of a text of the reader's own in another language than English, the
    empty one."""
    if isinstance(corpus, Stored) and corpus.about["language"].get("name") != "English":
        return ""
    return AFTER.get(corpus.id, "the")


def digest_of(lines: tuple[str, ...]) -> str:
    """What tells texts apart; nothing of one that has no lines of its own."""
    return hashlib.sha256("\n".join(lines).encode("utf-8", "replace")).hexdigest() if lines else ""


@st.cache_resource(max_entries=12, show_spinner="Counting …")
def counted(
    id: str,
    digest: str,
    order: int,
    tokenizer: str,
    _lines: tuple[str, ...],
    _held: tuple[str, ...],
) -> Study:
    """A text counted.  Without lines of its own it is the corpus `id`; without held-out lines a
    part of it is held out."""
    text = "\n".join(_lines) if _lines else all_texts.beginning(id, MOST_CHARACTERS)
    study = Study.of(text, order, tokenizer, hold_out=not _held)
    return replace(study, held_out=_held) if _held else study


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
    try:
        study = counted(preset.id, digest, order, CUTS[cut], lines, preset.held)
        left_out = "" if lines else all_texts.left_out(preset.id, MOST_CHARACTERS, "counted")
    except (ValueError, LookupError, MemoryError) as problem:
        large = "This text is too large to count here. Choose a shorter one."
        st.error(sentence(problem) if str(problem) else large)
        st.stop()
    chosen = Chosen(study, preset, order, cut, f"{preset.id}.{digest}.{order}.{cut}", left_out)
    with counts:
        describe(chosen)
    return chosen


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
    notes: list[str] = []
    try:
        if given is not None:
            text, done = read(given.getvalue())
            text = unwrap(text)
            notes += [f"{given.name}: {note}." for note in done]
        elif text:
            text, _ = read(text.encode("utf-8", "replace"))
    except ValueError as problem:
        notes.append(f"This cannot be counted: {problem}.")
        text = ""
    if len(text) > MOST_CHARACTERS:
        notes.append(
            f"The text has {len(text):,} characters; the first {MOST_CHARACTERS:,} are counted."
            " Train an n-gram model from the command line for more."
        )
        text = text[:MOST_CHARACTERS]
    lines = tuple(line for line in text.split("\n") if line.strip())
    if not lines and not notes:
        notes.append(
            "Type a few sentences or add a text file; everything below is then counted from it."
        )
    return lines, tuple(notes)


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


def describe(chosen: Chosen) -> None:
    """What was counted: its size, and the lines of a small text."""
    study = chosen.study
    counted = [int((grams.count_G > 0).sum()) for grams in study.raw.orders]
    grams = ", ".join(f"{count:,} of {m}" for m, count in enumerate(counted, 1))
    held = f", {len(study.held_out):,} more held out" if study.held_out else ""
    st.caption(f"{len(study.lines):,} lines counted{held}. Different n-grams by length: {grams}.")
    if not chosen.preset.lines:
        st.caption(f"{escape(chosen.preset.says)} {chosen.left_out}")
    first = "\n".join(line[:300] for line in study.lines[:MOST_LINES])
    st.code(first, language=None, height=150, wrap_lines=True)
    if len(study.lines) > MOST_LINES:
        st.caption(f"The first {MOST_LINES} lines.")
    elif study.held_out:
        st.caption(f"Held out, never counted: {escape(study.held_out[0][:200])}")
