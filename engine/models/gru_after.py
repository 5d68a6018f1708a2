"""Language model of the GRU that torch has: reset after the product.

What      embedding -> layers of the cell in engine/nn/cells/gru_after.py -> logits
Source    Chung, Gulcehre, Cho & Bengio, Empirical Evaluation of Gated Recurrent Neural Networks on Sequence Modeling, 2014
Shapes    as in engine/models/recurrent.py
Differs   Nothing but the cell.
"""

from __future__ import annotations

from typing import final

from engine.models.base import Card
from engine.models.recurrent import RecurrentConfig, RecurrentModel
from engine.nn.cells.gru_after import GRUAfter as Cell


@final
class GRUAfter(RecurrentModel[RecurrentConfig]):
    card = Card(
        "gru_after",
        "GRU, reset after the product",
        2014,
        "Chung, Gulcehre, Cho & Bengio, Empirical Evaluation of Gated Recurrent Neural Networks on Sequence Modeling",
        True,
    )
    cell = Cell


MODEL = GRUAfter
