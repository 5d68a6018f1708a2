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
    title, rank = "None", 10
    about = (
        "None: the model gets no information about order. Its mask still reveals some: the first"
        " token sees one token, the fifth sees five."
    )
    says = "No place is told: nothing, so 0 everywhere."
    where, tells = "nowhere", "nothing; a causal mask reveals some order"
    learned, anywhere = "0", "yes"
    used_by = "some decoders, by choice"


POSITION = NoPosition
