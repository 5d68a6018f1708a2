"""Elman language model: the plain recurrent network.

What      embedding -> layers of the cell in engine/nn/cells/rnn.py -> logits
Source    Elman, Finding Structure in Time, 1990; as a language model: Mikolov et al., Recurrent Neural Network Based
          Language Model, 2010
Shapes    as in engine/models/recurrent.py
Differs   Elman trained without sending errors back through time; here the whole window is.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, final

from engine.models.base import Card
from engine.models.recurrent import RecurrentConfig, RecurrentModel
from engine.nn.cells.rnn import RNN as Cell


@dataclass(frozen=True, slots=True)
class Config(RecurrentConfig):
    rate: float = field(default=2e-3, metadata={"min": 1e-5, "max": 1e-1, "says": "learning rate at its highest"})
    activation: str = field(default="tanh", metadata={"says": "what squashes the state: tanh or relu"})


@final
class RNN(RecurrentModel[Config]):
    card = Card("rnn", "Elman RNN", 1990, "Elman, Finding Structure in Time, Cognitive Science 14(2)", True)
    cell = Cell
    config_type = Config

    @classmethod
    def options(cls, config: Config) -> Mapping[str, Any]:
        return {"activation": config.activation}


MODEL = RNN
