"""No position at all: without a mask the model sees a bag of tokens.

Source    Haviv et al., Transformer Language Models without Positional Encodings Still Learn
          Positional Information, 2022
Differs   A causal model is not blind even so: a token that may look back at three others stands
          fourth.
"""

from __future__ import annotations

from typing import final

from engine.nn.positions.base import Position


@final
class NoPosition(Position):
    pass


POSITION = NoPosition
