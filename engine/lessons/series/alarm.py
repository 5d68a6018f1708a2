"""Alarm: a net that knows how a series goes on, and a fault that it did not expect.

What      score = |number - median| / half of the 80 % fan, one step ahead, by the LSTM; an alarm where it is above a
          threshold: the quantile of the scores of normal runs that a wanted rate of false alarms gives
Source    Malhotra et al., Long Short Term Memory Networks for Anomaly Detection in Time Series, 2015
Shapes    R = runs, T = SCORED numbers
Differs   The fan takes the place of a normal law that is fitted to the errors.  Beside it, as a rule without a net, the
          step from the number before, in deviations of the steps read.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from engine.lessons.series import families, nets
from engine.lessons.series.nets import MIDDLE

READ, SCORED, FAULT, RUNS = (
    48,
    96,
    48,
    30,
)  # numbers read for each score; scores; at which the fault begins; runs
KINDS = {
    "jump": "A jump",
    "drift": "A drift over a day",
    "stuck": "Stuck at one number",
    "noise": "More noise",
}
NORMAL, TESTED, OTHER = 5_000, 6_000, 7_000  # seeds


def faulty(x_RN: np.ndarray, kind: str, size: float, seed: int) -> np.ndarray:
    """The same runs with a fault from READ + FAULT on; `size` in deviations of the run."""
    found, at = x_RN.copy(), READ + FAULT
    scale = size * x_RN.std(1, keepdims=True)
    after = np.arange(x_RN.shape[1] - at)
    if kind == "jump":
        found[:, at:] += scale
    elif kind == "drift":
        found[:, at:] += scale * np.minimum(1, (after + 1) / 24)
    elif kind == "stuck":
        found[:, at:] = found[:, at - 1 : at]
    else:
        found[:, at:] += scale * np.random.default_rng(seed).normal(size=found[:, at:].shape)
    return found


def score(x_RN: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(scores by the net, scores by the step alone, quantiles (R, T, Q)) of each number behind the first READ."""
    windows = np.lib.stride_tricks.sliding_window_view(x_RN, READ, axis=1)[:, :-1]
    R, T, _L = windows.shape
    quantile = nets.foretell("lstm", windows.reshape(R * T, READ))[..., 0].reshape(R, T, -1)
    true, (low, high) = x_RN[:, READ:], nets.BANDS[80]
    half = np.maximum((quantile[..., high] - quantile[..., low]) / 2, 1e-9)
    step = np.diff(windows, axis=2).std(2)
    by_step = np.abs(true - windows[..., -1]) / np.maximum(step, 1e-9)
    return np.abs(true - quantile[..., MIDDLE]) / half, by_step, quantile


@lru_cache(8)
def normal(family: str, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Scores of RUNS runs without a fault, by the net and by the step."""
    return score(families.make_many(family, seed, RUNS, READ + SCORED))[:2]


def judged(family: str, kind: str, size: float, rate: float) -> dict[str, dict[str, float]]:
    """By the net and by the step: the threshold, false alarms on other normal runs, the share of faults caught
    within 24 numbers, and after how many, at the median."""
    runs = families.make_many(family, OTHER, RUNS, READ + SCORED)
    broken = score(faulty(runs, kind, size, OTHER))
    found = {}
    for n, name in enumerate(("net", "step")):
        most = float(np.quantile(normal(family, NORMAL)[n], 1 - rate))
        above = broken[n][:, FAULT : FAULT + 24] > most
        caught = above.any(1)
        found[name] = {
            "threshold": most,
            "false": float((normal(family, TESTED)[n] > most).mean()),
            "caught": float(caught.mean()),
            "after": float(np.median(above.argmax(1)[caught]) + 1)
            if caught.any()
            else float("nan"),
        }
    return found
