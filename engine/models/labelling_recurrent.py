"""What the labelling models with a recurrent cell share: layers of it over the words, and a read-out
after each.

What      p_t = softmax(W h_t + b), with h_t the last layer's state after token t
Shapes    B = batch, T = tokens, F = rows of one word, K = labels
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from torch import Tensor, nn

from engine.core.cache import once
from engine.core.registry import cells
from engine.core.setting import setting
from engine.core.tap import Tap, passthrough
from engine.core.trace import FieldSpec
from engine.language.message import refusal
from engine.models.abilities import Remembers
from engine.models.labelling import START_ID, LabellingModel
from engine.nn import wordform
from engine.nn.cells.base import Memory
from engine.nn.plan import Training
from engine.nn.stack import Stack
from engine.text.tokenizers.words import START


@dataclass(frozen=True, slots=True)
class RecurrentLabellingConfig(Training):
    cell: str = setting("lstm", "the recurrent cell: lstm, gru, rnn or another of engine/nn/cells")
    units: int = setting(96, "units in each layer", min=4, max=1024)
    layers: int = setting(1, "layers", min=1, max=8)
    width: int = setting(48, "size of a word's vector", min=4, max=512)
    dropout: float = setting(0.3, "dropout: share of inputs set to 0 in training", min=0.0, max=0.7)
    unknown: float = setting(
        0.1, "share of words replaced by the unknown word in training", min=0.0, max=0.9
    )
    vocabulary: int = setting(6000, "largest vocabulary", min=16, max=50_000)
    buckets: int = setting(2000, "rows shared by the pieces of words", min=16, max=50_000)
    steps: int = setting(2000, "training steps", min=1, max=200_000)
    batch: int = setting(32, "examples per step", min=1, max=512)
    span: int = setting(64, "most tokens used from one example", min=2, max=1024)
    rate: float = setting(5e-3, "highest learning rate", min=1e-5, max=1e-1)


class Net(Stack):
    def __init__(self, v: int, k: int, c: RecurrentLabellingConfig, both_ways: bool) -> None:
        if c.cell not in cells.ids():
            raise refusal("no cell {c.cell!r}; there are {known}", known=cells.ids())
        super().__init__(
            cells.get(c.cell), c.width, c.units, c.layers, both_ways=both_ways, dropout=c.dropout
        )
        self.embed = nn.Embedding(v + c.buckets, c.width)
        self.head = nn.Linear(self.width, k)
        nn.init.normal_(self.embed.weight, std=(1 + wordform.PIECES) ** -0.5)

    def forward(self, rows_BTF: Tensor, tap: Tap = passthrough) -> Tensor:
        """Logits (B, T, K)."""
        logit_BTK: Tensor = self.head(self.dropout(self.read(self.embed(rows_BTF).sum(-2), tap)))
        return logit_BTK


class RecurrentLabellingModel(
    LabellingModel[RecurrentLabellingConfig], Remembers[RecurrentLabellingConfig]
):
    """A subclass says whether the words that follow are read too."""

    config_type: ClassVar[type] = RecurrentLabellingConfig
    both_ways: ClassVar[bool] = False
    per_word = 1 + wordform.PIECES

    @property
    def depth(self) -> int:
        return self.config.layers

    @property
    def memories(self) -> tuple[Memory, ...]:
        found: tuple[Memory, ...] = cells.get(self.config.cell).memories
        return found

    @classmethod
    def build(cls, config: RecurrentLabellingConfig, v: int, k: int = 2) -> nn.Module:
        return Net(v, k, config, cls.both_ways)

    def rows(self, words: Sequence[str]) -> np.ndarray:
        """Of each word its own row, and those of its pieces."""
        rows_TF = wordform.rows(words, self._known, self.config.buckets)
        if self.start and words and words[0] == START:
            rows_TF[0, 0] = START_ID
        return rows_TF

    @once
    def spec(self) -> tuple[FieldSpec, ...]:
        promised = (*cells.get(self.config.cell).fields, self.says)
        return tuple(replace(spec, causal=not self.both_ways) for spec in promised)

    def trail(self, stop: int, total: int) -> int:
        return total if self.both_ways else stop
