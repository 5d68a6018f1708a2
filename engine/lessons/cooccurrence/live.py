"""The live part of the lesson on co-occurrence: counts of the typed words, the company of one, one-hot and
dense vectors; the same numbers for saved files."""

from __future__ import annotations

import numpy as np

from engine.core.trace import Field, FieldSpec, Kind, Trace
from engine.lessons.cooccurrence.counts import Rules, Typed, cosines, table
from engine.live import cache
from engine.live.drawing import Drawing, Look, Traces, with_entries
from engine.live.reader import Reader, describe_field
from engine.live.stage import Panel, Stage
from engine.runs.store import Run

MOST = 1200  # characters shown and counted
SCALES = {
    kind.value: describe_field(FieldSpec(kind, kind, ("source", "target"), ""))["scale"]
    for kind in (Kind.COUNT, Kind.COSINE)
}
STEPS = {
    "count": (Kind.COUNT, "X", "How often each word (row) occurs near each other word (column)"),
    "log": (Kind.SCORE, "ln X", "Logarithm of how often each word occurs near each other word"),
    "ppmi": (
        Kind.SCORE,
        "PPMI",
        "Positive pointwise mutual information of each pair of words, in nats",
    ),
    "cosine": (Kind.COSINE, "cos", "Cosine between the count rows of each pair of words"),
}


def stage(run: Run) -> Stage:
    model = cache.model(run)
    reader = Reader("glove", run.title, model, run.id, "words", ("vector",), top="")
    left, right = ({"column": side, "scales": SCALES} for side in ("left", "right"))
    panels = (
        Panel("near", "nearby", "Which words occur near which", options=left, figure=near),
        Panel("company", "company", "Neighbours of", options={"column": "left"}),
        Panel(
            "onehot",
            "onehot",
            "One-hot: a position, but no similarity",
            "Columns: the words as typed. Rows: the different words. These numbers only tell"
            " words apart.",
            right,
        ),
        Panel(
            "dense",
            "dense",
            "Dense: similarity learned from neighbours",
            f"Cosines between the vectors of {model.config.width} numbers that GloVe learned"
            f" from {run.note['corpus'].get('name', 'a text of yours')}.",
            right,
            dense,
        ),
    )
    return Stage(((reader, run),), panels, most=MOST)


def near(traces: Traces, look: Look) -> Drawing:
    trace = traces["glove"]
    typed, rules = Typed.of(trace.tokens, trace.spans), Rules.read(look.get("rules"))
    kind, symbol, says = STEPS[rules.step]
    how = (
        f"window {rules.window}, {rules.sides} {'sides' if rules.sides == 'both' else 'side'}, "
        + ("each counts 1" if rules.weighting == "flat" else "each counts 1 / distance")
    )
    name = f"near.{rules.step}"
    return square(trace, name, kind, table(typed, rules), f"{says}: {how}.", symbol)


def dense(traces: Traces, look: Look) -> Drawing:
    trace = traces["glove"]
    typed = Typed.of(trace.tokens, trace.spans)
    labels = [label.lower() for label in trace.tokens]
    rows = [labels.index(word) for word in typed.words]
    vector_VD = trace.field("vector").values[rows] if rows else np.zeros((0, 1))
    says = "Cosine between the learned vectors of each pair of words."
    return square(trace, "cosine.typed", Kind.COSINE, cosines(vector_VD), says, "cos")


def square(
    trace: Trace, name: str, kind: Kind, values_VV: np.ndarray, says: str, symbol: str
) -> Drawing:
    """A number for each pair of the typed words."""
    words = Typed.of(trace.tokens, trace.spans).words
    field = Field.of(name, kind, {"source": words, "target": words}, values_VV, says, symbol)
    return Drawing("glove", "heatmap", with_entries(trace, field), (name,))


LIVE = stage
