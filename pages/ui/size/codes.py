"""The probabilities of a counted model in codes of a few bits: size, error and perplexity."""

from __future__ import annotations

from typing import Any

import numpy as np
import streamlit as st

from engine.ngram.backoff import backed_off, size_bytes
from engine.ngram.quantise import BINNINGS, perplexity, quantise
from engine.ngram.smoothed import Smoothed
from pages.ui.counting import reach
from pages.ui.plate import Plate
from pages.ui.size.counted import Base, ngrams, pruned

BITS = range(2, 9)
MOST, CELLS = 5_000, 40_000_000  # rows that are summed for one perplexity, and their probabilities
NAMES = {"width": "equal width", "population": "equal number"}


def sample(base: Base) -> np.ndarray | None:
    """The held-out stream, or as much of its beginning as can be measured at once."""
    held = base.chosen.study.held_stream
    return None if held is None else held[: min(MOST, max(64, CELLS // base.model.counts.size))]


@st.cache_data(max_entries=24, show_spinner="Quantising …")
def measured(key: str, _base: Base) -> list[dict[str, Any]]:
    """A row for every kind of bins and number of bits; the last one is the model in 32 bits."""
    stream, rows = sample(_base), list[dict[str, Any]]()

    def row(bins: str, bits: int, size: int, error: float, model: Smoothed) -> dict[str, Any]:
        found, total = (
            perplexity(model, stream) if stream is not None else (float("nan"), float("nan"))
        )
        return {
            "bins": bins,
            "bits": bits,
            "bytes": size,
            "largest error of log10": error,
            "perplexity": found,
            "mean sum of a row": total,
        }

    for binning in BINNINGS:
        for bits in BITS:
            q = quantise(_base.model, bits, binning)
            rows.append(row(NAMES[binning], bits, q.size_bytes, q.error, q.model))
    whole = backed_off(_base.model)
    return [*rows, row("none", 32, size_bytes(whole), 0.0, whole)]


def finite(base: Base) -> bool:
    """Whether there is a perplexity: something is held out, and nothing of it has probability 0."""
    return bool(np.isfinite(measured(base.key, base)[-1]["perplexity"]))


def codes(base: Base, what: str) -> Plate:
    """`what` (a column of `measured`) against the bits, for both kinds of bins."""
    *rows, whole = measured(base.key, base)
    series: dict[str, tuple[Any, Any]] = {}
    for name in NAMES.values():
        mine = [r for r in rows if r["bins"] == name and np.isfinite(r[what])]
        series[name] = ([r["bits"] for r in mine], [r[what] for r in mine])
    if what == "perplexity" and np.isfinite(whole[what]):
        series["32 bits"] = (list(BITS), [whole[what]] * len(BITS))
    says = "Perplexity against bits" if what == "perplexity" else "Largest error against bits"
    made = reach.curve(
        base.chosen,
        f"codes-{what[:5]}",
        says,
        series,
        x="bits of a code",
        y=what,
        of_series="",
        log_y=what != "perplexity",
        whole=True,
    )
    return base.drawn(made)


@st.cache_data(max_entries=200, show_spinner=False)
def both(key: str, threshold: float, bits: int, _base: Base) -> tuple[int, int, float, float]:
    """(n-grams, bytes, perplexity, that of the whole model) of the model pruned and then
    quantised."""
    model = pruned(_base, threshold)
    small, stream, nothing = quantise(model, bits), sample(_base), float("nan")
    whole = measured(key, _base)[-1]["perplexity"]
    return (
        ngrams(model),
        small.size_bytes,
        perplexity(small.model, stream)[0] if stream is not None else nothing,
        whole,
    )


def say(base: Base, threshold: float, says: str, bits: int) -> None:
    """The answer to the question of the page, in words."""
    many, size, found, whole = both(base.key, threshold, bits, base)
    full = size_bytes(base.model)
    cost = (
        ""
        if np.isnan(found) or np.isnan(whole)
        else f" Its perplexity is {found:.4g} instead of {whole:.4g}."
    )
    cost = (
        " A held-out token has probability 0, so the perplexity is not finite."
        if np.isinf(found) or np.isinf(whole)
        else cost
    )
    st.markdown(
        f"Pruned at {says} and stored in {bits} bits, the model keeps {many:,} of"
        f" {ngrams(base.model):,} n-grams and takes **{size:,} bytes, {100 * size / full:.0f}"
        f" %** of {full:,}.{cost}"
    )
    stream, held = sample(base), base.chosen.study.held_stream
    if stream is not None and held is not None and len(stream) < len(held):
        st.caption(
            f"Measured on the first {len(stream) - 1:,} of {len(held) - 1:,} held-out tokens,"
            " because every row has to be summed."
        )
