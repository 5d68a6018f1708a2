"""The panels of the page on the sentence classifier: which phrase fires which filter, what each best
match adds to the answer, and one filter opened to its products.

Shapes: K = labels, U = filters, w = words a filter covers, D = width of a word's vector
"""

from __future__ import annotations

import base64
from typing import Any

import numpy as np

from engine.core.round_numbers import reach
from engine.core.trace import FieldSpec, Kind
from engine.live import cache
from engine.live.drawing import picked
from engine.live.reader import Reader, describe_field
from engine.live.stage import Panel, Stage
from engine.models.textcnn import TextCNN
from engine.runs.store import Run
from engine.text.corpora.reviews import CORPUS as REVIEWS

SHOWN, LONGEST = 400, 64  # characters and words at once
ROWS = 10  # filters shown at once
WITHIN, SAMPLE = (
    0.99,
    24,
)  # share of the numbers that a colour scale must hold; reviews it is set by
MATCH = FieldSpec("match", Kind.GATE, ("unit",), "How well words match a filter.")
PRODUCT = FieldSpec("product", Kind.STATE, ("unit",), "A number of a word times its weight.")


def stage(run: Run) -> Stage:
    """ValueError, with a sentence for the reader, for a run that is damaged."""
    model = cache.model(run, TextCNN)
    reader = Reader(
        "net",
        run.title,
        model,
        run.id,
        "tokens",
        ("vector", "response", "largest"),
        top="label",
        more=tables(model),
    )
    panels = (
        Panel(
            "phrases",
            "phrases",
            "Which phrases decide",
            "A row is a filter, a cell how well the words that end there match it. Framed is its best"
            " match, and that alone counts (max pooling). The bar is what this match adds to the score"
            " of one class, less what it adds to that of the other.",
            {"reader": "net", "rows": ROWS},
            picked("net", "heatmap", ["response"]),
        ),
        Panel(
            "products",
            "products",
            "One filter, every product",
            "A word is a row of numbers, its channels. The filter has a weight for each channel of each"
            " word that it covers; a cell is the product of the two.",
            {"reader": "net"},
        ),
    )
    return Stage(
        ((reader, run),),
        panels,
        most=SHOWN,
        longest=LONGEST,
        vertical={"name": "unit", "size": len(model.filters)},
    )


def tables(model: TextCNN) -> dict[str, Any]:
    """What the browser has to know of the model once.  `filters`: of each bank its weights
    (filters, D, w), one after another, float32 in base64; `head` (K, U) the same."""
    net, some = model.net, REVIEWS.labelled()[:SAMPLE]
    banks = [bank.weight.detach().numpy() for bank in net.slid]
    biases = (bank.bias for bank in net.slid)
    bias_U = np.concatenate([bias.detach().numpy() for bias in biases if bias is not None])
    vector_VD = net.embed.weight.detach().numpy()
    most = max(reach(bank, WITHIN) for bank in banks) * reach(vector_VD, WITHIN)
    best = [model.trace(text, fields=("largest",)).field("largest").values[-1] for _, text in some]
    return {
        "labels": {"label": list(model.names), "unit": list(model.filters)},
        "textcnn": {
            "covers": list(model.config.covers),
            "each": model.config.filters,
            "width": model.config.width,
            "filters": _sent(np.concatenate([bank.ravel() for bank in banks])),
            "bias": [float(b) for b in bias_U],
            "head": _sent(net.head.weight.detach().numpy()),
            "start": [float(d) for d in net.head.bias.detach().numpy()],
            "scales": {
                "match": {**describe_field(MATCH)["scale"], "high": reach(np.array(best), WITHIN)},
                "product": {**describe_field(PRODUCT)["scale"], "low": -most, "high": most},
            },
        },
    }


def _sent(values: np.ndarray) -> str:
    return base64.b64encode(values.astype("<f4").tobytes()).decode()


LIVE = stage
