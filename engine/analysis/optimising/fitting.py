"""Fitting: whether a training under- or overfitted, from its two curves alone.

What      D = loss at the start - least held-out loss.  The training loss at a measurement is the mean over the fifth of
          the training before it.  The first of these that holds:
          overfitted   the held-out loss ends 5 % of D above its least, while the training loss went on falling
          unstable     it ends as far above, and the training loss rose too
          underfitted  both losses fell by less than 10 % of the start, or the held-out loss fell by 2 % of D or more
                       in the last fifth (it would go on)
          overfitted   it has stopped falling, and the training loss lies 25 % of D below it
          fitted       otherwise
Source    Goodfellow, Bengio & Courville, Deep Learning, 2016, sec. 5.2 (training error high: underfitting; gap large:
          overfitting); Prechelt, Early Stopping - But When?, 1998 (loss above its least)
Differs   Neither says how high and how large: the four shares are ours, of D, so that no unit and no scale matters.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

Curve = tuple[np.ndarray, np.ndarray]  # steps, losses
Verdict = Literal["overfitted", "unstable", "underfitted", "fitted"]
RISE, HARDLY, FALLING, GAP, LAST = 0.05, 0.1, 0.02, 0.25, 0.2


@dataclass(frozen=True, slots=True)
class Fitting:
    """best: the step of the least held-out loss; rise: from there to the end; late: how far it fell in the last fifth;
    gap: held-out minus training loss at the end; whole: D; start: the loss that D begins with;
    falls: whether the training loss fell from `best` to the end."""

    best: int
    rise: float
    late: float
    gap: float
    whole: float
    start: float
    falls: bool

    @property
    def verdict(self) -> Verdict:
        if self.late_rise:
            return "overfitted" if self.falls else "unstable"
        if self.both_high or self.late >= FALLING * self.whole:
            return "underfitted"
        return "overfitted" if self.gap >= GAP * self.whole else "fitted"

    @property
    def late_rise(self) -> bool:
        """Whether the held-out loss ends above its least by more than the rule allows."""
        return bool(self.rise) and self.rise >= RISE * self.whole

    @property
    def both_high(self) -> bool:
        """Whether neither loss has come far from the start."""
        return max(self.whole, self.whole + self.gap - self.rise) < HARDLY * abs(self.start)


def fitting(train: Curve, held: Curve) -> Fitting | None:
    """None where fewer than two finite held-out losses, or no finite training loss, are there."""
    (at, t), (steps, h) = (_finite(curve) for curve in (train, held))
    if len(h) < 2 or not len(t):
        return None
    end, span = steps[-1], LAST * steps[-1]
    k = int(h.argmin())

    def trained(step: float) -> float:
        near = t[(at > step - span) & (at <= step)]
        return float(near.mean()) if len(near) else float(np.interp(step, at, t))

    start = float(max(t[0], h[0]))
    whole, rise = start - float(h[k]), float(h[-1] - h[k])
    late = float(np.interp(end - span, steps, h) - h[-1])
    gap = float(h[-1]) - trained(end)
    falls = trained(end) < trained(float(steps[k]))
    return Fitting(int(steps[k]), rise, late, gap, whole, start, falls)


def _finite(curve: Curve) -> Curve:
    sound = np.isfinite(curve[0]) & np.isfinite(curve[1])
    return curve[0][sound].astype(float), curve[1][sound].astype(float)
