"""What exponentials do in few bits, and what it helps to subtract the maximum."""

from __future__ import annotations

import numpy as np
import streamlit as st

from engine.analysis import softmax_loss
from engine.analysis.activations import FORMATS
from engine.views.base import number
from pages.ui import ask, plate, rows
from pages.ui.plate import Plate
from pages.ui.softmax import chosen

FAR = 1_000
LEAST = 1e-17
SAVED = ("float16", "float32")  # drawn with the maximum subtracted, too
SHIFTS = np.arange(-FAR, FAR + 1, 4.0)


def _written(p: np.ndarray) -> str:
    return ", ".join(number(float(v)) for v in p)


def show() -> None:
    now = chosen.now()
    z = np.array(now.z) / now.t
    st.markdown(
        "A number added to **all** logits changes no probability. Computed as the formula is written it changes"
        " everything: eᶻ soon is too large for the format, or too small."
    )
    shift = ask.slider("Added to every logit", "s_shift", -FAR, FAR, 100, 1)
    found = []
    for name, kind in FORMATS.items():
        low, high = softmax_loss.ends(kind)
        found.append(
            {
                "format": name,
                "eᶻ is a number from z =": low,
                "to z =": high,
                "as it is written": _written(softmax_loss.rounded(z + shift, kind, False)),
                "maximum subtracted": _written(softmax_loss.rounded(z + shift, kind, True)),
            }
        )
    rows.show(found, forms={"eᶻ is a number from z =": "%.2f", "to z =": "%.2f"})
    st.caption(
        "A question mark is no number: infinity by infinity, or 0 by 0. With the maximum subtracted the largest"
        " exponent is 0 and the sum at least 1, so nothing can overflow. What is left is the rounding of z itself: a"
        " float16 beyond 1,024 knows whole numbers only."
    )
    plate.show(_errors(z))
    _loss(z, now.target)


@st.cache_data(max_entries=32, show_spinner=False)
def _off(z: tuple[float, ...], name: str, shifted: bool) -> list[float]:
    """How far off the worst probability is, over what is added."""
    z_K, kind = np.array(z), FORMATS[name]
    right = softmax_loss.rounded(z_K, np.float64, True)
    found = [softmax_loss.rounded(z_K + c, kind, shifted).astype(float) for c in SHIFTS]
    return [float(np.maximum(np.abs(p - right).max(), LEAST)) for p in found]


def _errors(z: np.ndarray) -> Plate:
    of = tuple(z.tolist())
    return plate.lines(
        "overflow",
        "Largest error of a probability",
        [
            *((name, SHIFTS, _off(of, name, False)) for name in FORMATS),
            *((f"{name}, maximum subtracted", SHIFTS, _off(of, name, True)) for name in SAVED),
        ],
        "softmax",
        "a line ends where no number comes out; what is exact stands at 10⁻¹⁷",
        tight=True,
        x="added to every logit",
        y="largest error",
        of_series="",
        log_y=True,
        model="softmax",
    )


def _loss(z: np.ndarray, target: int) -> None:
    st.markdown(
        "**The loss, too.** Subtracting the maximum does not save the logarithm: far behind the others the target's"
        " probability is rounded to 0, and −ln 0 is infinite. So libraries never take the logarithm of a softmax; they"
        " compute ln Σ eᶻ − z at once."
    )
    gap = ask.slider("The target's logit lies below the largest by", "s_below", 0, 800, 120, 1)
    far = z.copy()
    far[target] = np.delete(z, target).max() - gap
    rows.show(
        [
            {
                "format": name,
                "p of the target": number(float(softmax_loss.rounded(far, kind, True)[target])),
                "−ln p": number(softmax_loss.rounded_loss(far, target, kind, False)),
                "ln Σ eᶻ − z": number(softmax_loss.rounded_loss(far, target, kind, True)),
            }
            for name, kind in FORMATS.items()
        ]
    )
