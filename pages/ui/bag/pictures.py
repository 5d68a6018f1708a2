"""The running sum and the confusion matrix as figures: picture, table, files."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from engine.analysis.bag_of_words.evaluate import Result
from engine.core.trace import Field, Kind, Table
from engine.views import theme
from pages.ui import plate
from pages.ui.bag.texts import Chosen
from pages.ui.plate import Plate

if TYPE_CHECKING:
    from pages.ui.bag.tables import State


def show(chosen: Chosen, s: State, title: str, result: Result | None) -> None:
    left, right = st.columns(2, gap="medium")
    source = f"bag-{chosen.texts.replace('.', '-')}"
    of = f"{title}, {chosen.title}" + ("" if s.kind == "tfidf" else f", k = {s.k:g}")
    made = partial(Plate, source=source, of=of, model=s.kind)
    with left:
        steps, undefined = ladder(chosen, s)
        names = [theme.shorten(chosen.counts.classes[c], 24) for c in (s.a, s.b)]
        unit = "parts of the cosine" if s.kind == "tfidf" else "bits"
        options = {
            "title": f"{names[0]} (right) against {names[1]} (left), word by word",
            "axis": f"running sum, {unit}",
        }
        text = s.text[:200]
        plate.show(made("bag.ladder", "waterfall", (steps,), text=text, options=options))
        if undefined:
            st.caption(
                "The bars stop where a factor is 0: log2 of 0 is minus infinity and"
                " cannot be drawn."
            )
    if result is None:
        return
    table = result.confusion
    columns = (*result.classes, "no answer") if table[:, -1].any() else result.classes
    says = "Of the held-out texts of each class (rows), the share assigned to each class (columns)."
    with np.errstate(invalid="ignore"):
        share = table[:, : len(columns)] / table.sum(1, keepdims=True)
    axes = {"label": result.classes, "tag": columns}
    field = Field.of("confusion", Kind.PROBABILITY, axes, share, says)
    plate.show(made("bag.confusion", "heatmap", (field,)), right)


def ladder(chosen: Chosen, s: State) -> tuple[Table, bool]:
    """The steps from the prior to the posterior, and whether one of them is not finite."""
    if s.kind == "tfidf":
        words, parts_WC = chosen.centroids.parts(s.text)
        steps, rows_NC = list(words), [parts_WC]
    else:
        read = s.model(chosen).read(s.text)
        named = zip(read.words, read.counts, strict=True)
        steps = ["prior", *(w if n == 1 else f"{w}×{n}" for w, n in named)]
        rows_NC = [read.prior_C[None], read.parts_WC]
        if s.kind == "bernoulli":
            steps.append("absent words")
            rows_NC.append(read.rest_C[None])
    with np.errstate(invalid="ignore"):
        all_NC = np.concatenate(rows_NC)
        change = all_NC[:, s.a] - all_NC[:, s.b]
        after = np.cumsum(change)
    before = np.r_[0.0, after][: len(after)]
    columns = {"step": steps, "before": before, "after": after, "change": change}
    made = Table.of("ladder", "What each word adds, and the sum so far.", columns)
    return made, not np.isfinite(after).all()
