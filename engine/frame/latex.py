"""Numbers and matrices in LaTeX."""

from __future__ import annotations

import numpy as np


def number(x: float, places: int = 4) -> str:
    """A number for a formula; very small ones as a power of ten, what is none as a word."""
    if not np.isfinite(x):
        return r"\text{NaN}" if np.isnan(x) else r"\infty" if x > 0 else r"-\infty"
    if x and abs(x) < 0.5 * 10.0**-places:
        digits, power = f"{x:.2e}".split("e")
        return rf"{digits}\cdot 10^{{{int(power)}}}"
    x += 0.0  # no minus before 0
    return f"{x:.{places}f}".rstrip("0").rstrip(".") if "." in f"{x:.{places}f}" else f"{x:.0f}"


def power(p: float) -> str:
    """A number with four digits, a large or small one as a power of ten."""
    if p and not 1e-3 <= p < 1e7:
        base, exponent = f"{p:.2e}".split("e")
        return rf"{base} \times 10^{{{int(exponent)}}}"
    return f"{p:.4g}"


def matrix(values: np.ndarray, wrong: np.ndarray | None = None, places: int = 4) -> str:
    """LaTeX of a matrix; numbers where `wrong` is true are struck through."""
    values = np.atleast_2d(values)
    marked = np.zeros(values.shape, bool) if wrong is None else wrong
    rows = [
        " & ".join(
            rf"\cancel{{{number(x, places)}}}" if bad else number(x, places)
            for x, bad in zip(*row, strict=True)
        )
        for row in zip(values, marked, strict=True)
    ]
    return r"\begin{bmatrix}" + r" \\ ".join(rows) + r"\end{bmatrix}"
