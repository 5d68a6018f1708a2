"""LSTM language model: reads one token at a time and carries a memory that gates guard.

What      embedding -> layers of the cell in engine/nn/cells/lstm.py -> logits
Source    Graves, Generating Sequences with Recurrent Neural Networks, 2013
Shapes    as in engine/models/recurrent.py
Differs   No peepholes.
"""

from __future__ import annotations

from typing import final

from engine.models.base import Card
from engine.models.recurrent import RecurrentConfig, RecurrentModel
from engine.nn.cells.lstm import LSTM as Cell


@final
class LSTM(RecurrentModel[RecurrentConfig]):
    card = Card("lstm", "LSTM", 1997, "Hochreiter & Schmidhuber, Long Short-Term Memory, Neural Computation 9(8)", True)
    cell = Cell


MODEL = LSTM
