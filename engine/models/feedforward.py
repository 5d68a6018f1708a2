"""Feed-forward language model: the vectors of the last few words, side by side, one hidden layer, and
a distribution over the next word.

What      x_t = [e(w_t-n+1); ...; e(w_t)];  h_t = tanh(H x_t + d);  logits = U h_t + W x_t + b
Source    Bengio, Ducharme, Vincent & Jauvin, A Neural Probabilistic Language Model, JMLR 3, 2003,
          section 2: equations for y and x
Shapes    B = batch, T = tokens, V = vocabulary, N = words of the window, D = width, H = units
Differs   The biases stand inside the softmax.  Before the start mark there is nothing: its places in
          the window are zeros, in training too.  W, the direct connections, can be left out, as in
          the paper.
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

PROMISES = (
    FieldSpec(
        "window",
        Kind.STATE,
        ("token", "step", "dim"),
        "Vectors of the words in the window that ends with each token; zeros before the text.",
        "x_t",
    ),
    FieldSpec(
        "hidden",
        Kind.STATE,
        ("layer", "token", "unit"),
        "Hidden layer, made from the whole window at once.",
        "h_t",
        domain=(-1.0, 1.0),
    ),
    PROBABILITY,
)


@dataclass(frozen=True, slots=True)
class Config(TextTraining):
    window: int = setting(5, "words that it sees", min=1, max=64)
    width: int = setting(64, "size of a word's vector", min=2, max=1024)
    units: int = setting(128, "units in the hidden layer", min=1, max=8192)
    direct: bool = setting(False, "connect the vectors to the output directly, too")
    dropout: float = setting(
        0.0, "dropout: share of the hidden layer set to 0 in training", min=0.0, max=0.9
    )
    tokenizer: str = setting(
        "words", _("how the text is cut: {ids}", ids=", ".join(tokenizers.ids()))
    )
    vocabulary: int = setting(8000, "largest vocabulary", min=16, max=300_000)
    steps: int = setting(2000, "training steps", min=1, max=500_000)
    batch: int = setting(32, "windows of text per step", min=1, max=1024)
    span: int = setting(64, "tokens per window of text", min=2, max=8192)
    rate: float = setting(2e-3, "highest learning rate", min=1e-5, max=1e-1)
    mixed: bool = setting(False, MIXED, group="training")


class Net(nn.Module):
    def __init__(self, v: int, c: Config) -> None:
        super().__init__()
        self.window = c.window
        self.embed = nn.Embedding(v, c.width)
        self.hidden = Linear(c.window * c.width, c.units)
        self.dropout = nn.Dropout(c.dropout)
        self.head = Linear(c.units, v)
        self.direct = Linear(c.window * c.width, v, bias=False) if c.direct else None
        nn.init.normal_(self.embed.weight, std=0.1)

    def forward(self, ids_BT: Tensor, tap: Tap = passthrough) -> Tensor:
        """Logits (B, T, V)."""
        e_BTD = self.embed(ids_BT)
        x_BTND = windows(e_BTD, self.window)
        x_BTND = tap("window", x_BTND, ("batch", "token", "step", "dim"))
        x_BTE = x_BTND.flatten(-2)
        h_BTH = self.hidden(x_BTE).tanh()
        h_BTH = tap.at(layer=0)("hidden", h_BTH, ("batch", "token", "unit"))
        logit_BTV: Tensor = self.head(self.dropout(h_BTH))
        return logit_BTV if self.direct is None else logit_BTV + self.direct(x_BTE)


def windows(x_BTD: Tensor, n: int) -> Tensor:
    """The last n vectors at each token (B, T, N, D), oldest first; zeros before the first."""
    padded_BTD = nn.functional.pad(x_BTD, (0, 0, n - 1, 0))
    return padded_BTD.unfold(1, n, 1).transpose(-1, -2)


@final
class FeedForward(NeuralLanguageModel[Config]):
    card = Card(
        "feedforward",
        "Feed-forward language model",
        2003,
        "Bengio et al., A Neural Probabilistic Language Model, JMLR 3, 2003",
    )
    config_type = Config
    net: Net

    @property
    def depth(self) -> int:
        return 1

    @classmethod
    def build(cls, config: Config, v: int) -> nn.Module:
        return Net(v, config)

    @classmethod
    def prepare(cls, net: nn.Module, count_V: np.ndarray) -> None:
        as_often(net.get_submodule("head"), count_V)

    def spec(self) -> tuple[FieldSpec, ...]:
        return PROMISES

    def lead(self, start: int) -> int:
        return max(0, start - self.config.window + 1)


MODEL = FeedForward
