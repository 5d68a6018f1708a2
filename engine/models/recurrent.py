"""What the recurrent language models share: embedding, a stack of one kind of cell, logits.

Shapes    B = batch, T = tokens, V = vocabulary, D = embedding, H = units
Differs   Every passage starts from zero states behind a line end.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar, TypeVar

import numpy as np
import torch
from torch import Tensor, nn

from engine.models.neural import PROBABILITY, NeuralLanguageModel
from engine.nn.cells.base import Cell, Memory
from engine.nn.plan import MIXED, TextTraining, option
from engine.nn.stack import Carried, Stack
from engine.tap import Recorder, Tap, passthrough
from engine.text.base import Tokens
from engine.trace import FieldSpec

SAMPLE = 'In the spring of 1914 she wrote to her sister: "Come home soon, the garden is (almost) in bloom."'


@dataclass(frozen=True, slots=True)
class RecurrentConfig(TextTraining):
    units: int = field(default=256, metadata={"min": 4, "max": 1024, "says": "units in each layer"})
    layers: int = field(default=2, metadata={"min": 1, "max": 8, "says": "layers on top of each other"})
    width: int = field(default=64, metadata={"min": 4, "max": 512, "says": "numbers that stand for one token"})
    dropout: float = field(default=0.0, metadata={"min": 0.0, "max": 0.7, "says": "share of inputs silenced in training"})
    recurrent_dropout: float = field(
        default=0.0,
        metadata={"min": 0.0, "max": 0.7, "says": "share of the state silenced in training, the same units at each step"},
    )
    residual: bool = field(default=False, metadata={"says": "add what goes into a layer to what comes out"})
    start: str = field(default="torch", metadata={"says": "how weights begin: torch, uniform, xavier, he, orthogonal"})
    forget_bias: float = field(
        default=0.0,
        metadata={"min": -5.0, "max": 10.0, "says": "bias of the forget gate before training; 0 leaves it as it begins"},
    )
    tokenizer: str = field(default="chars", metadata={"says": "how the text is cut: chars, bytes, bpe, charbpe, unigram, words, whitespace"})
    vocabulary: int = field(default=200, metadata={"min": 16, "max": 50_000, "says": "the most tokens to know"})
    steps: int = field(default=2000, metadata={"min": 1, "max": 200_000, "says": "training steps"})
    batch: int = field(default=32, metadata={"min": 1, "max": 512, "says": "windows in one step"})
    span: int = field(default=96, metadata={"min": 2, "max": 1024, "says": "tokens in one window"})
    rate: float = field(default=4e-3, metadata={"min": 1e-5, "max": 1e-1, "says": "learning rate at its highest"})
    mixed: bool = field(default=False, metadata={"says": MIXED, "group": "training"})
    stateful: bool = option(False, "read on where the step before stopped, with its state (truncated BPTT), not windows from anywhere")

    def __post_init__(self) -> None:
        TextTraining.__post_init__(self)
        if self.stateful and self.passages:
            raise ValueError("stateful reads one long text and passages reads many short ones; choose one of them")


C = TypeVar("C", bound=RecurrentConfig)


class Net(Stack):
    def __init__(self, v: int, cell: type[Cell], c: RecurrentConfig, options: Mapping[str, Any]) -> None:
        super().__init__(
            cell, c.width, c.units, c.layers, residual=c.residual, dropout=c.dropout,
            recurrent_dropout=c.recurrent_dropout, start=c.start, forget_bias=c.forget_bias, **options,
        )  # fmt: skip
        self.embed = nn.Embedding(v, c.width)
        self.head = nn.Linear(self.width, v)

    def forward(
        self, ids_BT: Tensor, tap: Tap = passthrough, state: Mapping[str, Tensor] | None = None,
        before: Carried | None = None, after: Carried | None = None,
    ) -> Tensor:  # fmt: skip
        """Logits (B, T, V).  `state`, `before`, `after`: as in `Stack.read`."""
        logit_BTV: Tensor = self.head(self.dropout(self.read(self.embed(ids_BT), tap, state, before, after)))
        return logit_BTV


class RecurrentModel(NeuralLanguageModel[C]):
    """A language model around one cell; a file of this folder names the cell."""

    cell: ClassVar[type[Cell]]
    config_type: ClassVar[type] = RecurrentConfig

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls.carries = cls.cell.state

    @property
    def memories(self) -> tuple[Memory, ...]:
        """The sums that its states are; none for a state that is written anew at each token."""
        return self.cell.memories

    @classmethod
    def options(cls, config: C) -> Mapping[str, Any]:
        """What the config says to the cell alone."""
        return {}

    @classmethod
    def build(cls, config: C, v: int) -> nn.Module:
        return Net(v, cls.cell, config, cls.options(config))

    @classmethod
    def prepare(cls, net: nn.Module, count_V: np.ndarray) -> None:
        """Start from how often each token occurs.

        Otherwise the units learn that first, by driving their candidates to +-1, and stay saturated: after 800 steps
        94 % of the second layer's candidates of an LSTM were beyond 0.95 without this, 37 % with it, at 2.16 and 1.81 nats.
        """
        share_V = (count_V + 1) / (count_V + 1).sum()
        with torch.no_grad():
            net.head.bias.copy_(torch.from_numpy(np.log(share_V)))  # type: ignore[operator, union-attr]

    @cached_property
    def _reach(self) -> Mapping[str, float]:
        """How far the numbers without bounds go; their colour scale is fixed once for all texts."""
        recorder = Recorder(fields=self.cell.free)
        self.run(self._sample(), recorder)
        return {spec.name: _round_up(recorder.values(spec)) for spec in self.cell.fields if spec.name in self.cell.free}

    def _sample(self) -> Tokens:
        """The sample; of a model that knows less than half of it, such as one of brackets, what it knows."""
        tokens = self.tokens(SAMPLE)
        if 2 * len(tokens.unknown) < len(tokens):
            return tokens
        known = [t for t in range(len(tokens)) if t not in tokens.unknown]
        return Tokens(tokens.ids[known], tuple(tokens.labels[t] for t in known), tuple(tokens.spans[t] for t in known))

    def spec(self) -> tuple[FieldSpec, ...]:
        found = [replace(s, domain=(-r, r)) if (r := self._reach.get(s.name)) else s for s in self.cell.fields]
        return (*found, PROBABILITY)


def _round_up(values: np.ndarray) -> float:
    """1, 2 or 5 times a power of ten, so that 95 % of the numbers are within."""
    most = float(np.quantile(np.abs(values[np.isfinite(values)]), 0.95)) if np.isfinite(values).any() else 1.0
    step = 10.0 ** math.floor(math.log10(max(most, 1e-3)))
    return step * min(x for x in (1, 2, 5, 10) if x * step >= most)
