"""Language model of the LSTM of 1997, whose memory can't forget.

What      embedding -> layers of the cell in engine/nn/cells/lstm1997.py -> logits
Source    Hochreiter & Schmidhuber, Long Short-Term Memory, 1997
Shapes    as in engine/models/recurrent.py
Differs   The paper trained with a truncated gradient; here the whole window.
"""

from __future__ import annotations

from typing import final

from engine.models.base import Card
from engine.models.recurrent import RecurrentConfig, RecurrentModel
from engine.nn.cells.lstm1997 import LSTM1997 as Cell


@final
class LSTM1997(RecurrentModel[RecurrentConfig]):
    card = Card(
        "lstm1997",
        "LSTM of 1997, without forget gate",
        1997,
        "Hochreiter & Schmidhuber, Long Short-Term Memory, Neural Computation 9(8), sec. 4",
        True,
    )
    cell = Cell


MODEL = LSTM1997
