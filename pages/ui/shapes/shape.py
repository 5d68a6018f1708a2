"""The five task shapes, and the three questions that lead to one of them."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages.ui.choice import one_of

ONE, MANY = "one", "a sequence"


@dataclass(frozen=True, slots=True)
class Shape:
    """`examples` are the models that show it live, by name."""

    id: str
    title: str
    goes_in: str
    comes_out: str
    in_step: bool  # as many out as in, each as soon as its token is read
    says: str
    uses: str
    examples: tuple[str, ...]


WORD, CHARACTER, FILM, TAG = "next word", "next character", "good or bad film", "part of speech"
SHAPES = {
    shape.title: shape
    for shape in (
        Shape(
            "one-to-one",
            "One to one",
            ONE,
            ONE,
            True,
            "One token in, one answer out, no memory. This is a feed-forward network, not a"
            " recurrent one.",
            "an image and its class; a word and what usually follows it",
            (WORD, CHARACTER),
        ),
        Shape(
            "one-to-many",
            "One to many",
            ONE,
            MANY,
            False,
            "One token in, a sequence out. Each step passes its state to the next.",
            "a picture and its caption; a key and a melody",
            (WORD, CHARACTER),
        ),
        Shape(
            "many-to-one",
            "Many to one",
            MANY,
            ONE,
            False,
            "A sequence in, one answer out after the last token: everything that was read has"
            " to fit into one state.",
            "a review and whether it is good; a recording and who speaks",
            (FILM,),
        ),
        Shape(
            "in-step",
            "Many to many, in step",
            MANY,
            MANY,
            True,
            "One answer per token, given as soon as the token is read.",
            "parts of speech; names of people and places; a language model, which predicts the"
            " next token",
            (TAG, WORD, CHARACTER),
        ),
        Shape(
            "delayed",
            "Many to many, delayed",
            MANY,
            MANY,
            False,
            "The network reads everything first, then writes the answer, which may be longer"
            " or shorter than the text.",
            "translation, summaries, answers to questions",
            (),
        ),
    )
}
FIRST = "Many to one"


def find(goes_in: str, comes_out: str, in_step: bool) -> str:
    """The title of the shape that answers to the three questions; the third is asked for two
    sequences only."""
    both = goes_in == comes_out == MANY
    return next(
        s.title
        for s in SHAPES.values()
        if (s.goes_in, s.comes_out) == (goes_in, comes_out) and (not both or s.in_step == in_step)
    )


def _asked() -> None:
    said = st.session_state
    st.session_state["shape"] = find(
        said["goes_in"], said["comes_out"], said.get("in_step") == "yes"
    )


def choose(where: DeltaGenerator) -> tuple[Shape, str]:
    """The shape, by its name or by the questions, and the example that shows it ("" where there is
    none).

    where  the line of the head, which takes the questions and the examples
    """
    shape = SHAPES[
        one_of("Shape", [*SHAPES], "shape", FIRST, link=True, label_visibility="collapsed")
    ]
    answers = {
        "goes_in": shape.goes_in,
        "comes_out": shape.comes_out,
        "in_step": "yes" if shape.in_step else "no",
    }
    st.session_state.update(answers)  # the questions follow the shape, and lead to another
    both = shape.goes_in == shape.comes_out == MANY
    asked = where.popover("Which shape is my task?")
    for label, options, key in zip(
        ("What goes in?", "What comes out?", "One output per input?"),
        ((ONE, MANY), (ONE, MANY), ("yes", "no")),
        answers,
        strict=True,
    ):
        shut = key == "in_step" and not both
        asked.segmented_control(
            label, options, key=key, on_change=_asked, required=True, disabled=shut
        )
    if len(shape.examples) < 2:
        return shape, shape.examples[0] if shape.examples else ""
    key = f"example_{shape.id.replace('-', '_')}"
    chosen = one_of(
        "Example", shape.examples, key, where=where, link=True, label_visibility="collapsed"
    )
    return shape, chosen
