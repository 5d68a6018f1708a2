"""The probabilities of a counted model in codes of a few bits: size, error and perplexity."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine import frame as fr
from engine.lessons.sparsity.small import Base, kept, ngrams, pruned
from engine.ngram.backoff import backed_off, size_bytes
from engine.ngram.quantise import BINNINGS, perplexity, quantise
from engine.ngram.smoothed import Smoothed

BITS = range(2, 9)
MOST, CELLS = 5_000, 40_000_000  # rows that are summed for one perplexity, and their probabilities
NAMES = {"width": "equal width", "population": "equal number"}
ERROR = "largest error of log10"


def sample(base: Base) -> np.ndarray | None:
    """The held-out stream, or as much of its beginning as can be measured at once."""
    held = base.counted.study.held_stream
    return None if held is None else held[: min(MOST, max(64, CELLS // base.model.counts.size))]


@kept
def measured(base: Base) -> list[dict[str, Any]]:
    """A row for every kind of bins and number of bits; the last one is the model in 32 bits."""
    stream, rows = sample(base), list[dict[str, Any]]()

    def row(bins: str, bits: int, size: int, error: float, model: Smoothed) -> dict[str, Any]:
        found, total = (np.nan, np.nan) if stream is None else perplexity(model, stream)
        return {
            "bins": bins,
            "bits": bits,
            "bytes": size,
            ERROR: float(error),
            "perplexity": float(found),
            "mean sum of a row": float(total),
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


def against_bits(base: Base, name: str, what: str) -> fr.Chart:
    """`what` (a column of `measured`), for both kinds of bins."""
    *rows, whole = measured(base)
    series = {of: (BITS, [row[what] for row in rows if row["bins"] == of]) for of in NAMES.values()}
    title = "Largest error against bits"
    if what == "perplexity":
        series["32 bits"] = (BITS, [whole[what]] * len(BITS))
        title = "Perplexity against bits"
    log = what != "perplexity"
    return base.curves(name, title, series, "bits of a code", what, log_y=log, whole=True)


@kept
def cut_both(base: Base, threshold: float, bits: int) -> tuple[int, int, float, float]:
    """(n-grams, bytes, perplexity, that of the whole model) of the model pruned and then
    quantised."""
    model = pruned(base, threshold)
    small, stream = quantise(model, bits), sample(base)
    found = np.nan if stream is None else perplexity(small.model, stream)[0]
    return ngrams(model), small.size_bytes, float(found), measured(base)[-1]["perplexity"]
