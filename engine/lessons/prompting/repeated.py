"""Repeated: a passage read several times in a row, and what it costs each time.

What      mean bits per token of each reading; no weight changes
Source    Olsson et al., In-context Learning and Induction Heads, 2022
"""

from __future__ import annotations

import math
from typing import Any

from engine.analysis.measure import surprisal
from engine.language.message import refusal
from engine.models.base import Model


def repeated(model: Model[Any], passage: str, times: int) -> list[float]:
    """Mean surprisal in bits per token of a passage each time it stands in one text, `times` times
    in a row.

    ValueError where the text does not fit into what the model can look back over.
    """
    turn = passage.strip() + " "
    text = turn * times
    tokens = model.tokens(text)
    if model.context is not None and len(tokens) > model.context:
        raise refusal(
            "{times} times make {tokens} tokens, and this model looks back over {model.context};"
            " take a shorter passage",
            tokens=len(tokens),
        )
    bits = surprisal(model.trace(text, fields=("probability",)))
    turn_of = [min(times - 1, (start + stop) // 2 // len(turn)) for start, stop in tokens.spans]
    found: list[list[float]] = [[] for __ in range(times)]
    for i, bit in enumerate(bits):
        if tokens.spans[i] != (0, 0) and math.isfinite(bit):
            found[turn_of[i]].append(float(bit))
    return [sum(part) / len(part) if part else math.nan for part in found]
