"""Learned positions: a table with one row per place, trained like the embeddings.

Source    Gehring et al., Convolutional Sequence to Sequence Learning, 2017, sec. 3.1; BERT and
          GPT-2 use it
Shapes    T = tokens, D = width
Differs   A fraction of a place is read between its two rows.  Beyond the last row there is nothing.
"""

from __future__ import annotations

from typing import final

from torch import Tensor, nn

from engine.nn.positions.base import Frame, Position


@final
class Learned(Position):
    title, rank = "Learned", 30
    about = (
        "Learned: a vector from a table is added to each token's vector, once, before the first"
        " layer. The table has a row per place, trained like the words' vectors."
    )
    says = "The cosine of the two places' learned vectors: 1 is the same direction."
    where, tells = "added to the embeddings, once", "the place"
    learned, anywhere = "places × D", "no: ends with its table"
    used_by = "BERT, GPT-2"

    def __init__(self, frame: Frame) -> None:
        super().__init__(frame)
        self.rows = frame.context
        self.table = nn.Embedding(frame.context, frame.width)

    def embed(self, place_T: Tensor) -> Tensor:
        if not place_T.is_floating_point():
            found: Tensor = self.table(place_T)
            return found
        low_T = place_T.floor().long()
        high_T = (low_T + 1).clamp(max=self.frame.context - 1)
        return self.table(low_T).lerp(self.table(high_T), (place_T - low_T)[:, None])


POSITION = Learned
