"""The lesson that finds the others: a map of the whole course."""

from __future__ import annotations

from engine.lessons.base import Lesson

MAP = Lesson(
    id="map",
    era="The whole course",
    title="Course map",
    question="Where is each topic shown?",
    model="",
    example="",
    tries=(),
    sources=(
        (
            "Damerau, A Technique for Computer Detection and Correction of Spelling Errors,"
            " 1964 (finding misspelt words)"
        ),
    ),
    differs="The notes are five texts in a row, and a topic may come up three times. Here each "
    "topic is listed once, with the page that shows it. Topics that no page shows yet are "
    "not listed.\n"
    "One of the texts promises Transformers in its title and does not come to them.",
    live=False,
)
