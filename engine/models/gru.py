"""GRU language model: two gates, and the state is the memory.

What      embedding -> layers of the cell in engine/nn/cells/gru.py -> logits
Source    Cho et al., Learning Phrase Representations using RNN Encoder-Decoder, 2014 (the cell)
Shapes    as in engine/models/recurrent.py
Differs   The paper translates; here the cell predicts the next token.
"""

from __future__ import annotations

from typing import final

from engine.models.base import Card
from engine.models.recurrent import RecurrentConfig, RecurrentModel
from engine.nn.cells.gru import GRU as Cell


@final
class GRU(RecurrentModel[RecurrentConfig]):
    card = Card(
        "gru",
        "GRU",
        2014,
        "Cho et al., Learning Phrase Representations using RNN Encoder-Decoder for Statistical Machine Translation",
        True,
    )
    cell = Cell


MODEL = GRU
