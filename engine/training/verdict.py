"""Under- or overfitted: the verdict on two curves in a sentence, with the rule that it follows."""

from __future__ import annotations

import numpy as np

from engine.analysis.optimising import fitting
from engine.analysis.optimising.fitting import Fitting
from engine.language.message import Message, _
from engine.views.base import number

RULE = _(
    "The rule, in shares of the whole fall of the held-out loss. **Overfitted**: it ends {rise:.0%} above"
    " its least, or it has stopped falling {gap:.0%} above the training loss. **Underfitted**: it still fell"
    " by {falling:.0%} in the last fifth of the training, or neither loss has fallen by {hardly:.0%} of what"
    " it began with. The shares are ours; no theory fixes them.",
    rise=fitting.RISE,
    gap=fitting.GAP,
    falling=fitting.FALLING,
    hardly=fitting.HARDLY,
)


def judge_fit(f: Fitting, what: str = "step") -> str:
    """`what`: a point of the curves is called."""
    rise, late, gap = (
        f"{number(part)} ({100 * part / (f.whole or np.nan):.0f} %)"
        for part in (f.rise, f.late, abs(f.gap))
    )
    where = {"what": Message(what), "best": f.best, "rise": rise}
    if f.verdict == "unstable":
        return _(
            "**Unstable.** The held-out loss was least at {what} {best:,} and has risen by {rise}; the"
            " training loss rose with it. A lower learning rate may help.",
            **where,
        )
    if f.verdict == "overfitted" and f.late_rise:
        return _(
            "**Overfitted.** The held-out loss was least at {what} {best:,} and has risen by {rise}, while"
            " the training loss went on falling.",
            **where,
        )
    if f.verdict == "overfitted":
        return _(
            "**Overfitted.** The held-out loss no longer falls, and lies {gap} above the training loss: the"
            " text is learned by heart.",
            gap=gap,
        )
    if f.verdict == "underfitted" and f.both_high:
        return _(
            "**Underfitted.** Both losses stayed high: the held-out loss fell by {whole} from {start}. A larger"
            " model or another learning rate may help.",
            whole=number(f.whole),
            start=number(f.start),
        )
    if f.verdict == "underfitted":
        return _(
            "**Underfitted.** The held-out loss still falls, by {late} in the last fifth of the training. More"
            " steps may help.",
            late=late,
        )
    if f.gap < 0:
        return _(
            "**Well fitted.** The held-out loss has levelled off, {gap} below the training loss.",
            gap=gap,
        )
    return _(
        "**Well fitted.** The held-out loss has levelled off, {gap} above the training loss.",
        gap=gap,
    )
