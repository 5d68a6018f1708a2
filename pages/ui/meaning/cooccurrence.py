"""Co-occurrence: the live panels of the page, and the same numbers as figures for saved files."""

from __future__ import annotations

import numpy as np

from engine.reading import Reader, describe_field
from engine.runs import Run
from engine.trace import Axis, Field, FieldSpec, Kind, Trace
from pages.ui import cache
from pages.ui.drawing import Drawing, Look, Traces, with_entries
from pages.ui.meaning import cooccurrence_svd
from pages.ui.meaning.cooccurrence_counts import Rules, Typed, cosines, table
from pages.ui.stage import Panel, Stage

MOST = 1200  # characters shown and counted
SCALES = {
    "count": describe_field(FieldSpec("count", Kind.COUNT, ("source", "target"), "Count."))["scale"],
    "cosine": describe_field(FieldSpec("cosine", Kind.COSINE, ("query", "key"), "Cosine."))["scale"],
}
STEPS = {
    "count": (Kind.COUNT, "X", "How often each word (row) stands near each other one (column)"),
    "log": (Kind.SCORE, "ln X", "Logarithm of how often each word stands near each other one"),
    "ppmi": (Kind.SCORE, "PPMI", "Positive pointwise mutual information of each word with each other one, in nats"),
    "cosine": (Kind.COSINE, "cos", "Cosine of the rows of counts of each two words"),
}


def near(traces: Traces, look: Look) -> Drawing:
    trace = traces["glove"]
    typed, rules = Typed.of(trace.tokens, trace.spans), Rules.read(look.get("rules"))
    kind, symbol, says = STEPS[rules.step]
    how = f"window {rules.window}, {rules.sides} {'sides' if rules.sides == 'both' else 'side'}, " + ("each counts 1" if rules.weighting == "flat" else "each counts 1 / distance")
    spec = FieldSpec(f"near.{rules.step}", kind, ("source", "target"), f"{says}: {how}.", symbol)
    return square(trace, spec, table(typed, rules), typed.words)


def dense(traces: Traces, look: Look) -> Drawing:
    trace = traces["glove"]
    typed = Typed.of(trace.tokens, trace.spans)
    labels = [label.lower() for label in trace.tokens]
    vector_VD = trace.field("vector").values[[labels.index(w) for w in typed.words]] if typed.words else np.zeros((0, 1))
    spec = FieldSpec("cosine.typed", Kind.COSINE, ("source", "target"), "Cosine of the learned vectors of each two words.", "cos")
    return square(trace, spec, cosines(vector_VD), typed.words)


def square(trace: Trace, spec: FieldSpec, values_VV: np.ndarray, words: tuple[str, ...]) -> Drawing:
    field = Field(spec, values_VV, (Axis("source", words), Axis("target", words)))
    return Drawing("glove", "heatmap", with_entries(trace, field), (spec.name,))


def settled(traces: Traces, look: Look) -> None:
    cooccurrence_svd.show(Typed.of(traces["glove"].tokens, traces["glove"].spans), Rules.read(look.get("rules")))


def stage(run: Run) -> Stage:
    model = cache.model(run)
    reader = Reader("glove", run.title, model, run.id, "words", ("vector",), top="")
    of = run.note["corpus"].get("name", "a text of yours")
    panels = (
        Panel("near", "nearby", "Which word stands near which", options={"column": "left", "scales": SCALES}, figure=near),
        Panel("company", "company", "The company of", options={"column": "left"}),
        Panel(
            "onehot", "onehot", "One-hot: a place, and no likeness",
            "Columns: the words as typed. Rows: each different word. Numbers that only tell words apart.", {"column": "right", "scales": SCALES},
        ),
        Panel(
            "dense", "dense", "Dense: likeness learned from company",
            f"Cosines of the {model.config.width} numbers that GloVe learned for each word from {of}.", {"column": "right", "scales": SCALES}, dense,
        ),
    )  # fmt: skip
    return Stage(((reader, run),), panels, most=MOST, settled=settled)
