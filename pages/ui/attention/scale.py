"""What dividing by the root of d does to the weights and to the gradient, on random vectors and in
the run's own heads."""

from __future__ import annotations

from typing import Any

import numpy as np
import streamlit as st

from engine.analysis.qkv.saturation import DIMS, KEYS, QUERIES, Spread, of_heads, random
from engine.live import cache
from engine.live.markdown import escape, sentence
from engine.runs.store import Run
from pages.ui import kept, plate, rows, texts
from pages.ui.choice import one_of
from pages.ui.plate import Plate

MEASURES = {
    "entropy": (
        "entropy of the weights",
        "Entropy of the weights, as a share of that of equal weights",
    ),
    "slope": (
        "gradient through the softmax",
        "Size of the softmax's Jacobian: how much a score can still change a weight",
    ),
    "largest": ("largest weight", "Largest weight of a row, on average"),
    "variance": ("variance of the scores", "Variance of the scores"),
}
WAYS = ("not divided", "÷ √d")
CORPUS, TEXTS, LONG, SEED = "stories", 4, 300, 0


def show(run: Run) -> None:
    st.markdown(
        "Multiply two vectors of $d$ independent random numbers with mean 0 and variance 1, and"
        " the product has variance $d$: the more numbers, the larger the scores. The softmax of"
        " large scores gives nearly all weight to one key. Its slope is then nearly 0, and"
        " training stalls. Divided by $\\sqrt d$, the variance is 1 for every $d$."
    )
    short = {id: words for id, (words, _) in MEASURES.items()}
    name = one_of("What to measure", short, "scale.measure")
    options = {CORPUS: "", **texts.listed()}
    id = texts.pick("Text that the model's heads read", options, "scale.text", width=420)
    try:
        drawn, heads = vectors(), of_run(run, id)
    except (ValueError, LookupError) as problem:
        st.error(sentence(problem))
        return
    d = heads["dim"]
    plate.show(curve(name, drawn, heads, run))
    raw, scaled = (getattr(pair, name) for pair in random_at(d))
    st.markdown(
        f"At $d = {d}$, the width of this model's heads, the {MEASURES[name][0]} of random vectors"
        f" is **{raw:.3g}** undivided and **{scaled:.3g}** divided by $\\sqrt{{{d}}}$."
        f" {of_heads_said(heads['heads'], name)}"
    )
    ways = ("not divided", "as the model does")
    table = []
    for n, layer in enumerate(heads["heads"]):
        for m, pair in enumerate(layer):
            row: dict[str, Any] = {"layer": n + 1, "head": m + 1}
            for key, words in short.items():
                for way, part in zip(ways, pair, strict=True):
                    row[f"{words}, {way}"] = round(getattr(part, key), 4)
            table.append(row)
    rows.show(table, "scale.heads", height=240)
    st.caption(
        f"Random: {QUERIES:,} queries, {KEYS} keys each, seed {SEED}. Heads: every row of"
        f" {heads['tokens']} tokens of “{escape(options[id])}” that sees {KEYS} tokens or more,"
        f" over its last {KEYS}. Entropy 1: all weights alike. A Jacobian of 0 means that no"
        " gradient passes; the size is its Frobenius norm."
    )


def of_heads_said(heads: list[list[tuple[Spread, Spread]]], name: str) -> str:
    raw, scaled = (
        np.array([getattr(pair[i], name) for layer in heads for pair in layer]) for i in (0, 1)
    )
    return (
        f"Its own {len(raw)} heads: {raw.min():.3g} to {raw.max():.3g} if they did not divide,"
        f" {scaled.min():.3g} to {scaled.max():.3g} as they do. A trained head may want large"
        " scores: nothing keeps its numbers independent."
    )


@st.cache_data(show_spinner="Measuring random vectors…")
def vectors() -> Any:
    return {d: random(d, seed=SEED) for d in DIMS}


@st.cache_data(max_entries=16, show_spinner=False)
def random_at(d: int) -> Any:
    return random(d, seed=SEED)


@kept.data(max_entries=8, show_spinner="Reading a text with every head…")
def of_run(run: Run, id: str) -> Any:
    """ValueError with a sentence for a text that is too short."""
    model = cache.model(run)
    trace = model.trace(
        "\n".join(texts.stretches(id, TEXTS, LONG)), fields=("query", "key", "score")
    )
    if len(trace.tokens) <= KEYS:
        raise ValueError(
            f"this text has {len(trace.tokens)} tokens here, and more than {KEYS} are needed;"
            " choose a longer one"
        )
    q, k = trace.field("query").values, trace.field("key").values
    product = q @ np.swapaxes(np.repeat(k, q.shape[1] // k.shape[1], 1), -1, -2)
    return {
        "heads": of_heads(product, trace.field("score").values),
        "dim": q.shape[-1],
        "tokens": len(trace.tokens),
    }


def curve(
    name: str, drawn: dict[int, tuple[Spread, Spread]], heads: dict[str, Any], run: Run
) -> Plate:
    trained = [pair for layer in heads["heads"] for pair in layer]
    kinds = (
        ("random vectors", [*drawn], [*drawn.values()]),
        ("this model's heads", [heads["dim"]] * len(trained), trained),
    )
    y, says = MEASURES[name]
    return plate.lines(
        "saturation",
        says,
        [
            (f"{kind}, {way}", dims, [getattr(pair[i], name) for pair in pairs])
            for kind, dims, pairs in kinds
            for i, way in enumerate(WAYS)
        ],
        run.id,
        f"Random vectors; heads of {run.title} ({run.id})",
        x="d, numbers in a query or key",
        y=y,
        of_series="",
        log_x=True,
        log_y=name == "variance",
        model=run.model,
    )
