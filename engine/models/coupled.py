"""Language model of the LSTM that forgets exactly as much as it lets in.

What      embedding -> layers of the cell in engine/nn/cells/coupled.py -> logits
Source    Greff et al., LSTM: A Search Space Odyssey, 2017
Shapes    as in engine/models/recurrent.py
Differs   Nothing but the cell.
"""

from __future__ import annotations

from typing import final

from engine.models.base import Card
from engine.models.recurrent import RecurrentConfig, RecurrentModel
from engine.nn.cells.coupled import Coupled as Cell


@final
class Coupled(RecurrentModel[RecurrentConfig]):
    card = Card(
        "coupled",
        "Coupled LSTM",
        2017,
        "Greff, Srivastava, Koutnik, Steunebrink & Schmidhuber, LSTM: A Search Space Odyssey",
        True,
    )
    cell = Cell


MODEL = Coupled
