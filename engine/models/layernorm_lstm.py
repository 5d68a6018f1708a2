"""Language model of the LSTM with layer normalisation inside.

What      embedding -> layers of the cell in engine/nn/cells/layernorm_lstm.py -> logits
Source    Ba, Kiros & Hinton, Layer Normalization, 2016
Shapes    as in engine/models/recurrent.py
Differs   Nothing but the cell.
"""

from __future__ import annotations

from typing import final

from engine.models.base import Card
from engine.models.recurrent import RecurrentConfig, RecurrentModel
from engine.nn.cells.layernorm_lstm import LayerNormLSTM as Cell


@final
class LayerNormLSTM(RecurrentModel[RecurrentConfig]):
    card = Card("layernorm_lstm", "Layer-norm LSTM", 2016, "Ba, Kiros & Hinton, Layer Normalization", True)
    cell = Cell


MODEL = LayerNormLSTM
