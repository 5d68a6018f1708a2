"""Location score: the query alone says how much each place of the source gets; no key is looked at.

What      score = W q, cut to as many places as there are keys
Source    Luong, Pham & Manning, Effective Approaches to Attention-based Neural Machine Translation,
          2015, eq. 8 ("location"), sec. 3.1
Shapes    N = queries, M = keys, K = numbers in a query or key, P = places that W has a row for
Differs   P is 50, the longest sentence that they trained on.  A place behind it gets no weight, as
          they say of long sentences: its score is minus infinity.
"""

from __future__ import annotations

import math
from typing import final

from torch import Tensor, nn

from engine.nn.scores.base import Score

PLACES = 50


@final
class Location(Score):
    title, formula = "Location", "W q"
    called = "location"
    rank = 50
    reads_keys = False
    says = (
        "Looks at no key. The query alone gives each place its score (random weights here): every"
        " key of the plane gets the same, for all stand at the first place."
    )

    def __init__(self, k: int) -> None:
        super().__init__(k)
        self.places = nn.Linear(k, PLACES, False)

    def asked(self, q_NK: Tensor) -> Tensor:
        made: Tensor = self.places(q_NK)
        return made

    def met(self, asked_NX: Tensor, offered_MX: Tensor) -> Tensor:
        more = offered_MX.shape[-2] - PLACES
        return nn.functional.pad(asked_NX, (0, more), value=-math.inf)  # a negative number cuts

    def multiplications(self) -> int:
        return self.k


SCORE = Location
