"""The panels of the page on hidden Markov models: the trellis over the typed text, a step of the
filter in numbers, a path and its joint probability, what the future changed, the tables, forgetting.

Shapes: S = states, T = tokens
"""

from __future__ import annotations

import base64
from collections.abc import Callable
from typing import Any

import numpy as np

from engine.core.trace import Axis, Field, FieldSpec, Kind, Trace
from engine.hmm import forgetting
from engine.live import cache
from engine.live.drawing import picked
from engine.live.reader import Reader, describe_field
from engine.live.stage import Panel, Stage
from engine.models.markov import PARAMETERS, Markov
from engine.runs.store import Run
from engine.text.tokenizers.base import Tokens

SHOWN = 160  # characters at once
WRITES = 12  # tokens listed of a state
LIKELY = FieldSpec(
    "likely",
    Kind.PROBABILITY,
    ("token", "state"),
    "How likely each state is to write this token; of an unknown word its ending counts, too.",
    "b",
)
BEST = FieldSpec(
    "path.best",
    Kind.PROBABILITY,
    ("token", "state"),
    "Probability of the likeliest path that ends in each state, beside that of the likeliest of all.",
    "δ_t / max δ_t",
)


def derive(model: Markov[Any]) -> Callable[[Trace], tuple[Field, ...]]:
    """What the browser multiplies: how likely each state writes each token, and how good the best
    path to each state is."""

    def make(trace: Trace) -> tuple[Field, ...]:
        tokens = Tokens(trace.ids, trace.tokens, trace.spans, trace.unknown)
        axes = Axis("token", trace.tokens), Axis("state", model.states)
        best_TS = np.exp(trace.field("path.score").values.astype(float))
        return Field(LIKELY, model.likely(tokens), axes), Field(BEST, best_TS, axes)

    return make


def tables(model: Markov[Any]) -> dict[str, Any]:
    """What the browser has to know of the model once."""
    order_SV = np.argsort(-model.b_SV, axis=1, kind="stable")[:, :WRITES]
    words = model.tokenizer.vocab
    transition = next(spec for spec in PARAMETERS if spec.name == "transition")
    return {
        "labels": {"state": list(model.states)},
        "markov": {
            "transition": base64.b64encode(model.a_SS.astype("<f4").tobytes()).decode(),
            "writes": [
                [[words[v], float(b_V[v])] for v in order_V if b_V[v] > 0]
                for order_V, b_V in zip(order_SV, model.b_SV, strict=True)
            ],
            "second": forgetting.second(model.a_SS),
            "named": model.states[1:2] != ("1",),
            "scale": describe_field(transition)["scale"],
        },
    }


def stage(run: Run) -> Stage:
    """ValueError, with a sentence for the reader, for a run that is damaged."""
    model = cache.model(run, Markov)
    letters = model.tokenizer.id == "chars"
    reader = Reader(
        "hmm",
        run.title,
        model,
        run.id,
        "characters" if letters else "words",
        ("predict", "filter", "smooth", "path.back", "viterbi"),
        most=12,
        also=("path.score",),
        derive=derive(model),
        derived=(LIKELY, BEST),
        more=tables(model),
    )
    beliefs = ["predict", "filter", "smooth"]
    left, right = {"column": "left", "reader": "hmm"}, {"column": "right", "reader": "hmm"}
    panels = (
        Panel(
            "trellis",
            "trellis",
            "Which state each token is in",
            "A column for each token, a row for each hidden state; the larger a circle, the likelier"
            " the state. The thick line is the likeliest path (Viterbi); a thin line leads back to"
            " where the best path to a state comes from. Click a state to bend a path of your own"
            " through it.",
            {"reader": "hmm"},
            picked("hmm", "", [*beliefs, "viterbi"]),
        ),
        Panel(
            "step",
            "filtering",
            "Predict, correct, repeat",
            "Predict: the belief before, times the transitions. Correct: times how likely each state"
            " writes the token, divided by the sum. Look back: the same with all that follows.",
            left,
            picked("hmm", "", beliefs, ["token"]),
        ),
        Panel(
            "next",
            "bars",
            "Next token",
            options={**right, "words": not letters, "most": 12, "search": True},
            figure=picked("hmm", "bars", ["probability"], ["token"], top=12),
        ),
        Panel(
            "joint",
            "joint",
            "The joint probability of text and path, factor by factor",
            "",
            {"reader": "hmm"},
        ),
        Panel(
            "revised",
            "revised",
            "What the future changed",
            "Filtered: given the tokens up to this one. Smoothed: given the whole text. The bar is"
            " the distance of the two (total variation): 0 % where later tokens said nothing new.",
            left,
            picked("hmm", "", ["filter", "smooth"]),
        ),
        Panel(
            "forgets",
            "forgetting",
            "How fast the start is forgotten",
            "",
            right,
        ),
        Panel(
            "transitions",
            "transitions",
            "Which state follows which",
            "A row for each state, a column for the one after it; each row sums to 100 %. Click a"
            " cell to choose its state.",
            left,
        ),
        Panel("writes", "writes", "What the state writes", "", right),
    )
    size = len(model.states)
    return Stage(
        ((reader, run),),
        panels,
        most=SHOWN,
        vertical={"name": "unit", "size": size},
    )
