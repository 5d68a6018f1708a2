"""Decoder-only Transformer: every token looks back at all tokens before it, through several heads
at once.

What      x = embed + place; blocks of attention and feed-forward; logits = norm(x) E^T
Source    Vaswani et al., Attention Is All You Need, 2017; decoder only: Radford et al., 2018; tied
          output: Press & Wolf, 2017
Shapes    B = batch, T = tokens, V = vocabulary, D = width, N = heads, K = width of a head
Differs   By default norm before each part (pre-norm), learned places and an output tied to the
          embedding, as in GPT-2;
          the settings also make the decoder of 2017 or one like Llama.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self, final

import torch
from torch import Tensor, nn

from engine.core.registry import positions, tokenizers
from engine.core.setting import setting
from engine.core.tap import Tap, passthrough
from engine.core.trace import FieldSpec
from engine.language.message import _, refusal
from engine.models.abilities import Attends
from engine.models.base import Card, Weights
from engine.models.neural import LOGITS, PROBABILITY, NeuralLanguageModel
from engine.nn.block import Design
from engine.nn.packed import Linear, product
from engine.nn.plan import MIXED, TextTraining, option
from engine.nn.transformer import Tower, promises
from engine.text.tokenizers.base import Tokenizer


@dataclass(frozen=True, slots=True)
class Config(TextTraining):
    width: int = setting(256, "size of a token's vector", min=8, max=16_384)
    heads: int = setting(8, "attention heads in each layer", min=1, max=128)
    layers: int = setting(4, "layers", min=1, max=128)
    context: int = setting(256, "context length in tokens", min=2, max=131_072)
    position: str = setting(
        "learned", _("how positions are encoded: {ids}", ids=", ".join(positions.ids()))
    )
    norm: str = setting("layer", "normalisation: layer or rms")
    norm_first: bool = setting(True, "normalise before each part; off: after it, as in 2017")
    activation: str = setting(
        "gelu", "activation of the feed-forward part: relu, gelu, gelu_tanh, silu, swiglu, geglu"
    )
    inner: int = setting(
        0, "inner width of the feed-forward part; 0: four times the width", min=0, max=65_536
    )
    groups: int = setting(
        0,
        "groups of heads that share keys and values; 1: multi-query; 0: no sharing",
        min=0,
        max=128,
    )
    head_width: int = setting(0, "size of one head; 0: width / heads", min=0, max=1024)
    sliding_window: int = setting(
        0, "attention window in tokens, per layer; 0: all", min=0, max=131_072
    )
    kernel: str = setting("softmax", "kind of attention: softmax or linear")
    bias: bool = setting(True, "add bias terms")
    bias_start: str = option(
        "zero",
        "initial biases of attention: zero, uniform",
        choices=("zero", "uniform"),
        before="uniform",
    )
    tied: bool = setting(True, "share the embeddings with the output layer")
    base: float = setting(
        10_000.0,
        "base of the wavelengths of sinusoidal and rope; larger: slower waves",
        min=2.0,
        max=1e8,
    )
    stretch: float = setting(1.0, "factor on positions: position interpolation", min=0.001, max=1.0)
    rotary: float = setting(
        1.0, "share of each head's numbers that rope turns", min=0.05, max=1.0, later=True
    )
    scaling: str = setting(
        "", "slower rope for long texts, as in Llama 3: llama3:8:1:4:8192; empty: none", later=True
    )
    query_norm: bool = setting(False, "normalise every query and key (QK-norm)", later=True)
    parallel: bool = setting(
        False, "attention and feed-forward part side by side, not one after the other", later=True
    )
    embedding_scaled: bool = setting(
        False, "multiply embeddings by the root of the width", later=True
    )
    full_every: int = setting(
        0,
        "every so many layers one sees all tokens, despite a window; 0: none",
        min=0,
        max=128,
        later=True,
    )
    near_base: float = setting(
        0.0,
        "base of rope in layers with a window; 0: that of all layers",
        min=0.0,
        max=1e8,
        later=True,
    )
    unplaced: int = setting(
        0, "every so many layers rope turns nothing in one; 0: none", min=0, max=128, later=True
    )
    score_cap: float = setting(
        0.0,
        "what no score of attention exceeds, as in Gemma 2; 0: any",
        min=0.0,
        max=1e6,
        later=True,
    )
    logit_cap: float = setting(
        0.0, "what no logit exceeds, as in Gemma 2; 0: any", min=0.0, max=1e6, later=True
    )
    whole_norm: bool = setting(
        False, "normalise the queries of all heads together, and the keys", later=True
    )
    read_norm: bool = setting(
        True, "normalise what each part reads, where norms come first", later=True
    )
    added_norm: bool = setting(False, "normalise what each part adds, as in Gemma 3", later=True)
    output_bias: bool = setting(
        False, "add a bias to the output layer, where it is one of its own", later=True
    )
    epsilon: float = setting(
        1e-5, "small constant that keeps a norm from dividing by 0", min=1e-12, max=1e-2
    )
    dropout: float = setting(
        0.0, "dropout: share of numbers set to 0 in training", min=0.0, max=0.7
    )
    tokenizer: str = setting(
        "bpe", _("how the text is cut: {ids}", ids=", ".join(tokenizers.ids()))
    )
    vocabulary: int = setting(4096, "largest vocabulary", min=16, max=300_000)
    steps: int = setting(2000, "training steps", min=1, max=500_000)
    batch: int = setting(16, "windows per step", min=1, max=512)
    span: int = setting(128, "tokens per window, at most `context`", min=2, max=8192)
    rate: float = setting(1e-3, "highest learning rate", min=1e-5, max=1e-1)
    mixed: bool = setting(False, MIXED, group="training")

    def __post_init__(self) -> None:
        TextTraining.__post_init__(self)
        if self.span > self.context:
            raise refusal(
                "span {self.span} is longer than context {self.context}; a window can't be longer"
                " than the model sees"
            )
        self.design()

    def design(self) -> Design:
        """What its blocks are made of.  ValueError where that does not fit together."""
        return Design(
            width=self.width,
            heads=self.heads,
            layers=self.layers,
            context=self.context,
            inner=self.inner,
            groups=self.groups,
            dim=self.head_width,
            first=self.norm_first,
            norm=self.norm,
            epsilon=self.epsilon,
            activation=self.activation,
            position=self.position,
            base=self.base,
            turned=self.rotary,
            scaling=self.scaling,
            query_norm=self.query_norm,
            full_every=self.full_every,
            near_base=self.near_base,
            unplaced=self.unplaced,
            cap=self.score_cap,
            whole_norm=self.whole_norm,
            read_norm=self.read_norm,
            added_norm=self.added_norm,
            parallel=self.parallel,
            gain=self.embedding_scaled,
            kernel=self.kernel,
            window=self.sliding_window,
            bias=self.bias,
            dropout=self.dropout,
        )


class Net(nn.Module):
    def __init__(self, v: int, c: Config) -> None:
        super().__init__()
        self.embed = nn.Embedding(v, c.width)
        self.tower = Tower(c.design())
        self.tower.stretch = c.stretch
        self.output = None if c.tied else Linear(c.width, v, bias=c.output_bias)
        self.cap = c.logit_cap
        self.dropout = nn.Dropout(c.dropout)
        self.tower.start(c.bias_start == "zero")
        for part in (self.embed, self.output):
            if part is not None:
                nn.init.normal_(part.weight, std=0.02)

    @property
    def tied(self) -> tuple[str, ...]:
        """Names of embeddings that are the output layer as well."""
        return () if self.output is not None else ("embed.weight",)

    def forward(
        self, ids_BT: Tensor, tap: Tap = passthrough, state: dict[str, Tensor] | None = None
    ) -> Tensor:
        """Logits (B, T, V).  `state`: key and value (layer, head, token, dim) of the tokens before
        these."""
        logit_BTV: Tensor = tap(
            "logits", self.read_out(self.stream(ids_BT, tap, state)), ("batch", "token", "next")
        )
        return logit_BTV

    def stream(
        self, ids_BT: Tensor, tap: Tap = passthrough, state: dict[str, Tensor] | None = None
    ) -> Tensor:
        """What the last norm gives (B, T, D)."""
        first = state["key"].shape[-2] if state else 0
        found: Tensor = self.tower(
            self.dropout(self.tower.placed(self.embed(ids_BT), tap, first)), tap, state
        )
        return found

    def read_out(self, x_BTD: Tensor) -> Tensor:
        """Logits (B, T, V) of what the last norm gives."""
        found: Tensor = (
            product(x_BTD, self.embed.weight) if self.output is None else self.output(x_BTD)
        )
        return self.cap * torch.tanh(found / self.cap) if self.cap else found


@final
class Transformer(NeuralLanguageModel[Config], Attends[Config]):
    card = Card(
        "transformer",
        "Transformer",
        2017,
        "Vaswani et al., Attention Is All You Need, NeurIPS 2017",
    )
    config_type = Config
    carries, gathers = ("key", "value"), True
    net: Net

    def __init__(self, config: Config, tokenizer: Tokenizer, net: nn.Module) -> None:
        super().__init__(config, tokenizer, net)
        self.context = config.context

    @property
    def depth(self) -> int:
        return self.config.layers

    @property
    def tower(self) -> Tower:
        return self.net.tower

    def read_out(self, x_BTD: Tensor) -> Tensor:
        return self.net.read_out(x_BTD)

    def output(self) -> tuple[Tensor, Tensor] | None:
        if self.net.cap:
            return None
        part = self.net.output
        weight = self.net.embed.weight if part is None else part.weight
        bias = None if part is None else part.bias
        return weight, torch.zeros(len(weight)) if bias is None else bias

    @classmethod
    def build(cls, config: Config, v: int) -> nn.Module:
        return Net(v, config)

    @classmethod
    def from_weights(cls, config: Config, weights: Weights) -> Self:
        return super().from_weights(
            config, {_renamed(name): values for name, values in weights.items()}
        )

    def spec(self) -> tuple[FieldSpec, ...]:
        first = self.config.norm_first
        norms = self.config.read_norm or not first
        return (*promises(last_norm=first, norms=norms), LOGITS, PROBABILITY)


def _renamed(name: str) -> str:
    """The name that a number of a run from before the tower has now."""
    if name.startswith("place."):
        return name.replace("place.", "tower.position.table.")
    if name.startswith(("blocks.", "norm.")):
        return "tower." + name.replace("feed_forward.0.", "feed_forward.up.").replace(
            "feed_forward.2.", "feed_forward.down."
        )
    return name


MODEL = Transformer
