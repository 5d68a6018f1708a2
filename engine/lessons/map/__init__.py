"""Course map: where is each topic shown?"""

from __future__ import annotations

from engine.course.base import Lesson, Step

LESSON = Lesson(
    id="map",
    era="The whole course",
    title="Course map",
    question="Where is each topic shown?",
    model="",
    example="",
    tries=(),
    sources=(
        "Damerau, A Technique for Computer Detection and Correction of Spelling Errors, "
        "1964 (finding misspelt words)",
    ),
    differs="The notes are five texts in a row, and a topic may come up three times. Here each topic is listed "
    "once, with the page that shows it. Topics that no page shows yet are not listed.\n"
    "One of the texts promises Transformers in its title and does not come to them.",
    live=False,
    minute=(
        Step(
            "Each line leads from a lesson to one that builds on it. Choose a few, and a "
            "link and a hand-out hold your own course.",
            link="find=",
            panel="map.course",
        ),
        Step(
            "“PPL” is in no title, yet perplexity is found: every topic is known by its "
            "abbreviations and synonyms, too.",
            link="find=PPL",
            panel="map.links",
        ),
    ),
)
