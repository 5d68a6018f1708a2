"""What answers the typed words after a moment of rest: two word axes, and words without a
vector."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import streamlit as st

from engine.core.trace import Table, Trace
from engine.lessons.vectors.typed import words_of
from engine.live.markdown import escape
from engine.runs.store import Run
from engine.vectors import axis
from pages.ui import ask, plate
from pages.ui.address import begin
from pages.ui.vectors import unknown

if TYPE_CHECKING:
    from engine.models.wordspace import WordSpace

ENDS = (
    ("ax_left", "Left", "man"),
    ("ax_right", "Right", "woman"),
    ("ax_low", "Bottom", "bad"),
    ("ax_high", "Top", "good"),
)


def show(run: Run, model: WordSpace[Any], trace: Trace) -> None:
    st.subheader("Where do the typed words lie between two words?", anchor="axes")
    left, right = st.columns((3, 5), gap="medium")
    with left:
        st.markdown(
            "Four words define two scales. Each typed word is placed by how far its vector"
            " reaches from one end towards the other: the ends lie at −1 and +1."
        )
        begin(**{key: word for key, _, word in ENDS})
        columns = [*st.columns(2), *st.columns(2)]
        typed = [
            ask.text(label, key, 60, where=column).strip()
            for column, (key, label, _) in zip(columns, ENDS, strict=True)
        ]
        words, unit_ND = words_of(trace)
        problem, places = _place(model, typed, unit_ND)
        if problem:
            st.info(problem)
        else:
            _say(typed, words, places)
    if not problem:
        with right:
            _draw(run, trace.text, typed, words, places)
    unknown.show(model, trace)


def _place(model: WordSpace[Any], ends: list[str], unit_ND: np.ndarray) -> tuple[str, np.ndarray]:
    """(why there is no picture, places of the ends and then of the words, and the cosine of the
    axes in the last row)."""
    rows = [model.space.row(end) for end in ends]
    if missing := [end for end, row in zip(ends, rows, strict=True) if row is None]:
        said = ", ".join(f"“{escape(end)}”" if end else "an empty box" for end in missing)
        return f"No vector for {said}: choose another word for this end.", np.zeros(0)
    end_4D = np.stack([model.space.unit[row] for row in rows if row is not None])
    all_ND = np.concatenate([end_4D, unit_ND.reshape(len(unit_ND), end_4D.shape[1])])
    try:
        places = [axis.project(all_ND, end_4D[i], end_4D[i + 1]) for i in (0, 2)]
    except ValueError as error:
        return f"{str(error).capitalize()}.", np.zeros(0)
    between = axis.crossing((end_4D[0], end_4D[1]), (end_4D[2], end_4D[3]))
    return "", np.vstack([np.stack(places, 1), [between, between]])


def _say(ends: list[str], words: list[str], places: np.ndarray) -> None:
    between = float(places[-1, 0])
    if words:
        here = places[4:-1]
        said = [
            f"furthest {side}: **{escape(words[int(pick(here[:, k]))])}**"
            for side, pick, k in (
                ("left", np.argmin, 0),
                ("right", np.argmax, 0),
                ("down", np.argmin, 1),
                ("up", np.argmax, 1),
            )
        ]
        st.markdown(f"Of the typed words, {', '.join(said)}.")
    else:
        st.info("Type words that have a vector to see them here.")
    partly = "they measure partly the same thing"
    angle = f"The two scales have a cosine of {between:.2f}".replace("-", "−")
    st.caption(
        f"{angle}:"
        f" {'nearly at right angles, so they measure two things' if abs(between) < 0.2 else partly}."
        " A position shows which words the training text puts a word near. It reflects how"
        " people wrote, habits and prejudice included, and is not a fact about the world."
    )


def _draw(run: Run, text: str, ends: list[str], words: list[str], places: np.ndarray) -> None:
    named = [*ends, *words]
    said = {end.lower() for end in ends}
    kept = [*range(4), *(i for i, word in enumerate(words, 4) if word.lower() not in said)]
    x_N, y_N = places[kept].T
    columns = {
        "word": [named[i] for i in kept],
        "x": x_N,
        "y": y_N,
        "group": [float(i > 3) for i in kept],
        "to_x": x_N,
        "to_y": y_N,
    }
    x, y = f"{ends[0]} (−1) to {ends[1]} (+1)", f"{ends[2]} (−1) to {ends[3]} (+1)"
    table = Table.of("axes", "The typed words on two word axes", columns)
    options = {"x": x, "y": y, "groups": ("ends of the scales", "other typed words")}
    of = f"Model: {run.title} ({run.id}), all dimensions"
    plate.show(plate.by(run, "axes", "points", table, of, text=text, options=options))
