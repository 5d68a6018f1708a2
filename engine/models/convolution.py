"""Dilated causal convolutions as a language model: each layer looks back twice as far as the one
below, and none sees what follows.

What      a_t = sum over k of W_k x_t-kd + b, with d = 1, 2, 4 ... from layer to layer;
          z_t = tanh(a'_t) o sigmoid(a''_t);  x_t <- norm(x_t + V z_t);  logits = E relu(x_t) + b
Source    van den Oord et al., WaveNet: A Generative Model for Raw Audio, 2016, sections 2.1 and 2.3;
          Bai, Kolter & Koltun, An Empirical Evaluation of Generic Convolutional and Recurrent
          Networks for Sequence Modeling, 2018
Shapes    B = batch, T = tokens, V = vocabulary, D = width, K = kernel
Differs   No skip connections from each layer to the output; a layer norm after each layer keeps deep
          stacks trainable.  Before the text there are zeros.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np
from torch import Tensor, nn

from engine.core.registry import tokenizers
from engine.core.setting import setting
from engine.core.tap import Tap, passthrough
from engine.core.trace import FieldSpec, Kind
from engine.language.message import _
from engine.models.base import Card
from engine.models.neural import PROBABILITY, NeuralLanguageModel, as_often
from engine.nn.packed import Linear
from engine.nn.plan import MIXED, TextTraining
from engine.nn.recompute import Layers, maybe_again

AXES = ("batch", "token", "unit")
PROMISES = (
    FieldSpec(
        "candidate",
        Kind.STATE,
        ("layer", "token", "unit"),
        "What each filter finds in the tokens that it covers.",
        "tanh a_t",
        domain=(-1.0, 1.0),
    ),
    FieldSpec(
        "gate.output",
        Kind.GATE,
        ("layer", "token", "unit"),
        "How much of it is let through.",
        "σ(a_t)",
    ),
    FieldSpec(
        "hidden",
        Kind.STATE,
        ("layer", "token", "unit"),
        "The stream of vectors after each layer.",
        "x_t",
    ),
    PROBABILITY,
)


@dataclass(frozen=True, slots=True)
class Config(TextTraining):
    width: int = setting(
        128, "filters in each layer, and size of a token's vector", min=4, max=4096
    )
    layers: int = setting(6, "layers; each looks back twice as far", min=1, max=16)
    kernel: int = setting(2, "tokens that a filter covers", min=2, max=16)
    dropout: float = setting(
        0.0, "dropout: share of numbers set to 0 in training", min=0.0, max=0.7
    )
    tokenizer: str = setting(
        "chars", _("how the text is cut: {ids}", ids=", ".join(tokenizers.ids()))
    )
    vocabulary: int = setting(4096, "largest vocabulary", min=16, max=300_000)
    steps: int = setting(2000, "training steps", min=1, max=500_000)
    batch: int = setting(16, "windows per step", min=1, max=512)
    span: int = setting(128, "tokens per window", min=2, max=8192)
    rate: float = setting(2e-3, "highest learning rate", min=1e-5, max=1e-1)
    mixed: bool = setting(False, MIXED, group="training")

    @property
    def reach(self) -> int:
        """Tokens that a prediction depends on: the receptive field."""
        return 1 + (self.kernel - 1) * (2**self.layers - 1)


class Layer(nn.Module):
    def __init__(self, d: int, kernel: int, dilation: int) -> None:
        super().__init__()
        self.back = (kernel - 1) * dilation
        self.filters = nn.Conv1d(d, 2 * d, kernel, dilation=dilation)
        self.mix = nn.Linear(d, d)
        self.norm = nn.LayerNorm(d)

    def forward(self, x_BTD: Tensor, tap: Tap = passthrough) -> Tensor:
        """The stream (B, T, D) after this layer."""
        padded_BDT = nn.functional.pad(x_BTD.transpose(1, 2), (self.back, 0))
        a_BTD, g_BTD = self.filters(padded_BDT).transpose(1, 2).chunk(2, -1)
        a_BTD = tap("candidate", a_BTD.tanh(), AXES)
        g_BTD = tap("gate.output", g_BTD.sigmoid(), AXES)
        x_BTD = self.norm(x_BTD + self.mix(a_BTD * g_BTD))
        found: Tensor = tap("hidden", x_BTD, AXES)
        return found


class Net(Layers):
    def __init__(self, v: int, c: Config) -> None:
        super().__init__()
        self.embed = nn.Embedding(v, c.width)
        self.layers = nn.ModuleList(Layer(c.width, c.kernel, 2**n) for n in range(c.layers))
        self.dropout = nn.Dropout(c.dropout)
        self.head = Linear(c.width, v)

    def forward(self, ids_BT: Tensor, tap: Tap = passthrough) -> Tensor:
        """Logits (B, T, V)."""
        x_BTD = self.dropout(self.embed(ids_BT))
        for n, layer in enumerate(self.layers):
            x_BTD = self.dropout(maybe_again(self, layer, x_BTD, tap.at(layer=n)))
        logit_BTV: Tensor = self.head(x_BTD.relu())
        return logit_BTV


@final
class Convolution(NeuralLanguageModel[Config]):
    card = Card(
        "convolution",
        "Dilated causal convolutions",
        2016,
        "van den Oord et al., WaveNet: A Generative Model for Raw Audio, 2016",
    )
    config_type = Config
    config: Config

    @property
    def depth(self) -> int:
        return self.config.layers

    @classmethod
    def build(cls, config: Config, v: int) -> nn.Module:
        return Net(v, config)

    @classmethod
    def prepare(cls, net: nn.Module, count_V: np.ndarray) -> None:
        as_often(net.get_submodule("head"), count_V)

    def spec(self) -> tuple[FieldSpec, ...]:
        return PROMISES

    def lead(self, start: int) -> int:
        return max(0, start - self.config.reach + 1)


MODEL = Convolution
