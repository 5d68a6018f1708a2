"""What clipping cannot cure: the same trainings with it and without it."""

from __future__ import annotations

import numpy as np
import streamlit as st

from engine.analysis import recall
from engine.analysis.recall import Training
from engine.views.base import number
from pages.ui import ask, kept, plate
from pages.ui.plate import Plate

STEPS = 20


def show() -> None:
    st.subheader("What clipping cannot cure", anchor=False)
    st.markdown(
        f"One of four letters comes first, {STEPS - 1} blanks follow; at the end the net has to say"
        " which letter it was. Its recurrent weights begin as c times an orthogonal matrix, so a step"
        " back multiplies a gradient by at most c. Four trainings: c below 1 and above 1, each with"
        " and without clipping."
    )
    row = ask.line()
    low = ask.slider("c below 1", "c_low", 0.3, 0.9, 0.6, 0.1, row, width=170)
    high = ask.slider("c above 1", "c_high", 1.1, 2.0, 1.6, 0.1, row, width=170)
    threshold = ask.slider("Longest gradient", "c_clip", 0.5, 5.0, 1.0, 0.5, row, width=170)
    runs = {c: (trained(c, 0.0), trained(c, threshold)) for c in (low, high)}
    plate.row(*(_loss(c, threshold, *pair) for c, pair in runs.items()))
    plate.row(*(_norm(c, threshold, *pair) for c, pair in runs.items()))
    for c, (free, held) in runs.items():
        st.markdown(said(c, threshold, free, held))


def said(c: float, threshold: float, free: Training, held: Training) -> str:
    """What became of the two, in a sentence."""
    power = f"{c:g}^{STEPS - 1} = {number(c ** (STEPS - 1))}"
    clipped = int((held.norm_N > threshold).sum())
    without = f"it recalls {free.right:.0%} of the letters"
    if free.broken is not None:
        without = (
            f"the loss is no finite number from update {free.broken + 1} on, after a gradient of"
            f" {number(float(free.norm_N[: free.broken].max(initial=0.0)))}"
        )
    same = (
        " The two runs are equal, number by number."
        if np.array_equal(free.loss_N, held.loss_N)
        else ""
    )
    return (
        f"**c = {c:g}** ({power}): without clipping {without}; clipped, in"
        f" {clipped} of {len(held.norm_N)} updates, it recalls {held.right:.0%}; a guess is right in"
        f" 25 %.{same}"
    )


@kept.data(max_entries=32, show_spinner="Training…")
def trained(c: float, threshold: float) -> Training:
    return recall.train(c, threshold, STEPS)


def _loss(c: float, threshold: float, free: Training, held: Training) -> Plate:
    return _plate(
        f"loss-{'low' if c < 1 else 'high'}",
        f"Loss, c = {c:g}",
        "nats",
        threshold,
        free.loss_N,
        held.loss_N,
    )


def _norm(c: float, threshold: float, free: Training, held: Training) -> Plate:
    return _plate(
        f"length-{'low' if c < 1 else 'high'}",
        f"Gradient before clipping, c = {c:g}",
        "length",
        threshold,
        free.norm_N,
        held.norm_N,
    )


def _plate(
    id: str, title: str, y: str, threshold: float, free_N: np.ndarray, held_N: np.ndarray
) -> Plate:
    return plate.lines(
        id,
        title,
        [
            *_series("not clipped", free_N),
            *_series(f"clipped at {threshold:g}", held_N),
        ],
        "fresh",
        "32 units, ReLU, rate 0.1, batches of 32",
        tight=True,
        x="update",
        y=y,
        of_series="",
        log_y=True,
        model="fresh",
    )


def _series(name: str, values_N: np.ndarray) -> list[tuple[str, list[int], list[float]]]:
    """The curve, and where it ends, a point that says so."""
    sound = np.isfinite(values_N)
    many = len(sound) if sound.all() else int(sound.argmin())
    found = [(name, list(range(1, many + 1)), values_N[:many].tolist())]
    if 0 < many < len(sound):
        said = f"no finite number from update {many + 1} on"
        found.append((said, [many], [float(values_N[many - 1])]))
    return found
