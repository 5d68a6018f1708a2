"""Examples small enough to do by hand, with numbers that can be changed; where the course notes are
wrong, beside theirs."""

from __future__ import annotations

import numpy as np
import streamlit as st

from engine.analysis.qkv.attend import DIVISORS, Steps, attend, entropy
from engine.analysis.qkv.examples import EXAMPLES, Example
from engine.runs.store import Run
from pages.ui.choice import one_of
from pages.ui.written import WANTED, edit, equations, matrix

SATURATED = 0.9999


def show(run: Run) -> None:
    title = st.selectbox("Example", [e.title for e in EXAMPLES], key="hand.example", width=520)
    example = next(e for e in EXAMPLES if e.title == title)
    st.markdown(example.says)
    st.caption("Double-click a number to change it.")
    with st.container(horizontal=True, gap="medium"):
        given = {
            name: edited(example, name, values)
            for name, values in zip(example.names, example.given, strict=True)
        }
    left, middle, last = st.columns(3, vertical_alignment="bottom")
    divisor = one_of("Divide the scores by", DIVISORS, f"hand.divisor.{example.id}", where=left)
    axis = one_of("Softmax of each", ["row", "column"], f"hand.axis.{example.id}", where=middle)
    hides = last.toggle("Hide what comes later", example.hides, key=f"hand.mask.{example.id}")
    values = list(given.values())
    if any(part.size == 0 or not np.isfinite(part).all() for part in values):
        st.info(WANTED)
        return
    q, k, v = example.vectors(*values)
    hidden = np.triu(np.ones((len(q), len(k)), bool), 1) if hides else None
    found = attend(q, k, v, divisor=divisor, hidden_NM=hidden, axis=0 if axis == "column" else 1)
    equations((("Q", matrix(q)), ("K", matrix(k)), ("V", matrix(v))))
    sign = {"√d": r"\frac{QK^\top}{\sqrt{d}}", "1": r"QK^\top", "d": r"\frac{QK^\top}{d}"}[divisor]
    equations(((r"S = QK^\top", matrix(found.score_NM)), (sign, matrix(found.scaled_NM))))
    equations((("A", matrix(found.weight_NM)), ("O = AV", matrix(found.out_NV))))
    st.markdown(said(found, axis == "column"))
    if example.printed and divisor == "√d" and axis == "row" and not hides:
        right = {"Q": q, "S": found.score_NM, "S / √d": found.scaled_NM}
        printed(example, {**right, "A": found.weight_NM, "O": found.out_NV}, values)


def edited(example: Example, name: str, values: np.ndarray) -> np.ndarray:
    down, across = values.shape
    rows = [f"row {n + 1}" for n in range(down)]
    columns = [f"{name} {n + 1}" for n in range(across)]
    return edit(values, rows, columns, f"hand.{example.id}.{name}", 70 + 80 * across)


def said(found: Steps, column: bool) -> str:
    """What these numbers show."""
    weight = found.weight_NM
    rows = ", ".join(f"{x:.6g}" for x in weight.sum(1))
    if column:
        return (
            f"The columns add up to 1, the rows to {rows}: an output is no longer an average of"
            " the values."
        )
    if np.isnan(weight).any():
        return "A row whose scores are all hidden has no weights."
    per = ", ".join(f"{x:.3g}" for x in entropy(weight))
    full = (
        f"Every row adds up to 1. Entropy of the rows: {per} nats; {len(weight[0])} equal weights"
        f" would have {np.log(len(weight[0])):.3g}."
    )
    if (weight.max(1) > SATURATED).all() and len(weight) > 1 and np.isfinite(found.scaled_NM).all():
        return (
            f"{full} The softmax is **saturated**: each row gives all its weight to one key, and"
            " hardly any gradient passes."
        )
    return full


def printed(example: Example, right: dict[str, np.ndarray], values: list[np.ndarray]) -> None:
    """The numbers of the notes beside the right ones, as long as the example is as they give it."""
    if not all(np.array_equal(a, b) for a, b in zip(values, example.given, strict=True)):
        st.caption("You have changed the numbers, so there is nothing printed to compare with.")
        return
    st.markdown("**As it was printed**, wrong numbers struck through")
    equations(
        (
            name.replace("√d", r"\sqrt{d}"),
            matrix(
                part, np.abs(part - right[name]) > 0.011 * np.maximum(1, np.abs(right[name])), 2
            ),
        )
        for name, part in example.printed.items()
    )
    st.markdown(example.why)
