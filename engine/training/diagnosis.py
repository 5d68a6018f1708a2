"""Diagnosis: notices that a training has gone wrong, and says what happened, what to change and
what is left.

What      exploded: the loss was above TIMES its first value for LONG steps in a row; a loss that is
          no number the loop finds itself
Differs   Read off the numbers of the steps before, which are the same for every model; where the
          loop knows in which part of the net it began (engine/nn/divergence.py), that is named too.
"""

from __future__ import annotations

import math
import statistics
from collections import deque
from collections.abc import Mapping
from typing import Any

from engine.language.message import _
from engine.nn.divergence import Diverged
from engine.nn.plan import Rated, Training
from engine.training.history import Curve

TIMES, LONG = 3.0, 50
BEFORE = 100  # steps from which the usual gradient norm is taken


class Exploded(ValueError):
    """The loss is far above its start and does not come back."""


class DivergenceMonitor:
    """The numbers of each step so far; `seen`: those of the steps before this process, by
    metric."""

    def __init__(self, seen: Mapping[str, Curve]) -> None:
        losses, norms = (
            seen[name][1].tolist() if name in seen else []
            for name in ("loss_nats", "gradient_norm")
        )
        self.first = losses[0] if losses else math.nan
        self.above = next(
            (i for i, loss in enumerate(reversed(losses)) if not loss > TIMES * self.first),
            len(losses),
        )
        self.norms = deque[float](norms[-BEFORE:], BEFORE)
        self.last: dict[str, float] = {}

    def __call__(self, step: int, metrics: Mapping[str, float]) -> None:
        """ValueError where the loss has exploded."""
        loss = metrics.get("loss_nats")
        if loss is None:
            return
        if math.isnan(self.first):
            self.first = loss
        self.last = {"step": step, **metrics}
        self.above = self.above + 1 if loss > TIMES * self.first > 0 else 0
        if "gradient_norm" in metrics:
            self.norms.append(metrics["gradient_norm"])
        if self.above >= LONG:
            raise Exploded(
                _(
                    "at step {step} the loss is {loss:.3g}, for {long} steps above {times:g} times"
                    " its first value {first:.3g}",
                    step=step,
                    loss=loss,
                    long=LONG,
                    times=TIMES,
                    first=self.first,
                )
            )

    def said(self, error: Exception, config: Any, best: tuple[int, float] | None) -> str:
        """What went wrong with a training by gradients, in two sentences; any other error as it
        is."""
        if isinstance(error, Diverged):
            what = _("the loss is no longer a number at step {step}", step=error.step)
            if error.where:
                what += _(", and it began in {where}", where=error.where)
            rate = error.rate
        elif isinstance(error, Exploded):
            what, rate = _(str(error)), self.last.get("rate", math.nan)
        else:
            return str(error)
        if rate == rate:
            what += _("; the rate was {rate:.3g}", rate=rate)
        if self.norms:
            what += _(
                ", the gradient norm before {last:.3g}, and {usual:.3g} is usual",
                last=self.norms[-1],
                usual=statistics.median(self.norms),
            )
        if best is None:
            left = _("nothing had been measured yet, so there is no model to keep")
        else:
            left = _(
                "the best model, of step {step}, is kept: the same command with --resume --best"
                " makes it the run",
                step=best[0],
            )
        cures = _(" or ").join(_cures(config))
        return what + _(". Try {cures}; {left}", cures=cures, left=left)


def _cures(config: Any) -> list[str]:
    """Settings that would help, the likeliest first."""
    training = config if isinstance(config, Training) else Training()
    found = ["clipping=norm"] if training.clipping == "none" else []
    lower = _("a lower rate")
    found += [f"rate={config.rate / 10:.2g}"] if isinstance(config, Rated) else [lower]
    found += ["mixed=false"] if training.mixed else []
    return found[:2]
