"""The live part of the page: the sentence as a product, what comes next over the whole vocabulary, and
which order of the counts answered."""

from __future__ import annotations

from engine.core.trace import FieldSpec, Kind
from engine.frame import picture as pic
from engine.lessons.ngrams import figures
from engine.live import cache, declared
from engine.live.drawing import picked, ribbon
from engine.live.reader import Reader
from engine.live.stage import SURPRISAL, Panel, Stage
from engine.models.ngram import Ngram
from engine.runs.store import Run

ORDERS = pic.Picture(
    "orders",
    pic.Over((pic.Cells("mass", "share"),), pic.Rows("order"), least=30),
    "Which order answered, token by token",
    says="Each column is the whole prediction after that word, shared out among the orders. A long context with counts"
    " often decides alone; a rare one hands its mass down to shorter contexts.",
    tell=(
        "After “{token}”: {each}.",
        "Type a word: each order answers a share of what comes next.",
    ),
    side="right",
    parts={"each": pic.Series("order", "{order:called} {mass:%}", ", ")},
    table=pic.table("token order", "after: {token} | order: {order:called} | share: {mass:%}"),
    saves=pic.Saves(("mass",)),
)
SHOWN = pic.Live((), (ORDERS,), shades={"share": FieldSpec("share", Kind.PROBABILITY, (), "")})


def once(model: Ngram) -> pic.Once:
    orders = dict(model.labels(model.tokens("")))["order"]
    return pic.Once({"order": [f"order {o}" if o.isdigit() else o for o in orders]})


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
        more={**declared.told(SHOWN, once(model)), **figures.about(model)},
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
        declared.panel(ORDERS, "ngram", model),
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
