"""The live part of the page: the browser gets the counts once, and everything but the cutting into
words is its own sum (assets/live/parts/bag.js)."""

from __future__ import annotations

import numpy as np

from engine.analysis.bag_of_words.words import places, words
from engine.lessons.bag.head import Chosen
from engine.live.reply import Reading, unread
from engine.live.request import Request
from engine.live.stage import Panel, Stage
from engine.live.window import Window
from engine.views.theme import shorten

READER = "bag"
SNIPPET = 1_000  # characters of a held-out text that the browser gets
WIDE = 6  # classes: a larger table takes the whole width


def stage(*, labelled: Chosen) -> Stage:
    known, held = labelled.counts.index, len(labelled.held.labels)

    def read(text: str, characters: Window, request: Request) -> list[Reading]:
        """No model: the words of the part that is shown, and which of them are not counted."""
        first, stop = characters
        found = places(text[first:stop])
        labels = [text[first:stop][a:b] for a, b in found]
        strange = [t for t, label in enumerate(labels) if "".join(words(label)) not in known]
        part = unread(READER, labels, [[a + first, b + first] for a, b in found], {}, strange)
        if stop - first < len(text):
            part["total"] = len(words(text))
        return [Reading(part)]

    counted = f"Counted: {len(labelled.counted.labels):,} texts. Held out and only read: {held:,}."
    wide = len(labelled.counts.classes) > WIDE
    judge = Panel(
        "judge",
        "judge",
        "Does it work on held-out texts?",
        f"{counted} The sliders above move these numbers too." if held else "",
        {} if wide else {"column": "left"},
    )
    panels = [
        Panel("ladder", "running", "How the words add up", "", {"column": "left"}),
        Panel(
            "beside",
            "beside",
            "Three classifiers on the same words",
            "Naive Bayes compares how often each word occurs in the two classes, takes the logarithm of"
            " the ratio, and adds up: each word is so many bits of evidence, as if words were"
            " independent of each other. TF-IDF weighs a word by its count times idf = ln((1 + D) / (1 +"
            " texts with the word)) + 1, counted in D texts, and takes the class whose mean has the"
            " largest cosine.",
            {"column": "right"},
        ),
        Panel("rule", "bayesrule", "Bayes' rule with these numbers", "", {"column": "right"}),
    ]
    panels.insert(len(panels) if wide else 1, judge)
    counts, centroids = labelled.counts, labelled.centroids
    place = {name: c for c, name in enumerate(counts.classes)}
    tables = {
        "classes": counts.classes,
        "vocab": counts.vocab,
        "count": counts.count_CV.ravel().tolist(),
        "docs": counts.docs_CV.ravel().tolist(),
        "docs_C": counts.docs_C.tolist(),
        "idf": np.round(centroids.idf_V, 6).tolist(),
        "centroid": np.round(centroids.centroid_CV, 6).ravel().tolist(),
    }
    out = {
        "true": [place[name] for name in labelled.held.labels],
        "texts": [shorten(text, SNIPPET) for text in labelled.held.texts],
        "bags": [
            [x for pair in counts.bag(text)[0].items() for x in pair]
            for text in labelled.held.texts
        ],
    }
    reader = {
        "id": READER,
        "title": labelled.title,
        "run": labelled.split,
        "unit": "words",
        "colour": 0,
        "marks": 0,
        "vocabulary": len(known),
        "orders": None,
        "labels": {},
        "fields": {},
        "bag": {"tables": tables, "held": out},
    }
    return Stage(
        (),
        tuple(panels),
        unread=read,
        drawn=lambda text, characters: {},
        described=(reader,),
    )


LIVE = stage
