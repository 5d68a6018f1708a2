"""Language model of the LSTM whose gates look at the memory.

What      embedding -> layers of the cell in engine/nn/cells/peephole.py -> logits
Source    Graves, Generating Sequences with Recurrent Neural Networks, 2013
Shapes    as in engine/models/recurrent.py
Differs   Nothing but the cell.
"""

from __future__ import annotations

from typing import final

from engine.models.base import Card
from engine.models.recurrent import RecurrentConfig, RecurrentModel
from engine.nn.cells.peephole import Peephole as Cell


@final
class Peephole(RecurrentModel[RecurrentConfig]):
    card = Card("peephole", "Peephole LSTM", 2000, "Gers & Schmidhuber, Recurrent Nets that Time and Count", True)
    cell = Cell


MODEL = Peephole
