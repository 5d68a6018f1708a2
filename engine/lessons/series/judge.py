"""Judge: all methods side by side, from many places of a series, or of many series.

What      MASE = mean |error| / mean |step of what was read|; covered = share of true numbers between two quantiles
Source    Hyndman & Koehler, Another Look at Measures of Forecast Accuracy, 2006
Shapes    O = origins, M = methods, Q = quantiles, H = numbers foretold
Differs   Scaled by the step from one number to the next for every series, seasonal or not, so that a naive forecast of
          one step scores about 1 everywhere.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from engine import ROOT
from engine.lessons.series import classic, families, nets
from engine.lessons.series.nets import BANDS, CONTEXT, HORIZON, MIDDLE

MEASURED = ROOT / "assets" / "series.json"
METHODS = ("naive", "seasonal", "ar", "smoothing", "lstm", "transformer")
CALLED = {
    "naive": "Naive forecast",
    "seasonal": "Seasonal naive",
    "ar": "AR",
    "smoothing": "Exponential smoothing",
    "lstm": "LSTM",
    "transformer": "Transformer",
}
ORIGINS, SERIES = 40, 100


def by_hand(x_N: np.ndarray, order: int = 0) -> dict[str, classic.Forecast]:
    m = classic.season(x_N)
    return {
        "naive": classic.naive(x_N),
        "seasonal": classic.seasonal(x_N, m),
        "ar": classic.autoregressive(x_N, order),
        "smoothing": classic.smoothing(x_N, m),
    }


def foretell(x_N: np.ndarray, order: int = 0) -> dict[str, classic.Forecast]:
    """By every method, of at least LEAST numbers."""
    x_N = np.asarray(x_N, float)
    found = by_hand(x_N, order)
    for name in METHODS[4:]:
        found[name] = classic.Forecast(nets.foretell(name, x_N[None])[0])
    return found


@dataclass(frozen=True, eq=False)
class Judged:
    """mase_MOH: scaled errors by method, origin and step; inside: {per cent: (M, O, H)}, whether the truth lay
    between."""

    mase_MOH: np.ndarray
    inside: dict[int, np.ndarray]

    def mean(self, method: str) -> float:
        return float(self.mase_MOH[METHODS.index(method)].mean())

    def covered(self, method: str, band: int) -> float:
        return float(self.inside[band][METHODS.index(method)].mean())

    def beside(
        self, method: str, other: str = "naive", draws: int = 1_000
    ) -> tuple[float, float, float]:
        """How much less it errs than the other, as a share, and 95 % of the same over origins drawn anew."""
        mine, its = (self.mase_MOH[METHODS.index(m)].mean(1) for m in (method, other))
        rng = np.random.default_rng(0)
        some = rng.integers(len(mine), size=(draws, len(mine)))
        drawn = 1 - mine[some].mean(1) / np.maximum(its[some].mean(1), 1e-12)
        low, high = np.quantile(drawn, (0.025, 0.975))
        return float(1 - mine.mean() / max(its.mean(), 1e-12)), float(low), float(high)


def judge(read: Iterable[np.ndarray], true_OH: np.ndarray) -> Judged:
    """Of what was read before each origin."""
    read = [np.asarray(x, float) for x in read]
    some = [by_hand(x) for x in read]
    found = {m: np.stack([one[m].quantile_QH for one in some]) for m in METHODS[:4]}
    for name in METHODS[4:]:
        lengths = {min(len(x), CONTEXT) for x in read}
        found[name] = np.zeros_like(found["naive"])
        for length in lengths:
            at = [o for o, x in enumerate(read) if min(len(x), CONTEXT) == length]
            found[name][at] = nets.foretell(name, np.stack([read[o][-length:] for o in at]))
    scale_O = np.array([max(np.abs(np.diff(x)).mean(), 1e-9 * (1 + np.abs(x).max())) for x in read])
    quantile = np.stack([found[m] for m in METHODS])  # (M, O, Q, H)
    mase = np.abs(quantile[:, :, MIDDLE] - true_OH) / scale_O[:, None]
    inside = {
        band: (quantile[:, :, low] <= true_OH) & (true_OH <= quantile[:, :, high])
        for band, (low, high) in BANDS.items()
    }
    return Judged(mase, inside)


def rolling(x_N: np.ndarray) -> Judged:
    """From up to ORIGINS places of one series, each with at least half of what can be read before it."""
    first = max(16, min(len(x_N) // 2, CONTEXT))
    at = np.unique(np.linspace(first, len(x_N) - HORIZON, ORIGINS).astype(int))
    return judge(
        (x_N[max(0, o - 2 * CONTEXT) : o] for o in at), np.stack([x_N[o : o + HORIZON] for o in at])
    )


def family(name: str, seed: int, count: int = SERIES) -> Judged:
    x_BN = families.make_many(name, seed, count, CONTEXT + HORIZON)
    return judge(x_BN[:, :CONTEXT], x_BN[:, CONTEXT:])


def covered(name: str, seed: int) -> dict[str, dict[str, float]]:
    """{method: {per cent: share of held-out numbers that lay between}}"""
    found = family(name, seed, 200)
    return {m: {str(b): round(found.covered(m, b), 3) for b in BANDS} for m in METHODS}


@lru_cache(1)
def measured() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(MEASURED.read_text(encoding="utf-8"))
    return found
