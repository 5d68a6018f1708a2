"""GloVe on a small text: how much each pair weighs, how the loss falls, what is fitted, and where
the words move."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
import streamlit as st

from engine.analysis.projection.pca import PCA
from engine.core.trace import Table
from engine.lessons.cooccurrence import course
from engine.lessons.cooccurrence.counts import sound
from engine.lessons.cooccurrence.course import Course
from engine.live.markdown import sentence
from engine.models.glove import Config
from engine.nn import glove
from pages.ui import plate, texts, typed
from pages.ui.plate import Plate
from pages.ui.show import formula

ABOVE = "The text above"
SOURCE: Any = {"source": "glove-small", "model": "glove"}
POINTS, NAMED = 1500, 60  # pairs drawn, words with a name on the map
GROUPS = ("other words", "neighbours", "commonest words")
X_MAX, EPOCHS = (1, 2, 5, 10, 20, 50, 100), (10, 25, 50, 100, 200, 400)


def show(example: str) -> None:
    st.markdown(
        "GloVe gives every word a vector w and, as a context, a vector w̃, and two biases. It"
        " tries to make **w · w̃ + b + b̃ = ln X** for every pair that was counted (X > 0). A"
        " pair has weight f(X): rare pairs count little, and no pair counts more than 1,"
        " however frequent."
    )
    formula(
        r"J = \sum_{X_{ij} > 0} f(X_{ij})\,\bigl(w_i^\top \tilde w_j + b_i + \tilde b_j - \ln"
        r" X_{ij}\bigr)^2, \qquad f(x) = \min\bigl(1, (x / x_{\max})^{0.75}\bigr)"
    )
    st.caption(
        "GloVe fits the logarithm of the count, not of a probability; the bias b absorbs the"
        " total of its row. The sum leaves out X = 0, because ln 0 does not exist."
    )
    left, right = st.columns((2, 3), gap="medium")
    with left:
        options = {"above": ABOVE, **texts.listed()}
        id = texts.pick("Text to train on", options, "glove.source")
        st.button(
            "Use the text in the box",
            help="Trains again on the text now typed above.",
            disabled=id != "above",
        )
        x_max = st.select_slider(
            "x max: pairs counted this often get weight 1", X_MAX, 10, key="glove.xmax"
        )
        width = st.select_slider("Numbers in a vector", (2, 5, 10, 20, 50), 10, key="glove.width")
        epochs = st.select_slider("Epochs: passes over all pairs", EPOCHS, 100, key="glove.epochs")
    plate.show(weights(float(x_max)), right)
    try:
        text = typed.text(example) if id == "above" else texts.beginning(id, course.CHARACTERS)
    except LookupError as problem:
        st.error(sentence(problem))
        return
    words = course.VOCABULARY
    config = Config(width=width, window=5, x_max=float(x_max), vocabulary=words, epochs=epochs)
    text = sound(text[: course.CHARACTERS])
    try:
        found = _trained(hashlib.sha256(text.encode()).hexdigest(), config, text)
    except ValueError:
        st.info(
            "Nothing to count yet: type a line of at least two words in the box above, then use it."
        )
        return
    _results(found, "" if id == "above" else options[id])


@st.cache_resource(max_entries=16, show_spinner="Training …")
def _trained(digest: str, config: Config, _text: str) -> Course:
    return course.train(_text, config)


def weights(x_max: float) -> Plate:
    x = np.linspace(0, 1.5 * x_max, 61)
    told = [f"f({n}) = {glove.weight(np.array(n), x_max):.4f}" for n in (1, 10, 50, 100)]
    says, of = "The weight of a pair that was counted X times", ", ".join(told)
    return _curve("weight", says, ("f(X)", x, glove.weight(x, x_max)), of, x="X", y="f(X)")


def _curve(
    id: str, says: str, series: tuple[str, Any, Any], of: str, x: str, y: str, **options: Any
) -> Plate:
    options = {"of_series": "", **options, "tight": True}
    return plate.lines(id, says, [series], of=of, x=x, y=y, every=True, **options, **SOURCE)


def _results(found: Course, title: str) -> None:
    steps = list(found.parts)
    of = (
        f"GloVe trained on at most the first {course.CHARACTERS:,} characters of {title}"
        if title
        else "GloVe trained on the typed text"
    )
    st.markdown(
        f"{len(found.words):,} words, {len(found.x_P):,} pairs with X > 0 (window 5, a word at"
        f" distance d counts 1/d), {steps[-1]:,} steps at {found.pairs_per_second / 1e6:.2g}"
        f" million pairs a second. J fell from {_short(found.loss(0))} to"
        f" {_short(found.loss(steps[-1]))}."
    )
    step = st.select_slider(
        "Training step shown in the map and in the fit",
        steps,
        steps[-1],
        key=f"glove.step.{len(steps)}.{steps[-1]}",
    )
    plate.row(_map(found, step, of), _fit(found, step, of))
    plate.show(_loss(found, of))


def _short(value: float) -> str:
    return (
        f"{value:,.0f}" if value >= 100 else f"{value:.3g}" if value >= 0.001 else "less than 0.001"
    )


def _loss(found: Course, of: str) -> Plate:
    says = "Weighted squared error per pair, mean since the previous report"
    series = "f(X) · error²", [step for step, _ in found.losses], [v for _, v in found.losses]
    return _curve("loss", says, series, of, x="training step", y="mean per pair", log_y=True)


def _fit(found: Course, step: int, of: str) -> Plate:
    at = np.argsort(-found.x_P, kind="stable")[:POINTS]
    words = np.array(found.words, object)
    columns = {
        "word": words[found.row_P[at]],
        "neighbour": words[found.column_P[at]],
        "x": np.log(found.x_P[at]),
        "value": found.fit(step)[at],
        "weight": found.f_P[at],
    }
    if len(found.x_P) > POINTS:
        of += f"; the {POINTS:,} most frequent of {len(found.x_P):,} pairs"
    says = f"Each pair of words at step {step:,}: fitted value against ln X"
    options = {"x": "ln X", "y": "w · w̃ + b + b̃"}
    made = Table.of("fit", says, columns)
    return Plate("fit", "fit", (made,), of=of, options=options, **SOURCE)


def _map(found: Course, step: int, of: str) -> Plate:
    """On the principal components of the last step, so that the axes stay while the words move."""
    ends = found.parts[max(found.parts)], found.parts[step]
    last, now = (w_VD + c_VD for w_VD, c_VD, _, _ in ends)
    pca = PCA.fit(last, 2)
    places = pca.transform(now)
    columns = {
        "word": found.words,
        "x": places[:, 0],
        "y": places[:, 1],
        "group": [2 if i < NAMED else 0 for i in range(len(found.words))],
        "frequency": found.count_V,
    }
    says = (
        f"The words at step {step:,}, on the two main directions of the last step"
        f" ({100 * pca.map.shares[:2].sum():.0f} % of its variance)"
    )
    made = Table.of("moves", says, columns)
    return Plate("moves", "scatter", (made,), of=of, options={"groups": GROUPS}, **SOURCE)
