"""Recurrent language models, one for each cell: embedding, a stack of that cell, logits.

What      `of` makes the model of a cell; engine/core/registry.py asks it for every file of
          engine/nn/cells, so a cell is a language model of the same name without a file here
Shapes    B = batch, T = tokens, V = vocabulary, D = embedding, H = units
Differs   Every passage starts from zero states behind a line end.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from functools import cached_property
from typing import Any, ClassVar, TypeVar, final

import numpy as np
import torch
from torch import Tensor, nn

from engine.core import cell_card
from engine.core.cache import once
from engine.core.registry import cells
from engine.core.round_numbers import reach
from engine.core.tap import Recorder, Tap, passthrough
from engine.core.trace import FieldSpec
from engine.language.message import refusal
from engine.models.abilities import Remembers
from engine.models.base import Card
from engine.models.neural import PROBABILITY, NeuralLanguageModel, as_often
from engine.nn.cells.anatomy import Anatomy
from engine.nn.cells.base import Cell, Memory
from engine.nn.cells.config import RecurrentConfig
from engine.nn.packed import Linear, product
from engine.nn.stack import Carried, Stack
from engine.text.tokenizers.base import Tokens

WITHIN = 0.95  # share of the numbers that a colour scale must hold
SAMPLE = (
    'In the spring of 1914 she wrote to her sister: "Come home soon, the garden is (almost) in'
    ' bloom."'
)


C = TypeVar("C", bound=RecurrentConfig)


class Tied(nn.Module):
    """An output layer whose rows are the vectors of the tokens: h E^T + b."""

    def __init__(self, embed: nn.Embedding) -> None:
        super().__init__()
        self.bias = nn.Parameter(torch.zeros(embed.num_embeddings))
        self._of = (embed,)  # in a tuple: its weights are those of the net, not of this part

    def forward(self, h_BTD: Tensor) -> Tensor:
        return product(h_BTD, self._of[0].weight, self.bias)


class Net(Stack):
    def __init__(
        self, v: int, cell: type[Cell], c: RecurrentConfig, options: Mapping[str, Any]
    ) -> None:
        super().__init__(
            cell,
            c.width,
            c.units,
            c.layers,
            residual=c.residual,
            dropout=c.dropout,
            recurrent_dropout=c.recurrent_dropout,
            start=c.start,
            forget_bias=c.forget_bias,
            **options,
        )
        self.embed = nn.Embedding(v, c.width)
        self.head = Tied(self.embed) if c.tied else Linear(self.width, v)
        if c.tied and self.width != c.width:
            raise refusal(
                "an output that is the table of embeddings (tied) needs vectors as wide as what it reads:"
                " width is {c.width}, a layer gives {self.width}"
            )
        if c.tied:  # so that logits are of the size of a state
            nn.init.normal_(self.embed.weight, std=c.width**-0.5)

    @property
    def tied(self) -> tuple[str, ...]:
        """Names of embeddings that are the output layer as well."""
        return ("embed.weight",) if isinstance(self.head, Tied) else ()

    def forward(
        self,
        ids_BT: Tensor,
        tap: Tap = passthrough,
        state: Mapping[str, Tensor] | None = None,
        before: Carried | None = None,
        after: Carried | None = None,
    ) -> Tensor:
        """Logits (B, T, V).  `state`, `before`, `after`: as in `Stack.read`."""
        logit_BTV: Tensor = self.head(
            self.dropout(self.read(self.embed(ids_BT), tap, state, before, after))
        )
        return logit_BTV


class RecurrentModel(NeuralLanguageModel[C], Remembers[C]):
    """A language model around one cell."""

    cell: ClassVar[type[Cell]]
    config_type: ClassVar[type] = RecurrentConfig

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls.carries = cls.cell.state

    @property
    def depth(self) -> int:
        return self.config.layers

    @property
    def memories(self) -> tuple[Memory, ...]:
        """The sums that its states are; none for a state that is written anew at each token."""
        return self.cell.memories

    @property
    def anatomy(self) -> Anatomy:
        """How the diagram and the equations of its cell show it."""
        return self.cell.anatomy(**self.options(self.config))

    @classmethod
    def options(cls, config: C) -> Mapping[str, Any]:
        """What the config says to the cell alone: the fields that the cell has added to it."""
        shared = {one.name for one in fields(RecurrentConfig)}
        own = (one.name for one in fields(config) if one.name not in shared)
        return {name: getattr(config, name) for name in own}

    @classmethod
    def build(cls, config: C, v: int) -> nn.Module:
        return Net(v, cls.cell, config, cls.options(config))

    @classmethod
    def prepare(cls, net: nn.Module, count_V: np.ndarray) -> None:
        """Start from how often each token occurs.

        Otherwise the units learn that first, by driving their candidates to +-1, and stay
        saturated: after 800 steps
        94 % of the second layer's candidates of an LSTM were beyond 0.95 without this, 37 % with
        it, at 2.16 and 1.81 nats.
        """
        as_often(net.get_submodule("head"), count_V)

    @cached_property
    def _reach(self) -> Mapping[str, float]:
        """How far the numbers without bounds go; their colour scale is fixed once for all texts."""
        recorder = Recorder(fields=self.cell.free)
        self.run(self._sample(), recorder)
        return {
            spec.name: reach(recorder.values(spec), WITHIN)
            for spec in self.cell.fields
            if spec.name in self.cell.free
        }

    def _sample(self) -> Tokens:
        """The sample; of a model that knows less than half of it, such as one of brackets, what it
        knows."""
        tokens = self.tokens(SAMPLE)
        if 2 * len(tokens.unknown) < len(tokens):
            return tokens
        known = [t for t in range(len(tokens)) if t not in tokens.unknown]
        return Tokens(
            tokens.ids[known],
            tuple(tokens.labels[t] for t in known),
            tuple(tokens.spans[t] for t in known),
        )

    @once
    def spec(self) -> tuple[FieldSpec, ...]:
        found = [
            replace(s, domain=(-r, r)) if (r := self._reach.get(s.name)) else s
            for s in self.cell.fields
        ]
        return (*found, PROBABILITY)


def model_of_cell(id: str) -> type[RecurrentModel[Any]]:
    """The language model of a cell.  KeyError for a cell that does not exist; ValueError where its
    file has no card."""
    found, said = cells.get(id), cell_card.get(id)

    @final
    class Made(RecurrentModel[RecurrentConfig]):
        card = Card(id, said.title, said.year, said.source)
        cell = found
        config_type = found.config_type

    Made.__name__ = Made.__qualname__ = found.__name__
    Made.__doc__ = found.__doc__
    return Made
