"""The first minute of each lesson, and of home: a few steps that set its page and say what to look at.

What they say is true of the shipped model of the lesson, so a page shows them of that one only.
"""

from __future__ import annotations

from urllib.parse import parse_qsl

from engine.course import rooms
from engine.course.base import Step

HOME: tuple[Step, ...] = (
    Step(
        "“eyes”: 11 % from the n-gram model, 53 % from the Transformer. Both have learned from"
        " novels, and in novels people open their eyes.",
        text="The students opened their",
        panel="tops",
        asks="The students opened their … Which word do models of novels expect?",
        choices=("books", "eyes", "doors"),
    ),
    Step(
        "Strong colour is surprise: “students” and “opened” cost the n-gram model 15 and 13 bits,"
        " “to” less than one.",
        text="The students opened their books and began to read.",
        link="reader=ngram&token=2",
        panel="surprise",
    ),
    Step(
        "The n-gram model gives “States” 94 %, the Transformer gives “St”, half of the word, 97 %."
        " The LSTM reads letters: first a space.",
        text="The president of the United",
        panel="tops",
    ),
    Step(
        "Nobody has ever read “flurble”. The n-gram model takes it for “some unknown word”; the LSTM"
        " spells it, and is most surprised by the b.",
        text="the flurble is",
        link="reader=lstm&token=9",
        panel="surprise",
    ),
)
TRUE_OF_HOME = ("ngram", "lstm", "transformer", "skipgram")


LESSONS = {lesson.id: lesson for lesson in rooms.lessons()}
STEPS: dict[str, tuple[Step, ...]] = {"home": HOME}
PLACES: dict[str, tuple[Step, ...]] = {}  # of pages of forms: their links hold the keys of widgets
for _lesson in LESSONS.values():
    if _lesson.minute:
        typed = any(step.text for step in _lesson.minute)
        (STEPS if typed else PLACES)[_lesson.id] = _lesson.minute


def steps(lesson: str) -> tuple[Step, ...]:
    """Those of a lesson, by its id, or of "home"; none where it has none."""
    return STEPS.get(lesson, ())


def true_of(lesson: str, model: str, shown: tuple[str, ...]) -> tuple[Step, ...]:
    """The steps of a page that shows this; none where they are not true of it.

    model  that of the lesson, empty where it has none
    """
    of = TRUE_OF_HOME if lesson == "home" else LESSONS[lesson].true_of
    return steps(lesson) if shown == (of or ((model,) if model else ())) else ()


def places(lesson: str) -> tuple[Step, ...]:
    """Those of a page of forms, whose links hold the keys of widgets."""
    return PLACES.get(lesson, ())


def chosen(lesson: str) -> dict[str, str]:
    """Of a page of forms: the keys of widgets, and what they hold where its steps are true."""
    return dict(parse_qsl(LESSONS[lesson].true_where))
