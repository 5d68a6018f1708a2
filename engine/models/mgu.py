"""Language model of the minimal gated unit.

What      embedding -> layers of the cell in engine/nn/cells/mgu.py -> logits
Source    Zhou, Wu, Zhang & Zhou, Minimal Gated Unit for Recurrent Neural Networks, 2016
Shapes    as in engine/models/recurrent.py
Differs   Nothing but the cell.
"""

from __future__ import annotations

from typing import final

from engine.models.base import Card
from engine.models.recurrent import RecurrentConfig, RecurrentModel
from engine.nn.cells.mgu import MGU as Cell


@final
class MGU(RecurrentModel[RecurrentConfig]):
    card = Card(
        "mgu", "Minimal gated unit", 2016, "Zhou, Wu, Zhang & Zhou, Minimal Gated Unit for Recurrent Neural Networks", True
    )
    cell = Cell


MODEL = MGU
