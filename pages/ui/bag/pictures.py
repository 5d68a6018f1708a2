"""The running sum and the confusion matrix as figures: picture, table, files."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from engine.analysis.bag_of_words.evaluate import Result
from engine.core.trace import Axis, Field, FieldSpec, Kind, Table, TableSpec
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
    with left:
        steps, undefined = ladder(chosen, s)
        names = [theme.shorten(chosen.counts.classes[c], 24) for c in (s.a, s.b)]
        unit = "parts of the cosine" if s.kind == "tfidf" else "bits"
        options = {
            "title": f"{names[0]} (right) against {names[1]} (left), word by word",
            "axis": f"running sum, {unit}",
        }
        plate.show(
            Plate(
                "bag.ladder", "waterfall", (steps,), source, of, s.text[:200], options, model=s.kind
            )
        )
        if undefined:
            st.caption(
                "The bars stop where a factor is 0: log2 of 0 is minus infinity and"
                " cannot be drawn."
            )
    if result is None:
        return
    with right:
        table = result.confusion
        columns = (*result.classes, "no answer") if table[:, -1].any() else result.classes
        spec = FieldSpec(
            "confusion",
            Kind.PROBABILITY,
            ("label", "tag"),
            (
                "Of the held-out texts of each class (rows), the share assigned to each class"
                " (columns)."
            ),
        )
        with np.errstate(invalid="ignore"):
            share = table[:, : len(columns)] / table.sum(1, keepdims=True)
        axes = (Axis("label", result.classes), Axis("tag", tuple(columns)))
        field = Field(spec, share.astype(np.float32), axes)
        plate.show(Plate("bag.confusion", "heatmap", (field,), source, of, "", {}, model=s.kind))


def ladder(chosen: Chosen, s: State) -> tuple[Table, bool]:
    """The steps from the prior to the posterior, and whether one of them is not finite."""
    if s.kind == "tfidf":
        words, parts_WC = chosen.centroids.parts(s.text)
        steps = [
            (word, float(x))
            for word, x in zip(words, parts_WC[:, s.a] - parts_WC[:, s.b], strict=True)
        ]
    else:
        read = s.model(chosen).read(s.text)
        with np.errstate(invalid="ignore"):
            steps = [("prior", float(read.prior_C[s.a] - read.prior_C[s.b]))]
            steps += [
                (w if n == 1 else f"{w}×{n}", float(x))
                for w, n, x in zip(
                    read.words,
                    read.counts,
                    read.parts_WC[:, s.a] - read.parts_WC[:, s.b],
                    strict=True,
                )
            ]
            if s.kind == "bernoulli":
                steps.append(("absent words", float(read.rest_C[s.a] - read.rest_C[s.b])))
    change = np.array([x for _, x in steps], float)
    with np.errstate(invalid="ignore"):
        after = np.cumsum(change)
    before = np.concatenate([[0.0], after[:-1]]) if len(after) else after
    columns = {
        "step": np.array([name for name, _ in steps], object),
        "before": before,
        "after": after,
        "change": change,
    }
    return (
        Table(
            TableSpec("ladder", tuple(columns), "What each word adds, and the sum so far."), columns
        ),
        not np.isfinite(after).all(),
    )
