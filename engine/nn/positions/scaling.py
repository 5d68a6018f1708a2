"""Scaling of rotary positions: which pairs turn more slowly, so that a model reads longer texts than
those that it was first trained on.

What      llama3   a pair that turns fewer than `low` times over the trained length turns `factor`
                   times slower, one that turns more than `high` times keeps its speed, and between
                   the two the speeds are mixed
          yarn     the same with a ramp over the number of the pair, and queries and keys are
                   multiplied by `gain`
Source    Grattafiori et al., The Llama 3 Herd of Models, 2024, sec. 3.2, as its published code has
          it; Peng et al., YaRN: Efficient Context Window Extension of Large Language Models, 2023,
          sec. 3.2 to 3.4
Shapes    I = pairs of a head
Differs   Nothing.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Self

import torch
from torch import Tensor

from engine.language.message import refusal

KINDS = {"llama3": 4, "yarn": 5}


@dataclass(frozen=True, slots=True)
class Scaling:
    """One way to scale, as its setting names it: `llama3:factor:low:high:trained` or
    `yarn:factor:low:high:trained:gain`.

    low, high  turns over the trained length
    """

    kind: str
    factor: float
    low: float
    high: float
    trained: float
    gain: float = 1.0

    @classmethod
    def read(cls, words: str) -> Self | None:
        """None for no words.  ValueError, in one sentence, for others."""
        if not words:
            return None
        kind, *rest = words.split(":")
        try:
            numbers = [float(part) for part in rest]
        except ValueError:
            numbers = []
        if len(numbers) != KINDS.get(kind) or not all(n > 0 and math.isfinite(n) for n in numbers):
            raise refusal(
                "no scaling {words!r}; write llama3:factor:low:high:trained length, or yarn: the"
                " same and the factor on queries and keys"
            )
        return cls(kind, *numbers)

    def speeds(self, speed_I: Tensor, base: float) -> Tensor:
        """Radians a place (I,) of each pair, scaled."""
        if self.kind == "llama3":
            turns_I = self.trained * speed_I / (2 * math.pi)
            if self.high == self.low:
                kept_I = (turns_I >= self.low).to(speed_I)
            else:
                kept_I = ((turns_I - self.low) / (self.high - self.low)).clamp(0, 1)
        else:
            kept_I = 1 - self._ramp(speed_I, base)
        return speed_I * kept_I + speed_I / self.factor * (1 - kept_I)

    def _ramp(self, speed_I: Tensor, base: float) -> Tensor:
        """0 for pairs that turn `high` times or more over the trained length, 1 for those that turn
        `low` times or fewer, a line between (I,)."""
        dim = 2 * len(speed_I)

        def pair(turns: float) -> float:
            return dim * math.log(self.trained / (turns * 2 * math.pi)) / (2 * math.log(base))

        first = max(math.floor(pair(self.high)), 0)
        last = min(math.ceil(pair(self.low)), dim - 1)
        width = last - first if last != first else 0.001
        return ((torch.arange(len(speed_I)).to(speed_I) - first) / width).clamp(0, 1)
