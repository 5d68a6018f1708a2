"""A sigmoid never reaches 1; its rounded value does, and a formula can overflow."""

from __future__ import annotations

import numpy as np
import streamlit as st

from engine.analysis.activations import (
    FORMATS,
    first_nan,
    rounded_to_one,
    sigmoid,
    tanh_as_written,
)
from engine.views.base import number
from pages.ui import ask, rows


@st.cache_data(show_spinner=False)
def _borders() -> list[dict[str, float | str]]:
    return [
        {
            "format": name,
            "σ(z) is 1 from z =": rounded_to_one(sigmoid, kind),
            "tanh z is 1 from z =": rounded_to_one(np.tanh, kind),
            "formula of tanh lost from z =": first_nan(kind),
        }
        for name, kind in FORMATS.items()
    ]


def show() -> None:
    st.markdown(
        "A sigmoid lies **between** 0 and 1 and reaches neither. A computer has only so many digits: from some sum on"
        " the rounded value is exactly 1, and σ (1 − σ), the slope computed from it, exactly 0."
    )
    found = _borders()
    rows.show(found, forms={name: "%.3f" for name in found[0] if name != "format"})
    z = ask.slider("Sum z", "n_z", 0.0, 100.0, 20.0, 0.5)
    rows.show(
        [
            {
                "format": name,
                "σ(z)": f"{float(s):.17g}",
                "σ (1 − σ)": number(float(s * (kind(1) - s))),
                "1 − tanh² z": number(float(kind(1) - kind(np.tanh(z)) ** 2)),
                "tanh z as the formula is written": number(tanh_as_written(z, kind)),
            }
            for name, kind in FORMATS.items()
            for s in (kind(sigmoid(np.array(z))),)
        ]
    )
    st.caption(
        "(eᶻ − e⁻ᶻ) / (eᶻ + e⁻ᶻ) is right, but a computer cannot compute it like this: where eᶻ is too large for the"
        " format, infinity is divided by infinity, which is no number (?). Libraries compute tanh in another way, and"
        " always get 1."
    )
