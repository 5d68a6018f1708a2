"""Encoder: a tower in which every token looks at all others, and the two questions it is trained
with.

What      x = norm(token + place + segment), times a matrix where the embeddings are narrower than
          the layers; then blocks with the norm after each part; a masked word:
          softmax(E norm(gelu(W x)) + b); does the second sentence follow the first: softmax(W'
          tanh(W'' x_[CLS]))
Source    Devlin, Chang, Lee & Toutanova, BERT, 2019, sec. 3.1 and A.2
Shapes    B = batch, T = tokens, V = vocabulary, D = width
Differs   A matrix begins with a spread of 1 / sqrt(inputs), for 0.02 is made for a width of 768;
          the vectors of the places begin as sinusoids and are learned from there.
"""

from __future__ import annotations

from contextlib import nullcontext
from typing import Protocol

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel

from engine.core.tap import Tap, passthrough
from engine.nn.block import Design
from engine.nn.feed_forward import ACTIVATIONS, GATED
from engine.nn.norm import norm
from engine.nn.packed import product
from engine.nn.positions.sinusoidal import waves
from engine.nn.transformer import Tower

SPREAD = 0.02


class EncoderConfig(Protocol):
    """What the net reads from a config; read-only, as configs are frozen."""

    @property
    def width(self) -> int: ...
    @property
    def heads(self) -> int: ...
    @property
    def layers(self) -> int: ...
    @property
    def context(self) -> int: ...
    @property
    def inner(self) -> int: ...
    @property
    def activation(self) -> str: ...
    @property
    def segments(self) -> int: ...
    @property
    def offset(self) -> int: ...
    @property
    def masked(self) -> bool: ...
    @property
    def pairs(self) -> bool: ...
    @property
    def epsilon(self) -> float: ...
    @property
    def embedding_width(self) -> int: ...
    @property
    def shared(self) -> int: ...
    @property
    def detects(self) -> bool: ...
    @property
    def dropout(self) -> float: ...
    @property
    def position(self) -> str: ...
    @property
    def norm_first(self) -> bool: ...
    @property
    def bias(self) -> bool: ...
    @property
    def base(self) -> float: ...
    @property
    def near_base(self) -> float: ...
    @property
    def sliding_window(self) -> int: ...
    @property
    def full_every(self) -> int: ...
    @property
    def distances(self) -> int: ...
    @property
    def farthest(self) -> int: ...


def design(c: EncoderConfig) -> Design:
    """What the blocks are made of.  ValueError where that does not fit together."""
    return Design(
        width=c.width,
        heads=c.heads,
        layers=c.layers,
        context=c.context + c.offset,
        inner=c.inner,
        first=c.norm_first,
        bare=c.norm_first,
        bias=c.bias,
        position=c.position,
        base=c.base,
        near_base=c.near_base,
        window=c.sliding_window,
        full_every=c.full_every,
        full_first=True,
        distances=c.distances,
        farthest=c.farthest,
        epsilon=c.epsilon,
        activation=c.activation,
        causal=False,
        dropout=c.dropout,
        shared=c.shared,
        embedding=c.embedding_width,
    )


class Guess(nn.Module):
    """From a place's vector to one number per word of the vocabulary, through the embeddings once
    more."""

    def __init__(self, v: int, c: EncoderConfig) -> None:
        super().__init__()
        e = c.embedding_width or c.width
        self.dense, self.norm = nn.Linear(c.width, e), norm("layer", e, c.epsilon)
        bend = ACTIVATIONS[GATED.get(c.activation, c.activation)]
        self.bias, self.bend = nn.Parameter(torch.zeros(v)), bend

    def forward(self, x_BD: Tensor, embed_VD: Tensor) -> Tensor:
        return product(self.norm(self.bend(self.dense(x_BD))), embed_VD, self.bias)


class Detect(nn.Module):
    """From a place's vector to one number: how likely its word was put there by another model, as
    log odds (Clark et al., ELECTRA, 2020, eq. 2)."""

    def __init__(self, c: EncoderConfig) -> None:
        super().__init__()
        self.dense, self.out = nn.Linear(c.width, c.width), nn.Linear(c.width, 1)
        self.bend = ACTIVATIONS[GATED.get(c.activation, c.activation)]

    def forward(self, x_BTD: Tensor) -> Tensor:
        odds_BT: Tensor = self.out(self.bend(self.dense(x_BTD)))[..., 0]
        return odds_BT


class Net(nn.Module):
    def __init__(self, v: int, c: EncoderConfig, end: int) -> None:
        """end  the id of the mark behind each sentence."""
        super().__init__()
        self.offset, self.end = c.offset, end
        e = c.embedding_width or c.width
        self.embed = nn.Embedding(v, e)
        self.segment = nn.Embedding(c.segments, e) if c.segments else None
        self.norm, self.dropout = norm("layer", e, c.epsilon), nn.Dropout(c.dropout)
        self.enter = nn.Linear(e, c.width) if c.embedding_width else None
        self.tower = Tower(design(c))
        self.guess = Guess(v, c) if c.masked else None
        self.detect = Detect(c) if c.detects else None
        self.pool = nn.Linear(c.width, c.width) if c.pairs else None
        self.pair = nn.Linear(c.width, 2) if c.pairs else None
        self.start()

    @property
    def tied(self) -> tuple[str, ...]:
        """Names of embeddings that guess words as well."""
        return ("embed.weight",) if self.guess is not None else ()

    @torch.no_grad()
    def start(self) -> None:
        """Weights before training."""
        for name, p in self.named_parameters():
            if p.dim() == 2:
                vectors = name.startswith(("embed", "segment"))
                nn.init.normal_(p, std=SPREAD if vectors else p.shape[1] ** -0.5)
        table = dict(self.tower.position.named_parameters()).get("table.weight")
        # an empty table may be of any size that a config.json asks for
        if table is not None and not table.is_meta:
            table.copy_(SPREAD * 2**0.5 * waves(torch.arange(len(table)), table.shape[1]))

    def forward(self, ids_BT: Tensor, tap: Tap = passthrough) -> Tensor:
        """What each place holds after all blocks (B, T, D)."""
        place_BT = self.places(ids_BT) if self.offset else None
        x_BTD = self.tower.placed(self.embed(ids_BT), tap, place_BT=place_BT)
        if self.segment is not None:
            closed_BT = (ids_BT == self.end).cumsum(1) - (ids_BT == self.end).long()
            x_BTD = x_BTD + tap(
                "embedding.segment",
                self.segment(closed_BT.clamp(max=self.segment.num_embeddings - 1)),
                ("batch", "token", "unit"),
            )
        # torch's fused attention takes longer to go back through than the plain one, for texts of
        # this length
        with sdpa_kernel(SDPBackend.MATH) if self.training else nullcontext():
            x_BTD = self.dropout(self.norm(x_BTD))
            found: Tensor = self.tower(x_BTD if self.enter is None else self.enter(x_BTD), tap)
        return found

    def places(self, ids_BT: Tensor) -> Tensor:
        """The number of each token (B, T), from `offset` on.  The number before is that of filling,
        which is not counted, and is its id too."""
        real_BT = (ids_BT != self.offset - 1).long()
        found: Tensor = real_BT.cumsum(1) * real_BT + self.offset - 1
        return found

    def fill(self, x_BTD: Tensor) -> Tensor:
        """Logits (.., V) of the words that may stand at places (.., D)."""
        assert self.guess is not None
        found: Tensor = self.guess(x_BTD, self.embed.weight)
        return found

    def replaced(self, x_BTD: Tensor) -> Tensor:
        """Probability (B, T, 2) that the word of a place is the original one, and that it was
        replaced."""
        assert self.detect is not None
        p_BT = self.detect(x_BTD).float().sigmoid()
        return torch.stack((1 - p_BT, p_BT), -1)

    def follows(self, x_BTD: Tensor) -> Tensor:
        """Logits (B, 2): the second sentence follows, it does not."""
        assert self.pool is not None and self.pair is not None
        found: Tensor = self.pair(self.pool(x_BTD[:, 0]).tanh())
        return found

    def loss(
        self,
        x_BTD: Tensor,
        y_BT: Tensor,
        whole_BT: Tensor | None = None,
        place_N: Tensor | None = None,
        smoothing: float = 0.0,
    ) -> Tensor:
        """Nats of the words to be guessed, and of the pairs, whose answer is the target of the
        first place.

        whole_BT  the targets of the whole batch where these are a part of it: it says by how many
                  the sum is divided
        place_N   `places` of the targets, where they are known already
        """
        whole_BT = y_BT if whole_BT is None else whole_BT
        place_N = places(y_BT) if place_N is None else place_N
        nats = F.cross_entropy(
            self.fill(x_BTD.flatten(0, 1)[place_N]).float(),
            y_BT.flatten()[place_N],
            label_smoothing=smoothing,
            reduction="sum",
        )
        loss = nats / (whole_BT[:, 1:] >= 0).sum().clamp(min=1)
        if self.pair is not None:
            nats = F.cross_entropy(self.follows(x_BTD).float(), y_BT[:, 0], reduction="sum")
            loss = loss + nats / (whole_BT[:, 0] >= 0).sum().clamp(min=1)
        return loss


def places(y_BT: Tensor) -> Tensor:
    """Where words are to be guessed (N,), all places of all rows counted through; the first of a
    row is never one."""
    chosen_BT = y_BT >= 0
    chosen_BT[:, 0] = False
    found: Tensor = chosen_BT.flatten().nonzero()[:, 0]
    return found
