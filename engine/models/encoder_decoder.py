"""Encoder-decoder Transformer: one tower reads a text, another writes its translation and looks at
what the first one made of it.

What      source -> encoder (every token sees all) -> m; target so far -> decoder (causal) with
          cross-attention to m -> softmax cross-attention: q from the decoder, k and v from m; A =
          softmax(q k^T / sqrt(K)), target x source
Source    Vaswani et al., Attention Is All You Need, 2017; one vocabulary for both and tied
          embeddings: sec. 3.4;
          the settings also make the T5 of Raffel et al., 2020
Shapes    B = batch, S = source tokens, T = target tokens, D = width, V = vocabulary
Differs   Norm first by default, as in T5; off, it is the model of 2017.  How a text is read:
          engine/models/translating.py
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import final

from torch import Tensor, nn

from engine.core.registry import positions, tokenizers
from engine.core.tap import Tap, passthrough
from engine.core.trace import FieldSpec
from engine.models.base import Card
from engine.models.neural import LOGITS, PROBABILITY
from engine.models.translating import TranslatingModel, TranslatingNet, growing
from engine.nn.attention import Naming
from engine.nn.block import Design
from engine.nn.plan import MIXED, Training
from engine.nn.transformer import Tower, promises
from engine.text.tokenizers.base import Tokenizer

READS = Naming("encoder.", token="source", query="source", key="seen", other="source")


@dataclass(frozen=True, slots=True)
class Config(Training):
    width: int = field(
        default=128, metadata={"min": 8, "max": 16_384, "says": "size of a token's vector"}
    )
    heads: int = field(
        default=4,
        metadata={"min": 1, "max": 128, "says": "heads of each attention"},
    )
    layers: int = field(
        default=2,
        metadata={
            "min": 1,
            "max": 128,
            "says": "layers of the encoder, and of the decoder",
        },
    )
    context: int = field(
        default=128, metadata={"min": 2, "max": 131_072, "says": "most tokens on each side"}
    )
    position: str = field(
        default="sinusoidal",
        metadata={"says": f"how positions are encoded: {', '.join(positions.ids())}"},
    )
    norm: str = field(default="layer", metadata={"says": "normalisation: layer or rms"})
    norm_first: bool = field(
        default=True, metadata={"says": "normalise before each part; off: after it, as in 2017"}
    )
    activation: str = field(
        default="relu",
        metadata={
            "says": (
                "activation of the feed-forward part: relu, gelu, gelu_tanh, silu, swiglu, geglu"
            )
        },
    )
    inner: int = field(
        default=0,
        metadata={
            "min": 0,
            "max": 65_536,
            "says": "inner width of the feed-forward part; 0: four times the width",
        },
    )
    head_width: int = field(
        default=0, metadata={"min": 0, "max": 1024, "says": "size of one head; 0: width / heads"}
    )
    bias: bool = field(default=True, metadata={"says": "add bias terms"})
    scaled: bool = field(
        default=True,
        metadata={"says": "divide scores by the square root of the head's width; off in T5"},
    )
    tied: bool = field(
        default=True, metadata={"says": "share the embeddings with the output layer"}
    )
    gain: float = field(
        default=1.0,
        metadata={
            "min": 0.01,
            "max": 1000.0,
            "says": "factor on the embeddings before positions are added",
        },
    )
    output_scaled: bool = field(
        default=False,
        metadata={"says": "divide the output by the square root of the width, as in T5"},
    )
    epsilon: float = field(
        default=1e-5,
        metadata={
            "min": 1e-12,
            "max": 1e-2,
            "says": "small constant that keeps a norm from dividing by 0",
        },
    )
    dropout: float = field(
        default=0.0,
        metadata={"min": 0.0, "max": 0.7, "says": "dropout: share of numbers set to 0 in training"},
    )
    tokenizer: str = field(
        default="words",
        metadata={"says": f"how the text is cut: {', '.join(tokenizers.ids())}"},
    )
    vocabulary: int = field(
        default=4096,
        metadata={
            "min": 16,
            "max": 300_000,
            "says": "largest vocabulary, both languages together",
        },
    )
    steps: int = field(default=3000, metadata={"min": 1, "max": 500_000, "says": "training steps"})
    batch: int = field(default=64, metadata={"min": 1, "max": 4096, "says": "pairs per step"})
    span: int = field(
        default=64,
        metadata={
            "min": 2,
            "max": 8192,
            "says": "most tokens on each side of a pair in training",
        },
    )
    rate: float = field(
        default=1e-3, metadata={"min": 1e-5, "max": 1e-1, "says": "highest learning rate"}
    )
    mixed: bool = field(default=False, metadata={"says": MIXED, "group": "training"})

    def __post_init__(self) -> None:
        Training.__post_init__(self)
        if self.span > self.context:
            raise ValueError(
                f"span {self.span} is longer than context {self.context}; a pair can't be longer"
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
            context=self.context,
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
        self.output = None if c.tied else nn.Linear(c.width, v, bias=False)
        self.dropout = nn.Dropout(c.dropout)
        self.gain = c.gain
        self.shrunk = c.width**-0.5 if c.output_scaled else 1.0
        wide = self.encoder.position.gain
        for tower in (self.encoder, self.decoder):
            tower.start()
        for part in (self.embed, self.output):
            if part is not None:
                nn.init.normal_(part.weight, std=0.02 if wide == 1 else 1 / wide)

    def read(
        self, source_BS: Tensor, tap: Tap = passthrough, real_BS: Tensor | None = None
    ) -> Tensor:
        """What the encoder makes of the source (B, S, D)."""
        x_BSD = self.dropout(self.encoder.placed(self.embed(source_BS) * self.gain, tap))
        found: Tensor = self.encoder(x_BSD, tap, real_BT=real_BS)
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
        x_BTD = self.dropout(self.decoder.placed(self.embed(target_BT) * self.gain, tap))
        x_BTD = self.decoder(x_BTD, tap, source_BSD=source_BSD, real_BS=real_BS) * self.shrunk
        logit_BTV = x_BTD @ self.embed.weight.T if self.output is None else self.output(x_BTD)
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

    def spec(self) -> tuple[FieldSpec, ...]:
        last = self.config.norm_first
        return (
            *promises(READS, last_norm=last, mask=False, causal=False),
            *promises(last_norm=last, cross=True, causal=False),
            *growing((LOGITS, PROBABILITY)),
        )


MODEL = EncoderDecoder
