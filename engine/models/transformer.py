"""Decoder-only Transformer: every token looks back at all tokens before it, through several heads at once.

What      x = embed + place; blocks of attention and feed-forward; logits = norm(x) E^T
Source    Vaswani et al., Attention Is All You Need, 2017; decoder only: Radford et al., 2018; tied output: Press & Wolf, 2017
Shapes    B = batch, T = tokens, V = vocabulary, D = width, N = heads, K = width of a head
Differs   Norm before each part (pre-norm), learned places, output tied to the embedding.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import final

import torch
from torch import Tensor, nn

from engine.models.base import Card
from engine.models.neural import PROBABILITY, NeuralLanguageModel
from engine.nn.block import Block
from engine.tap import Tap, passthrough
from engine.text.base import Tokenizer
from engine.trace import FieldSpec, Kind


@dataclass(frozen=True, slots=True)
class Config:
    width: int = field(default=256, metadata={"min": 8, "max": 1024, "says": "numbers that stand for one token"})
    heads: int = field(default=8, metadata={"min": 1, "max": 32, "says": "places each layer can look at at once"})
    layers: int = field(default=4, metadata={"min": 1, "max": 24, "says": "blocks on top of each other"})
    context: int = field(default=256, metadata={"min": 2, "max": 2048, "says": "the most tokens it can look back over"})
    dropout: float = field(default=0.0, metadata={"min": 0.0, "max": 0.7, "says": "share of numbers silenced in training"})
    tokenizer: str = field(default="bpe", metadata={"says": "how the text is cut: bpe, chars, words, whitespace"})
    vocabulary: int = field(default=4096, metadata={"min": 16, "max": 50_000, "says": "the most tokens to know"})
    steps: int = field(default=2000, metadata={"min": 1, "max": 500_000, "says": "training steps"})
    batch: int = field(default=16, metadata={"min": 1, "max": 512, "says": "windows in one step"})
    span: int = field(default=128, metadata={"min": 2, "max": 2048, "says": "tokens in one window, at most `context`"})
    rate: float = field(default=1e-3, metadata={"min": 1e-5, "max": 1e-1, "says": "learning rate at its highest"})
    mixed: bool = field(default=False, metadata={"says": "train with products in bfloat16: faster on newer processors"})

    def __post_init__(self) -> None:
        if self.width % self.heads:
            raise ValueError(f"width {self.width} can't be shared out among {self.heads} heads; take a multiple of {self.heads}")
        if self.span > self.context:
            raise ValueError(f"span {self.span} is longer than context {self.context}; a window can't be longer than the model sees")


class Net(nn.Module):
    def __init__(self, v: int, c: Config) -> None:
        super().__init__()
        self.embed, self.place = nn.Embedding(v, c.width), nn.Embedding(c.context, c.width)
        self.blocks = nn.ModuleList(Block(c.width, c.heads, c.dropout) for _ in range(c.layers))
        self.norm = nn.LayerNorm(c.width)
        self.dropout = nn.Dropout(c.dropout)
        for name, p in self.named_parameters():
            if p.dim() == 2:  # residual branches start small, so that depth does not blow up the sum
                deep = name.endswith(("out.weight", "feed_forward.2.weight"))
                nn.init.normal_(p, std=0.02 / (2 * c.layers) ** 0.5 if deep else 0.02)

    def forward(self, ids_BT: Tensor, tap: Tap = passthrough, state: dict[str, Tensor] | None = None) -> Tensor:
        """Logits (B, T, V).  `state`: key and value (layer, head, token, dim) of the tokens before these."""
        begin = state["key"].shape[2] if state else 0
        place_T = torch.arange(begin, begin + ids_BT.shape[1], device=ids_BT.device)
        x_BTD = self.dropout(self.embed(ids_BT) + self.place(place_T))
        for i, block in enumerate(self.blocks):
            past = (state["key"][None, i], state["value"][None, i]) if state else None
            x_BTD = block(x_BTD, tap.at(layer=i), past)
        return self.norm(x_BTD) @ self.embed.weight.T


@final
class Transformer(NeuralLanguageModel[Config]):
    card = Card("transformer", "Transformer", 2017, "Vaswani et al., Attention Is All You Need, NeurIPS 2017", True)
    config_type = Config
    carries = ("key", "value")

    def __init__(self, config: Config, tokenizer: Tokenizer, net: nn.Module) -> None:
        super().__init__(config, tokenizer, net)
        self.context = config.context

    @classmethod
    def build(cls, config: Config, v: int) -> nn.Module:
        return Net(v, config)

    def spec(self) -> tuple[FieldSpec, ...]:
        pair, part = ("layer", "head", "query", "key"), ("layer", "head", "token", "dim")
        return (
            FieldSpec("query", Kind.STATE, part, "What each token asks for.", "q"),
            FieldSpec("key", Kind.STATE, part, "What each token offers to be found by.", "k"),
            FieldSpec("value", Kind.STATE, part, "What each token hands over when it is looked at.", "v"),
            FieldSpec("score", Kind.SCORE, pair, "How well question and offer match, before softmax.", "s"),
            FieldSpec("attention", Kind.ATTENTION, pair, "How much of each token's reading comes from where.", "A"),
            FieldSpec("residual", Kind.STATE, ("layer", "token", "unit"), "What each token's place holds after the layer.", "x"),
            PROBABILITY,
        )


MODEL = Transformer
