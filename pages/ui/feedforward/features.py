"""Features that a person computes of a series, each number opened to its sum."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import streamlit as st

from engine.analysis import features_by_hand
from pages.ui import ask, plate, rows

LONGEST, TEXT = 300, "1, 2, 4, 7"


def show() -> None:
    st.markdown(
        "A net without a memory can be shown the past all the same, if a person decides what of it counts and computes"
        " that beside the input: the value some steps before (a **lag**), the **difference** from the one before, a"
        " **rolling mean**, the **Fourier** coefficients of a piece. What nobody thought of, it does not see; a"
        " recurrent net learns by itself what to carry."
    )
    line = ask.line()
    x_T = features_by_hand.read(ask.text("Series", "series", LONGEST, where=line, value=TEXT))
    if len(x_T) < 2:
        st.info("Type two numbers or more.")
        return
    k = ask.slider("Steps back", "series_lag", 1, 6, 1, 1, where=line, width=150)
    wide = ask.slider("Rolling over", "series_wide", 2, 8, 2, 1, where=line, width=150)
    steps = range(1, len(x_T) + 1)
    made = {
        "value": x_T,
        "lag": features_by_hand.lag(x_T, k),
        "difference": features_by_hand.difference(x_T),
        "rolling mean": features_by_hand.rolling_mean(x_T, wide),
    }
    plate.show(
        plate.lines(
            "features",
            "The series and what is computed of it",
            [(name, steps, values_T) for name, values_T in made.items()],
            "series",
            f"Lag of {k}, mean of {wide}; the first steps, where something is missing, stay empty.",
            x="step",
            y="value",
            of_series="feature",
            whole=True,
            model="features by hand",
        )
    )
    listed = {"step": [*steps]} | {name: [*map(cell, values_T)] for name, values_T in made.items()}
    right = st.column_config.TextColumn(alignment="right")
    rows.show(listed, "features.rows", dict.fromkeys(made, right), tallest=330)
    t = ask.pick("Open the step", list(steps), "series_at", len(x_T), width=150) - 1
    st.latex(r"\begin{aligned}" + r"\\".join(opened(x_T, t, k, wide)) + r"\end{aligned}")
    waves(x_T)


def opened(x_T: np.ndarray, t: int, k: int, wide: int) -> list[str]:
    """The equations of one step."""

    def line(name: str, enough: bool, sum_: Callable[[], tuple[str, float]]) -> str:
        return name + (" = ".join(["", sum_()[0], g(sum_()[1])]) if enough else r"=\varnothing")

    past = x_T[max(0, t - wide + 1) : t + 1]
    return [
        line(rf"x_{{{t + 1}-{k}}} &", t >= k, lambda: (rf"x_{{{t + 1 - k}}}", x_T[t - k])),
        line(
            rf"x_{{{t + 1}}} - x_{{{t}}} &" if t else rf"x_{{{t + 1}}} - x_{{0}} &",
            t >= 1,
            lambda: (f"{g(x_T[t])} - {in_brackets(x_T[t - 1])}", x_T[t] - x_T[t - 1]),
        ),
        line(
            rf"\bar{{x}}_{{{t + 1}}}&",
            t >= wide - 1,
            lambda: (rf"\tfrac{{1}}{{{wide}}}({added(past)})", float(past.mean())),
        ),
    ]


def waves(x_T: np.ndarray) -> None:
    size_F = np.abs(features_by_hand.fourier(x_T))
    plate.show(
        plate.lines(
            "waves",
            "Fourier: how much of each wave is in the series",
            [("size of the coefficient", range(len(size_F)), size_F)],
            "series",
            "Frequency 0 is the sum; frequency 1 is a wave as long as the series.",
            x="waves in the series",
            y="size",
            of_series="",
            whole=True,
            model="features by hand",
        )
    )
    f = ask.pick("Open the frequency", list(range(len(size_F))), "series_wave", 1, width=170)
    f = min(f, len(size_F) - 1)
    term_T = features_by_hand.fourier_terms(x_T, f)
    real, imaginary = float(term_T.sum().real), float(term_T.sum().imag)
    st.latex(
        rf"X_{{{f}}}=\sum_{{t}}x_t\,e^{{-2\pi{{i}}\cdot{f}(t-1)/{len(x_T)}}}={g(real)}"
        rf"{'+' if imaginary >= 0 else '-'}{g(abs(imaginary))}\,i,\;|X_{{{f}}}|={g(size_F[f])}"
    )
    listed = {
        "step": list(range(1, len(x_T) + 1)),
        "value": x_T.tolist(),
        "adds to the real part": term_T.real.round(12).tolist(),
        "adds to the imaginary part": term_T.imag.round(12).tolist(),
    }
    rows.show(listed, "waves.rows", dict.fromkeys(list(listed)[1:], "%.4g"), tallest=330)
    others = size_F[1:]
    if others.max() > 1e-9:
        best = int(others.argmax()) + 1
        st.markdown(
            f"The strongest wave beside the mean has frequency **{best}**: it repeats every"
            f" {len(x_T) / best:.3g} steps."
        )


def cell(value: float) -> str:
    return g(value) if np.isfinite(value) else ""


def g(value: float) -> str:
    return f"{value:.6g}" if abs(value) > 1e-12 else "0"


def in_brackets(value: float) -> str:
    return f"({g(value)})" if value < 0 else g(value)


def added(values: Sequence[float] | np.ndarray) -> str:
    return " + ".join(map(in_brackets, values))
