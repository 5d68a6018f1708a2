"""Encoder-decoder Transformer: one tower reads a text, another writes its translation and looks at
what the first one made of it.

What      source -> encoder (every token sees all) -> m; target so far -> decoder (causal) with
          cross-attention to m -> softmax cross-attention: q from the decoder, k and v from m; A =
          softmax(q k^T / sqrt(K)), target x source
Source    Vaswani et al., Attention Is All You Need, 2017; one vocabulary for both and tied
          embeddings: sec. 3.4;
          the settings also make the T5 of Raffel et al., 2020, and the BART of Lewis et al., 2020
Shapes    B = batch, S = source tokens, T = target tokens, D = width, V = vocabulary
Differs   Norm first by default, as in T5; off, it is the model of 2017.  How a text is read:
          engine/models/translating.py
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import final

import torch
from torch import Tensor, nn

from engine.core.cache import once
from engine.core.registry import positions, tokenizers
from engine.core.setting import setting
from engine.core.tap import Tap, passthrough
from engine.core.trace import FieldSpec
from engine.language.message import _, refusal
from engine.models.base import Card
from engine.models.neural import LOGITS, PROBABILITY
from engine.models.translating import TranslatingModel, TranslatingNet, growing
from engine.nn.attention import Naming
from engine.nn.block import Design
from engine.nn.norm import norm
from engine.nn.packed import Linear, product
from engine.nn.plan import MIXED, Training
from engine.nn.transformer import Tower, promises
from engine.text.tokenizers.base import Tokenizer

READS = Naming("encoder.", token="source", query="source", key="seen", other="source")


@dataclass(frozen=True, slots=True)
class Config(Training):
    width: int = setting(128, "size of a token's vector", min=8, max=16_384)
    heads: int = setting(4, "heads of each attention", min=1, max=128)
    layers: int = setting(2, "layers of the encoder, and of the decoder", min=1, max=128)
    context: int = setting(128, "most tokens on each side", min=2, max=131_072)
    position: str = setting(
        "sinusoidal", _("how positions are encoded: {ids}", ids=", ".join(positions.ids()))
    )
    norm: str = setting("layer", "normalisation: layer or rms")
    norm_first: bool = setting(True, "normalise before each part; off: after it, as in 2017")
    activation: str = setting(
        "relu", "activation of the feed-forward part: relu, gelu, gelu_tanh, silu, swiglu, geglu"
    )
    inner: int = setting(
        0, "inner width of the feed-forward part; 0: four times the width", min=0, max=65_536
    )
    head_width: int = setting(0, "size of one head; 0: width / heads", min=0, max=1024)
    bias: bool = setting(True, "add bias terms")
    scaled: bool = setting(True, "divide scores by the square root of the head's width; off in T5")
    tied: bool = setting(True, "share the embeddings with the output layer")
    gain: float = setting(
        1.0, "factor on the embeddings before positions are added", min=0.01, max=1000.0
    )
    embedding_norm: bool = setting(
        False, "normalise embeddings with their positions, as in BART", later=True
    )
    filling: int = setting(
        -1,
        "number of the filling, which has no place, as in NLLB; -1: every token has one",
        min=-1,
        max=300_000,
        later=True,
    )
    output_bias: bool = setting(False, "add a bias to each logit", later=True)
    output_scaled: bool = setting(
        False, "divide the output by the square root of the width, as in T5"
    )
    epsilon: float = setting(
        1e-5, "small constant that keeps a norm from dividing by 0", min=1e-12, max=1e-2
    )
    dropout: float = setting(
        0.0, "dropout: share of numbers set to 0 in training", min=0.0, max=0.7
    )
    tokenizer: str = setting(
        "words", _("how the text is cut: {ids}", ids=", ".join(tokenizers.ids()))
    )
    vocabulary: int = setting(
        4096, "largest vocabulary, both languages together", min=16, max=300_000
    )
    steps: int = setting(3000, "training steps", min=1, max=500_000)
    batch: int = setting(64, "pairs per step", min=1, max=4096)
    span: int = setting(64, "most tokens on each side of a pair in training", min=2, max=8192)
    rate: float = setting(1e-3, "highest learning rate", min=1e-5, max=1e-1)
    mixed: bool = setting(False, MIXED, group="training")

    def __post_init__(self) -> None:
        Training.__post_init__(self)
        if self.span > self.context:
            raise refusal(
                "span {self.span} is longer than context {self.context}; a pair can't be longer"
                " than the model sees"
            )
        self.design()

    def design(self) -> Design:
        """What the blocks of the decoder are made of.  ValueError where that does not fit
        together."""
        return Design(
            width=self.width,
            heads=self.heads,
            layers=self.layers,
            context=self.context + (self.filling >= 0),
            inner=self.inner,
            dim=self.head_width,
            first=self.norm_first,
            norm=self.norm,
            epsilon=self.epsilon,
            activation=self.activation,
            position=self.position,
            bias=self.bias,
            scaled=self.scaled,
            dropout=self.dropout,
            cross=True,
        )


class Net(TranslatingNet):
    def __init__(self, v: int, c: Config) -> None:
        super().__init__()
        decoder = c.design()
        self.embed = nn.Embedding(v, c.width)
        self.encoder, self.decoder = (
            Tower(replace(decoder, causal=False, cross=False, naming=READS)),
            Tower(decoder),
        )
        self.encoder_norm, self.decoder_norm = (
            norm(c.norm, c.width, c.epsilon) if c.embedding_norm else None for _half in range(2)
        )
        self.output = None if c.tied else Linear(c.width, v, bias=False)
        self.output_bias = nn.Parameter(torch.zeros(v)) if c.output_bias else None
        self.dropout = nn.Dropout(c.dropout)
        self.gain, self.filling = c.gain, c.filling
        self.shrunk = c.width**-0.5 if c.output_scaled else 1.0
        wide = self.encoder.position.gain
        for tower in (self.encoder, self.decoder):
            tower.start()
        for part in (self.embed, self.output):
            if part is not None:
                nn.init.normal_(part.weight, std=0.02 if wide == 1 else 1 / wide)

    def placed(self, tower: Tower, ids_BT: Tensor, tap: Tap) -> Tensor:
        """Embeddings with their places (B, T, D), which are counted from 1 on where a filling has the
        first."""
        x_BTD, place_BT = self.embed(ids_BT) * self.gain, None
        if self.filling >= 0:
            real_BT = (ids_BT != self.filling).long()
            place_BT = real_BT.cumsum(1) * real_BT
        return tower.placed(x_BTD, tap, place_BT=place_BT)

    def read(
        self, source_BS: Tensor, tap: Tap = passthrough, real_BS: Tensor | None = None
    ) -> Tensor:
        """What the encoder makes of the source (B, S, D)."""
        x_BSD = self.placed(self.encoder, source_BS, tap)
        x_BSD = x_BSD if self.encoder_norm is None else self.encoder_norm(x_BSD)
        found: Tensor = self.encoder(self.dropout(x_BSD), tap, real_BT=real_BS)
        return found

    def write(
        self,
        target_BT: Tensor,
        source_BSD: Tensor,
        tap: Tap = passthrough,
        real_BS: Tensor | None = None,
    ) -> Tensor:
        """Logits (B, T, V) of what follows each target token.  Filling at the end needs no mask:
        nothing before it looks there."""
        x_BTD = self.placed(self.decoder, target_BT, tap)
        x_BTD = self.dropout(x_BTD if self.decoder_norm is None else self.decoder_norm(x_BTD))
        x_BTD = self.decoder(x_BTD, tap, source_BSD=source_BSD, real_BS=real_BS) * self.shrunk
        logit_BTV = product(x_BTD, self.embed.weight) if self.output is None else self.output(x_BTD)
        logit_BTV = logit_BTV if self.output_bias is None else logit_BTV + self.output_bias
        found: Tensor = tap("logits", logit_BTV, ("batch", "token", "next"))
        return found


@final
class EncoderDecoder(TranslatingModel[Config]):
    card = Card(
        "encoder_decoder",
        "Encoder-decoder Transformer",
        2017,
        "Vaswani et al., Attention Is All You Need, NeurIPS 2017",
    )
    config_type = Config

    def __init__(self, config: Config, tokenizer: Tokenizer, net: nn.Module) -> None:
        super().__init__(config, tokenizer, net)
        assert isinstance(net, Net)
        self.context = config.context

    @classmethod
    def build(cls, config: Config, v: int) -> nn.Module:
        return Net(v, config)

    @once
    def spec(self) -> tuple[FieldSpec, ...]:
        last = self.config.norm_first
        return (
            *promises(READS, last_norm=last, mask=False, causal=False),
            *promises(last_norm=last, cross=True, causal=False),
            *growing((LOGITS, PROBABILITY)),
        )


MODEL = EncoderDecoder
