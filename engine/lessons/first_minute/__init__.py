"""The first minute of each lesson: a few steps that set its page and say what to look at.

Each era's steps are a file here, by lesson id.  What they say is true of the shipped model of the
lesson, so a page shows them of that one only.
"""

from __future__ import annotations

from collections.abc import Mapping

from engine.lessons import rooms
from engine.lessons.base import Step
from engine.lessons.first_minute.attention import ATTENTION
from engine.lessons.first_minute.counting import COUNTING
from engine.lessons.first_minute.forms_counting import COUNTING as FORMS_COUNTING
from engine.lessons.first_minute.forms_neural import NEURAL as FORMS_NEURAL
from engine.lessons.first_minute.forms_own import OWN as FORMS_OWN
from engine.lessons.first_minute.forms_vectors import VECTORS as FORMS_VECTORS
from engine.lessons.first_minute.home import HOME
from engine.lessons.first_minute.meaning import MEANING
from engine.lessons.first_minute.networks import NETWORKS
from engine.lessons.first_minute.own import OWN
from engine.lessons.first_minute.recurrence import RECURRENCE
from engine.lessons.first_minute.words import WORDS

STEPS: Mapping[str, tuple[Step, ...]] = {
    **HOME,
    **WORDS,
    **COUNTING,
    **MEANING,
    **RECURRENCE,
    **ATTENTION,
    **OWN,
    **{lesson.id: lesson.minute for lesson in rooms.lessons() if lesson.live and lesson.minute},
}


# of pages of forms: their links hold the keys of widgets
PLACES: Mapping[str, tuple[Step, ...]] = {
    **FORMS_COUNTING,
    **FORMS_VECTORS,
    **NETWORKS,
    **FORMS_NEURAL,
    **FORMS_OWN,
    **{lesson.id: lesson.minute for lesson in rooms.lessons() if not lesson.live and lesson.minute},
}

# of what it is true, where that is not the one run named as the lesson's model: runs, and what is
# chosen besides
SHOWN: Mapping[str, tuple[str, ...]] = {
    "home": ("ngram", "lstm", "transformer", "skipgram"),
    "bag": ("short reviews", "0.3.0"),
    "inspect": ("bert",),
    "shapes": ("sentiment",),
    "external": ("ntm", "lstm_repeats"),
    "pooling": ("pooling_attention", "pooling_mean", "pooling_max", "pooling_last"),
    "positions": ("transformer_sinusoidal",),
    "translation": ("translator",),
    "scores": (
        "score_dot_after",
        "score_scaled_dot_after",
        "score_bilinear_after",
        "score_additive_after",
        "score_location_after",
    ),
    "local": ("score_bilinear_after", "scope_local_m", "scope_local_p", "scope_hard"),
    "compare": ("lstm", "transformer", "ngram"),
    "feedforward": ("feedforward", "ngram", "lstm_words"),
    "reach": ("rnn_large", "lstm", "transformer"),
    "duel": ("counted.stories", "counted.python_docs", "characters"),
}


# of a page of forms: the keys of widgets, and what they hold where its steps are true
CHOSEN: Mapping[str, Mapping[str, str]] = {
    "pieces": {"pieces.run": "fasttext"},
    "units": {"units.run": "lstm"},
    "scale": {"scale.run": "transformer"},
}


def steps(lesson: str) -> tuple[Step, ...]:
    """Those of a lesson, by its id, or of "home"; none where it has none."""
    return STEPS.get(lesson, ())


def true_of(lesson: str, model: str, shown: tuple[str, ...]) -> tuple[Step, ...]:
    """The steps of a page that shows this; none where they are not true of it.

    model  that of the lesson, empty where it has none
    """
    return steps(lesson) if shown == SHOWN.get(lesson, (model,) if model else ()) else ()


def places(lesson: str) -> tuple[Step, ...]:
    """Those of a page of forms, whose links hold the keys of widgets."""
    return PLACES.get(lesson, ())
