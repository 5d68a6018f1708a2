"""Analogies: the offset between two words laid at a third, with the question's words left out and
without that help."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import streamlit as st

from engine.core.trace import Table
from engine.lessons.vectors.typed import neighbours
from engine.live.markdown import escape
from engine.runs.store import Run
from engine.vectors import analogy
from engine.vectors.analogy import Answer
from pages.ui import ask, plate
from pages.ui.address import begin
from pages.ui.fragment import fragment
from pages.ui.plate import Plate

if TYPE_CHECKING:
    from engine.models.wordspace import WordSpace

EXAMPLES = (
    "man king woman",
    "walk walked play",
    "big bigger small",
    "germany berlin japan",
    "man doctor woman",
    "hot cold up",
)
BOXES = (("an_a", "a", "man"), ("an_b", "is to b", "king"), ("an_c", "as c", "woman"))


def _take() -> None:
    for (key, _, _), word in zip(
        BOXES, str(st.session_state["an_example"] or "man king woman").split(), strict=True
    ):
        st.session_state[key] = word


@fragment
def show(run: Run, model: WordSpace[Any]) -> None:
    st.subheader("Analogies: a is to b as c is to what?", anchor="analogy")
    st.pills("Examples", EXAMPLES, key="an_example", on_change=_take, label_visibility="collapsed")
    begin(**{key: word for key, _, word in BOXES})
    asked = [
        ask.text(label, key, 60, where=column).strip()
        for column, (key, label, _) in zip(st.columns(3), BOXES, strict=True)
    ]
    if not all(asked):
        st.info("Type a word into each of the three boxes.")
        return
    try:
        answer = analogy.solve(model.space, asked[0], asked[1], asked[2])
    except LookupError as error:
        st.info(f"{escape(str(error.args[0]).capitalize())}: choose another word.")
        return
    if not answer.usual:
        st.info("This table has no words other than these three, so it cannot answer.")
        return
    _verdict(answer)
    left, right = st.columns(2, gap="medium")
    plate.show(_rankings(run, answer), left)
    with right:
        _parallelogram(run, model, answer)


def _verdict(answer: Answer) -> None:
    a, b, c = map(escape, answer.asked)
    usual, honest = escape(answer.usual[0][0]), escape(answer.honest[0][0])
    st.latex(r"\text{answer} = \arg\max_w\, \cos(w,\ \hat b - \hat a + \hat c)")
    st.markdown(
        f"{b} − {a} + {c} ≈ **{usual}** when {a}, {b} and {c} are excluded. "
        + (
            f"With nothing excluded, the nearest word is **{honest}**: the sum stays close to"
            " the words it was made of."
            if answer.differ
            else "Here the same word wins with nothing excluded."
        )
    )


def _rankings(run: Run, answer: Answer) -> Plate:
    names = ("words of the question excluded", "nothing excluded")
    rows = [
        (name, f"{word} (asked)" if word in answer.asked else word, cosine, n)
        for name, ranking in zip(names, (answer.usual, answer.honest), strict=True)
        for n, (word, cosine) in enumerate(ranking, 1)
    ]
    says = "The words nearest to the target, with and without the question's words"
    return plate.by(
        run,
        "answers",
        "neighbours",
        neighbours("answers", says, rows),
        f"Model: {run.title} ({run.id}), all dimensions",
        text=" ".join(answer.asked),
        options={"titles": "answers"},
        fluid=True,
    )


def _parallelogram(run: Run, model: WordSpace[Any], answer: Answer) -> None:
    a, b, c = answer.asked
    others = [word for word, _ in answer.usual[:4]]
    place_P2, off_P = analogy.plane(model.space, answer, others)
    to_P2 = place_P2.copy()
    to_P2[0], to_P2[2] = place_P2[1], place_P2[3]  # a to b, c to the target
    columns = {
        "word": [a, b, c, "target", *others],
        "x": place_P2[:, 0],
        "y": place_P2[:, 1],
        "group": [0, 0, 0, 1, *[2] * len(others)],
        "to_x": to_P2[:, 0],
        "to_y": to_P2[:, 1],
    }
    table = Table.of("parallelogram", "The plane through the three words", columns)
    options = {
        "x": f"along {a} → {c}",
        "y": f"at right angles, towards {b}",
        "groups": (
            "words of the question",
            "target: b − a + c",
            ("nearest other words, from the list above"),
        ),
    }
    of, text = f"Unit vectors of {run.title} ({run.id})", " ".join(answer.asked)
    made = plate.by(run, "parallelogram", "points", table, of, text=text, options=options)
    plate.show(made)
    near, height = float(np.linalg.norm(place_P2[4] - place_P2[3])), float(off_P[4])
    st.caption(
        "The two arrows are the same offset, so a, b, c and the target form a parallelogram."
        f" The answers do not lie in this plane: “{escape(others[0])}” is {near:.2f} from the"
        f" target as drawn and {height:.2f} above or below the page, so"
        f" {np.hypot(near, height):.2f} away in truth. Every word vector has length 1."
    )
