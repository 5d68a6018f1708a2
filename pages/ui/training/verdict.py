"""Under- or overfitted: the verdict on two curves in a sentence, with the rule that it follows."""

from __future__ import annotations

from typing import Any

import numpy as np
import streamlit as st

from engine.analysis.optimising import fitting
from engine.analysis.optimising.fitting import Curve, Fitting
from engine.views.base import number

RULE = (
    "The rule, in shares of the whole fall of the held-out loss. **Overfitted**: it ends"
    f" {100 * fitting.RISE:.0f} % above its least, or it has stopped falling {100 * fitting.GAP:.0f} % above the"
    " training loss. **Underfitted**: it still fell by"
    f" {100 * fitting.FALLING:.0f} % in the last fifth of the training, or neither"
    f" loss has fallen by {100 * fitting.HARDLY:.0f} % of what it began"
    " with. The shares are ours; no theory fixes them."
)


def show(train: Curve | None, held: Curve | None, what: str = "step", where: Any = st) -> None:
    """Nothing where the curves are too short.  what: a point of the curves is called."""
    if train and held and (found := fitting.fitting(train, held)):
        where.markdown(said(found, what))
        where.caption(RULE)


def said(f: Fitting, what: str = "step") -> str:
    rise, late, gap = (
        f"{number(part)} ({100 * part / (f.whole or np.nan):.0f} %)"
        for part in (f.rise, f.late, abs(f.gap))
    )
    if f.verdict == "unstable":
        return (
            f"**Unstable.** The held-out loss was least at {what} {f.best:,} and has risen by {rise}; the training"
            " loss rose with it. A lower learning rate may help."
        )
    if f.verdict == "overfitted" and f.late_rise:
        return (
            f"**Overfitted.** The held-out loss was least at {what} {f.best:,} and has risen by {rise}, while the"
            " training loss went on falling."
        )
    if f.verdict == "overfitted":
        return (
            f"**Overfitted.** The held-out loss no longer falls, and lies {gap} above the training loss: the text is"
            " learned by heart."
        )
    if f.verdict == "underfitted" and f.both_high:
        return (
            f"**Underfitted.** Both losses stayed high: the held-out loss fell by {number(f.whole)} from"
            f" {number(f.start)}. A larger model or another learning rate may help."
        )
    if f.verdict == "underfitted":
        return (
            f"**Underfitted.** The held-out loss still falls, by {late} in the last fifth of the training. More steps"
            " may help."
        )
    if f.gap < 0:
        return (
            f"**Well fitted.** The held-out loss has levelled off, {gap} below the training loss."
        )
    return f"**Well fitted.** The held-out loss has levelled off, {gap} above the training loss."
