"""The live part of the page: the sentence as a product, what comes next over the whole vocabulary, and
which order of the counts answered."""

from __future__ import annotations

from engine.lessons.ngrams import figures
from engine.live import cache
from engine.live.drawing import picked, ribbon
from engine.live.reader import Reader
from engine.live.stage import SURPRISAL, Panel, Stage
from engine.models.ngram import Ngram
from engine.runs.store import Run


def stage(run: Run) -> Stage:
    model = cache.model(run, Ngram)
    fields = ("mass", "matched", "backoff")
    reader = Reader(
        "ngram",
        run.title,
        model,
        run.id,
        "tokens",
        fields,
        top="ladder",
        most=16,
        more=figures.about(model),
    )
    panels = (
        Panel(
            "next",
            "bars",
            "Next word",
            options={
                "column": "left",
                "words": True,
                "reader": "ngram",
                "most": 16,
                "search": True,
            },
            figure=picked("ngram", "bars", ["probability"], ["token"], top=16),
        ),
        Panel(
            "ladder",
            "ladder",
            "Where the probability comes from",
            figures.handed_down(model),
            {"column": "right", "reader": "ngram"},
            figures.ladder("ngram", model),
        ),
        Panel(
            "chain",
            "chain",
            "The sentence as a product: one factor for each word",
            "The probability of a sentence is the product of P(word | all words before it):"
            " the chain rule. An n-gram model keeps only the last few words of each condition.",
            {"reader": "ngram"},
            figures.chain("ngram"),
        ),
        Panel(
            "falloff",
            "falloff",
            "All words, from the likeliest to the least likely",
            "A few words hold most of the mass; thousands share the rest.",
            {"column": "left", "reader": "ngram"},
            picked("ngram", "", ["probability"], ["token"]),
        ),
        Panel(
            "orders",
            "stack",
            "Which order answered, token by token",
            "Each column is the whole prediction after that word. A long context with counts"
            " often decides alone; a rare one hands its mass down to shorter contexts.",
            {"column": "right", "reader": "ngram", "fields": ("mass",)},
            picked("ngram", "", ["mass"]),
        ),
        Panel(
            "surprise",
            "ribbon",
            "How surprising each word was",
            "Strong colour: the model did not expect this word here.",
            {"column": "right", "scale": SURPRISAL},
            ribbon({"ngram": run.title}),
        ),
    )
    return Stage(((reader, run),), panels, most=600)


LIVE = stage
