"""No clipping: gradients are used as they are; an exploding one may end the training.

What      g = g
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import final

from torch import Tensor, nn

from engine.nn.clipping.base import Clipping, norm


@final
class Free(Clipping):
    says = "Gradients are used unchanged."

    def __call__(self, parameters: Sequence[nn.Parameter]) -> tuple[Tensor, Tensor]:
        found = norm(parameters)
        return found, found


CLIPPING = Free
