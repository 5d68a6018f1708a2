"""What is learned from and how: the typed text, the settings, the updates done; and the update that
comes next."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from engine.core.trace import Field, Table
from engine.course.curriculum import Lesson
from engine.nn.word2vec import toy
from engine.nn.word2vec.single import Ask, Update, update
from engine.nn.word2vec.toy import Setting, Tables, Text
from engine.text.segmentation import WORDS, first
from pages.ui import ask
from pages.ui.plate import Plate
from pages.ui.typed import follows, own
from pages.ui.word2vec import tries
from pages.ui.word2vec.tries import AMONG, MODELS, OUTPUTS

MOST, LETTERS = 40, 24  # words of the text that are used, letters of one of them
SOURCE: Any = {"source": "word2vec", "model": "word2vec"}
ENDS = re.compile(r"[.!?|\n]")


@dataclass(frozen=True, eq=False)
class Now:
    """The next update: `asked` and `done` are None where the centre stands alone."""

    text: Text
    setting: Setting
    n: int
    t: int
    tables: Tables
    losses: list[float]
    asked: Ask | None
    done: Update | None

    @property
    def after(self) -> Tables:
        if self.done is None:
            return self.tables
        return (
            self.tables[0] - self.setting.rate * self.done.in_VD,
            self.tables[1] - self.setting.rate * self.done.out_VD,
        )

    def plate(self, id: str, view: str, entry: Field | Table, of: str, **more: Any) -> Plate:
        """A figure of the text; `more` are fields of `Plate`."""
        words = " ".join(self.text.words)
        return Plate(id, view, (entry,), **{**SOURCE, "of": of, "text": words, **more})

    @property
    def centre(self) -> str:
        return self.text.words[self.text.ids[self.t]]

    def names(self, ids: Any) -> list[str]:
        return [self.text.words[i] for i in ids]


def cut(typed: str) -> tuple[Text, str]:
    """The words of a text by its lines, and what was left out."""
    lines = [
        tuple(first(word.lower(), LETTERS) for word in WORDS.findall(line))
        for line in ENDS.split(typed)
    ]
    kept, room = [], MOST
    for line in lines:
        kept.append(line[:room])
        room -= len(kept[-1])
    left = sum(map(len, lines)) - sum(map(len, kept))
    return Text(tuple(line for line in kept if line)), (
        f"Only the first {MOST} words are used; {left:,} more are ignored." if left else ""
    )


def controls(lesson: Lesson) -> Now | None:
    """None, after a sentence, where there is nothing to learn from."""
    tries.arrive(own(2000) or lesson.example)
    follow = follows("w2v_text")
    again: dict[str, Any] = {"on_change": lambda: st.session_state.update(w2v_done=0)}

    def other_text() -> None:
        st.session_state["w2v_done"] = 0
        follow()

    line = ask.line()
    typed = ask.text(
        "Text to learn from",
        "w2v_text",
        2000,
        where=line,
        live="150ms",
        help="A full stop or | ends a line; windows do not cross line ends.",
        on_change=other_text,
    )
    steps = line.container(horizontal=True, width="content", gap="small")
    with line.popover("Examples"):
        tries.show()
    settings = line.popover("Settings")
    row = settings.container()
    model = row.segmented_control("Model", MODELS, key="w2v_model", required=True, **again)
    output = row.segmented_control(
        "Output layer", list(OUTPUTS), key="w2v_output", required=True, **again
    )
    text, said = cut(typed)
    fits = bool(text.words) and set(text.words) <= set(toy.WORKED)
    worked = row.toggle(
        "Worked example's vectors",
        key="w2v_worked",
        disabled=not fits,
        help="Two numbers each for cat, dog, sat and mat; only for texts made of these words.",
        **again,
    )
    row = settings.container(horizontal=True, gap="small")

    def number(label: str, key: str, width: int, **more: Any) -> Any:
        return row.number_input(label, *AMONG[key], key=key, width=width, **more)

    alone = OUTPUTS[output] != "negative"
    window = number("M: words on each side", "w2v_window", 135, **again)
    noise = number("Noise words per target", "w2v_noise", 120, disabled=alone, **again)
    first = number("First centre word, by number", "w2v_first", 135, **again)
    rate = number("Learning rate", "w2v_rate", 125, step=0.01, **again)
    seed = number("Seed", "w2v_seed", 90, **again)
    width = number("D: numbers per word", "w2v_width", 140, disabled=worked and fits, **again)
    done = number("Updates done", "w2v_done", 125)
    tries.remember()
    if said:
        st.caption(said)
    if len(text.words) < 2:
        st.info("Type at least two different words; everything below is learned from them.")
        return None
    cbow = model == MODELS[1]
    setting = Setting(cbow, OUTPUTS[output], window, noise, width, rate, seed, first - 1)
    if worked and fits:
        setting = replace(setting, width=2, worked=True)
    now = arrived(text, setting, done)
    buttons(now, steps, settings)
    return now


def arrived(text: Text, setting: Setting, n: int) -> Now:
    """Where the updates done so far have led; those that this session has done are not done
    again."""
    been = st.session_state.get("w2v_been")
    if been is None or been[0] != (text.lines, setting) or been[1] > n:
        been = ((text.lines, setting), 0, toy.start(text, setting), [])
    tables, losses = toy.updates(text, setting, been[2], n - been[1], been[1])
    losses = been[3] + losses
    st.session_state["w2v_been"] = (text.lines, setting), n, tables, losses
    t = setting.centre(n, len(text.at))
    asked = toy.ask(text, setting, t, n)
    return Now(
        text, setting, n, t, tables, losses, asked, update(*tables, asked) if asked else None
    )


def buttons(now: Now, where: DeltaGenerator, more: DeltaGenerator) -> None:
    """Do the update, many, or none again; `more` holds the buttons that are wanted less often."""

    def to(count: int) -> None:
        st.session_state["w2v_done"] = min(toy.MOST, max(0, count))

    def settle() -> None:
        _, losses = toy.updates(now.text, now.setting, now.tables, toy.MOST - now.n, now.n)
        to(toy.settled(now.losses + losses, len(now.text.at)) or toy.MOST)

    with where:
        applies = "Apply the update shown below and move on to the next centre word"
        st.button("One step", on_click=to, args=(now.n + 1,), help=applies)
        st.button(
            "Until it converges",
            on_click=settle,
            help=(
                f"Until {toy.ROUNDS} rounds gain less than {100 * toy.LEAST:.0f} % over the"
                f" previous ones, at most {toy.MOST:,} updates"
            ),
        )
        st.button("Reset", on_click=to, args=(0,), disabled=now.n == 0)
    with more.container(horizontal=True, gap="small"):
        st.button("Ten steps", on_click=to, args=(now.n + 10,))
        st.button("One step back", on_click=to, args=(now.n - 1,), disabled=now.n == 0)


def finite(now: Now) -> bool:
    return all(bool(np.isfinite(table_VD).all()) for table_VD in (*now.tables, *now.after))
