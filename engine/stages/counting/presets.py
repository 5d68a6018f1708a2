"""Texts so small that every number on the page can be checked by hand."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Preset:
    """`after` is the context to begin with, `word` the next token to explain, `sentence` one to
    score."""

    id: str
    title: str
    says: str
    lines: tuple[str, ...] = ()
    held: tuple[str, ...] = ()
    after: str = ""
    word: str = ""
    order: int = 3
    sentence: str = ""
    follow: str = ""  # the word to watch in the two rankings


FRANCISCO = Preset(
    "francisco",
    "San Francisco",
    "Two equally frequent words: one follows only one word, the other follows three.",
    (
        "san francisco is foggy",
        "san francisco is far",
        "san francisco is big",
        "i lost my glasses",
        "he lost his glasses",
        "she lost her glasses",
    ),
    ("he lost my glasses",),
    "lost",
    "glasses",
    2,
    "san francisco lost his glasses",
    "francisco",
)

PRESETS = (
    Preset(
        "cats",
        "Four sentences",
        "Four sentences about a cat and a dog.",
        (
            "the cat saw a dog",
            "a dog sat on the cat",
            "the dog saw the cat",
            "the cat sat on the mat",
        ),
        ("the dog sat on the mat",),
        "the cat",
        "dog",
        3,
        "a cat sat on the dog",
        "cat",
    ),
    FRANCISCO,
    Preset(
        "students",
        "Students and teachers",
        "Three sentences: what do the students open?",
        (
            "The students opened their books",
            "The students opened their laptops",
            "The teachers opened their minds",
        ),
        ("The teachers opened their books",),
        "students opened their",
        "minds",
        4,
        "The teachers opened their laptops",
        "opened",
    ),
)

OWN = Preset("own", "Your own text", "A text of yours.")
