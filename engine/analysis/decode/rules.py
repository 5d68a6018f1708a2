"""Rules: all that stands between a model's logits and the token that is drawn, in a fixed order.

What      repetition penalty, temperature, top-k, top-p, min-p, typical; each cut on the normalised
          rest of the one before
Source    the order of `transformers` 5 (generation/utils.py, _get_logits_processor)
Shapes    V = vocabulary
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from engine.analysis.decode.choice import Choice, Cut
from engine.analysis.decode.min_p import min_p
from engine.analysis.decode.repetition import repetition
from engine.analysis.decode.temperature import softmax
from engine.analysis.decode.top_k import top_k
from engine.analysis.decode.top_p import top_p
from engine.analysis.decode.typical import typical


@dataclass(frozen=True, slots=True)
class Rules:
    """None, or a penalty of 1: the rule is off."""

    temperature: float = 1.0
    top_k: int | None = None
    top_p: float | None = None
    min_p: float | None = None
    typical: float | None = None
    repetition_penalty: float = 1.0


CUTS: tuple[tuple[str, Callable[[np.ndarray, Any], Choice]], ...] = (
    ("top_k", top_k),
    ("top_p", top_p),
    ("min_p", min_p),
    ("typical", typical),
)


def choose(logit_V: np.ndarray, rules: Rules, seen: Iterable[int] = ()) -> Choice:
    """What is drawn from.  `cut` is the mass lost to all rules, `cuts` what each of them took of
    the whole.

    logit_V  logits, or log-probabilities
    seen     ids that count as repeated

    ValueError for a setting that makes no sense, and where nothing can follow.
    """
    if rules.repetition_penalty != 1:
        logit_V = repetition(logit_V, seen, rules.repetition_penalty)
    p_V, left, cuts = softmax(logit_V, rules.temperature), 1.0, []
    for name, rule in CUTS:
        limit = getattr(rules, name)
        if limit is not None:
            now = rule(p_V, limit)
            p_V, mass = now.p_V, left * now.cut
            left -= mass
            cuts.append(Cut(name, mass, int(np.count_nonzero(p_V))))
    return Choice(p_V, 1 - left, tuple(cuts))
