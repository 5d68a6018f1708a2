"""A head put elsewhere at one letter of the typed text, and what the machine says from there on."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from engine.analysis import heads_moved
from engine.analysis.heads_moved import HEADS, WAYS
from engine.core.trace import Field, Kind, Trace
from engine.lessons.external.panels import MARK
from engine.live.markdown import escape
from engine.models.ntm import NTM
from engine.runs.store import Run
from engine.views.base import number
from pages.ui import ask, plate, rows, typed

EXAMPLE, MOST = "bhacegda=bhacegda", 60


def show(run: Run, model: NTM) -> None:
    st.markdown(
        "The heads are the machine's only way to the memory. Put one elsewhere at a letter: on a slot"
        " of your choice, or by another key. Every later step goes on from there."
    )
    text = typed.text(EXAMPLE)[:MOST]
    tokens = model.tokens(text).labels
    if len(tokens) < 2:
        st.info("Type some letters above.")
        return
    line = ask.line()
    head = ask.pick("Head", HEADS, "moved_head", where=line, width=180)
    way = ask.pick("What it does", WAYS, "moved_way", where=line, width=260)
    last = len(tokens) - 1
    start = min(last, tokens.index(MARK) + 2) if MARK in tokens else last
    at = ask.slider("At letter", "moved_at", 0, last, start, 1, line, width=200)
    if way == "gate":
        to = ask.slider("Share of content", "moved_gate", 0.0, 1.0, 1.0, 0.05, line, width=200)
    else:
        slots = model.config.slots - 1
        to = ask.slider("Slot", "moved_slot", 0, slots, min(5, slots), 1, line, width=200)
    plain, other = heads_moved.moved(model, text, head, way, at, to)
    said, new = heads_moved.says(plain), heads_moved.says(other)
    first = min(at, tokens.index(MARK)) if MARK in tokens else 0
    rows.show(
        [
            {"": "what it reads", **cells(tokens, first)},
            {"": "says next", **cells(said, first)},
            {"": "says, changed", **cells(new, first)},
            {
                "": "probability, changed",
                **cells([number(p, share=True) for p in likely(other)], first),
            },
        ],
        "moved",
    )
    changed = [t for t, (a, b) in enumerate(zip(said, new, strict=True)) if a != b]
    p = [trace.field("probability").values[at].max() for trace in (plain, other)]
    st.markdown(
        f"Changed at letter {at}, “{escape(shown(tokens[at]))}”: the likeliest next letter is another one"
        f" at **{len(changed)}** of {len(tokens) - at} places from there on. At letter {at} the"
        f" likeliest had {number(float(p[0]), share=True)}, and now one has"
        f" {number(float(p[1]), share=True)}."
    )
    plate.row(
        address(run, plain, head, text, "As it is", "moved_plain"),
        address(run, other, head, text, "Changed", "moved_other"),
    )


def shown(token: str) -> str:
    return "⏎" if token == "\n" else token


def cells(values: Sequence[str], first: int) -> dict[str, str]:
    return {str(t): shown(values[t]) for t in range(first, len(values))}


def likely(trace: Trace) -> list[float]:
    return [float(p) for p in trace.field("probability").values.max(-1)]


def address(run: Run, trace: Trace, head: str, text: str, of: str, id: str) -> plate.Plate:
    made = trace.field(f"{head}.address")
    field = Field.of(
        id,
        Kind.ATTENTION,
        {
            "token": [shown(label) for label in made.axis("token").labels],
            "slot": [str(n) for n in range(made.values.shape[1])],
        },
        made.values,
        "Weight of each slot",
    )
    return plate.Plate(id, "heatmap", (field,), run.id, of, text, model=run.model, fluid=True)
