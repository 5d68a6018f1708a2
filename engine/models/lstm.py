"""LSTM language model: reads one token at a time and carries a memory that gates guard.

What      embedding -> LSTM layers -> logits; i, f, o = sigmoid(...), g = tanh(...), c = f c' + i g, h = o tanh(c)
Source    Hochreiter & Schmidhuber, Long Short-Term Memory, Neural Computation 9(8), 1997;
          as a character language model: Graves, Generating Sequences with Recurrent Neural Networks, 2013
Shapes    B = batch, T = tokens, V = vocabulary, D = embedding, H = units
Differs   No peepholes; every passage starts from zero states behind a line end.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import final

import numpy as np
import torch
from torch import Tensor, nn

from engine.models.base import Card
from engine.models.neural import PROBABILITY, NeuralLanguageModel
from engine.nn.lstm import LSTMLayer
from engine.tap import Recorder, Tap, passthrough
from engine.trace import FieldSpec, Kind

SAMPLE = "In the spring of 1914 she wrote to her sister: \"Come home soon, the garden is (almost) in bloom.\""


@dataclass(frozen=True, slots=True)
class Config:
    units: int = field(default=256, metadata={"min": 4, "max": 1024, "says": "memory cells in each layer"})
    layers: int = field(default=2, metadata={"min": 1, "max": 4, "says": "LSTM layers on top of each other"})
    width: int = field(default=64, metadata={"min": 4, "max": 512, "says": "numbers that stand for one token"})
    dropout: float = field(default=0.0, metadata={"min": 0.0, "max": 0.7, "says": "share of inputs silenced in training"})
    tokenizer: str = field(default="chars", metadata={"says": "how the text is cut: chars, bpe, words, whitespace"})
    vocabulary: int = field(default=200, metadata={"min": 16, "max": 50_000, "says": "the most tokens to know"})
    steps: int = field(default=2000, metadata={"min": 1, "max": 200_000, "says": "training steps"})
    batch: int = field(default=32, metadata={"min": 1, "max": 512, "says": "windows in one step"})
    span: int = field(default=96, metadata={"min": 2, "max": 1024, "says": "tokens in one window"})
    rate: float = field(default=4e-3, metadata={"min": 1e-5, "max": 1e-1, "says": "learning rate at its highest"})
    mixed: bool = field(default=False, metadata={"says": "train with products in bfloat16: faster on newer processors"})


class Net(nn.Module):
    def __init__(self, v: int, c: Config) -> None:
        super().__init__()
        self.embed = nn.Embedding(v, c.width)
        self.layers = nn.ModuleList(LSTMLayer(c.width if i == 0 else c.units, c.units) for i in range(c.layers))
        self.dropout = nn.Dropout(c.dropout)
        self.head = nn.Linear(c.units, v)

    def forward(self, ids_BT: Tensor, tap: Tap = passthrough, state: dict[str, Tensor] | None = None) -> Tensor:
        """Logits (B, T, V).  `state`: hidden and cell (layer, token, unit) of the tokens before these; zeros without."""
        x_BTH = self.embed(ids_BT)
        for i, layer in enumerate(self.layers):
            last = (state["hidden"][i, -1:], state["cell"][i, -1:]) if state else None
            x_BTH = layer(self.dropout(x_BTH), tap.at(layer=i), last)
        logit_BTV: Tensor = self.head(self.dropout(x_BTH))
        return logit_BTV


@final
class LSTM(NeuralLanguageModel[Config]):
    card = Card("lstm", "LSTM", 1997, "Hochreiter & Schmidhuber, Long Short-Term Memory, Neural Computation 9(8)", True)
    config_type = Config
    carries = ("hidden", "cell")

    @classmethod
    def build(cls, config: Config, v: int) -> nn.Module:
        return Net(v, config)

    @classmethod
    def prepare(cls, net: nn.Module, count_V: np.ndarray) -> None:
        """Start from how often each token occurs.

        Otherwise the units learn that first, by driving their candidates to +-1, and stay saturated: after 800 steps
        94 % of the second layer's candidates were beyond 0.95 without this, 37 % with it, at 2.16 and 1.81 nats.
        """
        share_V = (count_V + 1) / (count_V + 1).sum()
        with torch.no_grad():
            net.head.bias.copy_(torch.from_numpy(np.log(share_V)))  # type: ignore[operator, union-attr]

    @cached_property
    def _reach(self) -> float:
        """How far this model's memory goes.  Memory has no bounds of its own; its colour scale is fixed once for all texts."""
        recorder = Recorder(fields=("cell",))
        self.run(self.tokens(SAMPLE), recorder)
        cell = next(spec for spec in recorder.promised(_specs(1.0)) if isinstance(spec, FieldSpec))
        most = float(np.quantile(np.abs(recorder.values(cell)), 0.95))
        step = 10.0 ** math.floor(math.log10(max(most, 1e-3)))
        return step * min(x for x in (1, 2, 5, 10) if x * step >= most)

    def spec(self) -> tuple[FieldSpec, ...]:
        return _specs(self._reach)


def _specs(reach: float) -> tuple[FieldSpec, ...]:
    unit = ("layer", "token", "unit")
    return (
        FieldSpec("gate.input", Kind.GATE, unit, "How much of the new is let in.", "i_t"),
        FieldSpec("gate.forget", Kind.GATE, unit, "How much of the old memory is kept.", "f_t"),
        FieldSpec("candidate", Kind.STATE, unit, "The new that could be written into memory.", "g_t"),
        FieldSpec("gate.output", Kind.GATE, unit, "How much of the memory is shown.", "o_t"),
        FieldSpec("cell", Kind.STATE, unit, "The memory itself.", "c_t", domain=(-reach, reach)),
        FieldSpec("hidden", Kind.STATE, unit, "What the next layer sees.", "h_t"),
        PROBABILITY,
    )


MODEL = LSTM
