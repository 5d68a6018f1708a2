"""The probabilities of a counted model in codes of a few bits: size, error and perplexity."""

from __future__ import annotations

from typing import Any

import numpy as np
import streamlit as st

from engine.ngram.backoff import backed_off, size_bytes
from engine.ngram.quantise import BINNINGS, perplexity, quantise
from engine.ngram.smoothed import Smoothed
from pages.ui.plate import Plate
from pages.ui.size.counted import BY_MODEL, Base, ngrams, pruned

BITS = range(2, 9)
MOST, CELLS = 5_000, 40_000_000  # rows that are summed for one perplexity, and their probabilities
NAMES = {"width": "equal width", "population": "equal number"}


def sample(base: Base) -> np.ndarray | None:
    """The held-out stream, or as much of its beginning as can be measured at once."""
    held = base.chosen.study.held_stream
    return None if held is None else held[: min(MOST, max(64, CELLS // base.model.counts.size))]


@st.cache_data(max_entries=24, show_spinner="Quantising …", hash_funcs=BY_MODEL)
def measured(base: Base) -> list[dict[str, Any]]:
    """A row for every kind of bins and number of bits; the last one is the model in 32 bits."""
    stream, rows = sample(base), list[dict[str, Any]]()

    def row(bins: str, bits: int, size: int, error: float, model: Smoothed) -> dict[str, Any]:
        found, total = (np.nan, np.nan) if stream is None else perplexity(model, stream)
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
            q = quantise(base.model, bits, binning)
            rows.append(row(NAMES[binning], bits, q.size_bytes, q.error, q.model))
    whole = backed_off(base.model)
    return [*rows, row("none", 32, size_bytes(whole), 0.0, whole)]


def finite(base: Base) -> bool:
    """Whether there is a perplexity: something is held out, and nothing of it has probability 0."""
    return bool(np.isfinite(measured(base)[-1]["perplexity"]))


def codes(base: Base, what: str) -> Plate:
    """`what` (a column of `measured`) against the bits, for both kinds of bins."""
    *rows, whole = measured(base)
    series = {
        name: (BITS, [row[what] for row in rows if row["bins"] == name]) for name in NAMES.values()
    }
    says = "Largest error against bits"
    if what == "perplexity":
        series["32 bits"] = (BITS, [whole[what]] * len(BITS))
        says = "Perplexity against bits"
    log = what != "perplexity"
    id = f"codes-{what[:5]}"
    return base.curve(id, says, series, x="bits of a code", y=what, log_y=log, whole=True)


@st.cache_data(max_entries=200, show_spinner=False, hash_funcs=BY_MODEL)
def both(base: Base, threshold: float, bits: int) -> tuple[int, int, float, float]:
    """(n-grams, bytes, perplexity, that of the whole model) of the model pruned and then
    quantised."""
    model = pruned(base, threshold)
    small, stream = quantise(model, bits), sample(base)
    found = np.nan if stream is None else perplexity(small.model, stream)[0]
    return ngrams(model), small.size_bytes, found, measured(base)[-1]["perplexity"]


def say(base: Base, threshold: float, says: str, bits: int) -> None:
    """The answer to the question of the page, in words."""
    many, size, found, whole = both(base, threshold, bits)
    full = size_bytes(base.model)
    cost = ""
    if np.isinf(found) or np.isinf(whole):
        cost = " A held-out token has probability 0, so the perplexity is not finite."
    elif not np.isnan(found) and not np.isnan(whole):
        cost = f" Its perplexity is {found:.4g} instead of {whole:.4g}."
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
