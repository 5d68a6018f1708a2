"""Where recurrent networks are used, and in which of the task shapes."""

from __future__ import annotations

import streamlit as st

from engine.course.curriculum import lesson
from pages.ui import rows
from pages.ui.shapes.shape import SHAPES

USES = (
    ("Language", "the next token after each one: a language model", "Many to many, in step"),
    ("Language", "names of people and places, parts of speech", "Many to many, in step"),
    ("Language", "whether a review is positive or negative", "Many to one"),
    ("Language", "a translation, a summary, an answer to a question", "Many to many, delayed"),
    (
        "Time series",
        "tomorrow's price, weather, demand or traffic from the days before",
        "Many to one",
    ),
    (
        "Time series",
        "the state of a machine at each reading of its sensors",
        "Many to many, in step",
    ),
    ("Speech", "words from sound, sound from words", "Many to many, delayed"),
    ("Speech", "the speaker, the mood, the command", "Many to one"),
    ("Music", "a melody from a first note or a style", "One to many"),
    ("Pictures and film", "a caption for a picture", "One to many"),
    ("Pictures and film", "the action in a video", "Many to one"),
    ("Biology", "the structure at each place of a protein", "Many to many, in step"),
    ("Biology", "whether a piece of DNA has a function", "Many to one"),
    ("Anomalies", "fraud, intrusion, wear: is this sequence normal?", "Many to one"),
    (
        "Decisions",
        "the next move in a game, of a robot or in a conversation",
        "Many to many, in step",
    ),
)


def show_uses() -> None:
    st.subheader("Where such networks are used", anchor=False)
    st.markdown(
        "One loop serves many tasks, which differ in what goes in, what comes out, and when."
    )
    fields = tuple(dict.fromkeys(field for field, _, _ in USES))
    chosen = st.pills("Fields", fields, selection_mode="multi", key="uses")
    table = [
        {
            "field": field,
            "task": task,
            "shape": shape,
            "goes in": SHAPES[shape].goes_in,
            "comes out": SHAPES[shape].comes_out,
        }
        for field, task, shape in USES
        if not chosen or field in chosen
    ]
    rows.show(table, "uses.rows")
    says = "Task shapes: a small trained model for each, on your own text"
    st.page_link(f"pages/{lesson('shapes').page}", label=says)
