"""Transformer block: attend, then think, each on top of what was there.

What      norm first:  x = x + attention(norm(x));  x = x + feed_forward(norm(x))
          norm after:  x = norm(x + attention(x));  x = norm(x + feed_forward(x))
          parallel:    x = x + attention(norm(x)) + feed_forward(norm'(x))
          added:       x = x + norm'(attention(norm(x))), and so with the other part
          a decoder that reads another text has cross-attention to it between the two
Source    Vaswani et al. 2017, sec. 3.1 (norm after); Xiong et al., On Layer Normalization in the
          Transformer, 2020 (norm first); Black et al., GPT-NeoX-20B, 2022, sec. 2.1
          (parallel); Gemma Team, Gemma 2, 2024, sec. 2 (added)
Shapes    B = batch, T = tokens, S = tokens of the other text, D = width
Differs   Nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor, nn

from engine.core.registry import positions
from engine.core.tap import Tap, passthrough
from engine.language.message import refusal
from engine.nn.attention import PLAIN, Attention, Naming, Past, Sight
from engine.nn.distances import TERMS
from engine.nn.feed_forward import ACTIVATIONS, GATED, FeedForward
from engine.nn.norm import norm, normed, unnormed
from engine.nn.positions.scaling import Scaling


@dataclass(frozen=True, slots=True)
class Design:
    """What the blocks of one tower are made of.  `inner`, `groups`, `dim` 0: four widths, as many
    as heads, width / heads."""

    width: int
    heads: int
    layers: int
    context: int = 0
    inner: int = 0
    groups: int = 0
    dim: int = 0
    first: bool = True  # the norm before each part, not after it
    norm: str = "layer"
    epsilon: float = 1e-5
    activation: str = "gelu"
    position: str = "learned"
    base: float = 10_000.0
    turned: float = 1.0  # share of a head's numbers that rope turns
    scaling: str = ""  # how rope is slowed down, see engine/nn/positions/scaling.py
    kernel: str = "softmax"
    window: int = 0
    full_every: int = 0  # every so many layers one has no window; 0: all have it
    full_first: bool = False  # these are counted from the first layer on, not from that number
    near_base: float = 0.0  # base of rope in layers with a window; 0: that of the others
    distances: int = 0  # to each side, with a vector each that queries and keys meet; 0: none
    farthest: int = 0  # what the last of them stands for, where they are shared out
    unplaced: int = 0  # every so many layers one turns nothing; 0: all turn
    causal: bool = True
    cross: bool = False
    bias: bool = True
    scaled: bool = True
    query_norm: bool = False  # a norm over each query and each key
    cap: float = 0.0  # what no score of attention exceeds; 0: any score
    whole_norm: bool = False  # that norm over the queries of all heads together, and over all keys
    read_norm: bool = True  # a norm over what each part reads, where norms are first
    bare: bool = False  # the first of them is left out: the stream begins normalised
    added_norm: bool = False  # a norm over what each part adds
    parallel: bool = False  # both parts read what the block was given
    gain: bool = False  # embeddings times the root of the width
    shared: int = (
        0  # blocks with weights of their own, which the layers share; 0: as many as layers
    )
    embedding: int = 0  # the width of embeddings and places; 0: that of the layers
    dropout: float = 0.0
    naming: Naming = PLAIN

    def __post_init__(self) -> None:
        """ValueError with a sentence for whoever chose it."""
        if self.width % self.heads and not self.dim:
            raise refusal(
                "width {self.width} can't be shared out among {self.heads} heads; take a multiple"
                " of {self.heads}"
            )
        if not 0 <= self.shared <= self.layers:
            raise refusal(
                "{self.layers} layers can't share {self.shared} of their weights; take at most"
                " {self.layers}"
            )
        if self.groups and self.heads % self.groups:
            raise refusal(
                "{self.heads} heads can't be shared out among {self.groups} groups; take a divisor"
                " of {self.heads}"
            )
        choices = {
            "position": positions.ids(),
            "norm": ["layer", "rms"],
            "activation": [*ACTIVATIONS, *GATED],
            "kernel": ["softmax", "linear"],
        }
        for name, known in choices.items():
            if getattr(self, name) not in known:
                raise refusal("no {name} {found!r}; there are {known}", found=getattr(self, name))
        position = positions.get(self.position)
        if self.kernel == "linear" and position.biases():
            raise refusal(
                "linear attention has no scores to add a bias to, and {self.position} is one; take"
                " sinusoidal, learned or none"
            )
        if position.rotates() and self.turns % 2:
            raise refusal(
                "{self.position} turns pairs of numbers: the width of a head has to be even"
            )
        Scaling.read(self.scaling)
        if (self.scaling or self.turned != 1) and not position.rotates():
            raise refusal("{self.position} turns nothing; only rope can be scaled or shortened")
        if (self.near_base or self.unplaced) and not position.rotates():
            raise refusal(
                "{self.position} turns nothing; only with rope can layers differ in what they turn"
            )
        if (self.full_every or self.near_base) and not self.window:
            raise ValueError("no layer has a window; choose one with sliding_window")
        if self.parallel and not self.first:
            raise ValueError("parts in parallel have their norms before them; leave norm_first on")
        if (self.added_norm or not self.read_norm) and not self.first:
            raise ValueError("what parts add is normalised before it is added; leave norm_first on")
        if self.bare and (not self.read_norm or not self.first or self.shared):
            raise ValueError("no norm of the first layer can be left out; leave norm_first on")
        if self.cap and self.kernel == "linear":
            raise ValueError("linear attention has no scores to cap; leave score_cap at 0")
        if self.whole_norm and not self.query_norm:
            raise ValueError(
                "a norm over all heads together is one of queries; switch query_norm on"
            )

    @property
    def head(self) -> int:
        """The width of one head."""
        return self.dim or self.width // self.heads

    def windowed(self, layer: int) -> bool:
        """Whether this layer looks back through the window only."""
        n = layer if self.full_first else layer + 1
        return bool(self.window) and (not self.full_every or n % self.full_every != 0)

    def turned_in(self, layer: int) -> bool:
        """Whether this layer turns queries and keys, where any does."""
        return (layer + 1) % (self.unplaced or layer + 2) != 0

    @property
    def turns(self) -> int:
        """How many numbers of a head rope turns."""
        return int(self.head * self.turned)


Norm = nn.LayerNorm | nn.RMSNorm


class Block(nn.Module):
    def __init__(self, design: Design, layer: int = 1) -> None:
        super().__init__()
        d = design
        self.first, self.parallel, self.naming = d.first, d.parallel, d.naming
        reads = d.read_norm or not d.first

        def attention(naming: Naming, cross: bool = False) -> Attention:
            return Attention(
                d.width,
                d.heads,
                groups=d.groups,
                dim=d.dim,
                bias=d.bias,
                scaled=d.scaled,
                naming=naming,
                cross=cross,
                kernel="softmax" if cross else d.kernel,
                norm=d.epsilon if d.query_norm and not cross else 0.0,
                whole=d.whole_norm,
                cap=0.0 if cross else d.cap,
                terms=TERMS if d.distances and not cross else 1,
            )

        self.bare = d.bare and layer == 0
        self.norm_1, self.norm_2 = (
            norm(d.norm, d.width, d.epsilon) if reads and not bare else None
            for bare in (self.bare, False)
        )
        self.added_1, self.added_2 = (
            norm(d.norm, d.width, d.epsilon) if d.added_norm else None for _ in range(2)
        )
        self.attention = attention(d.naming)
        self.norm_cross = norm(d.norm, d.width, d.epsilon) if d.cross else None
        self.cross = (
            attention(Naming("cross.", "token", "query", "source", "source"), True)
            if d.cross
            else None
        )
        self.feed_forward = FeedForward(d.width, d.inner or 4 * d.width, d.activation, d.bias)
        self.dropout = nn.Dropout(d.dropout)

    def forward(
        self,
        x_BTD: Tensor,
        sight: Sight,
        tap: Tap = passthrough,
        past: Past | None = None,
        source_BSD: Tensor | None = None,
        across: Sight | None = None,
    ) -> Tensor:
        """What each place holds after the block (B, T, D).  `past`: as in `Attention.forward`;
        `across`: sight of the other text."""
        prefix, axis = self.naming.prefix, self.naming.token
        axes = ("batch", axis, "unit")
        x_BTD = given_BTD = tap(f"{prefix}residual.before", x_BTD, axes)

        y_BTD = self._before(self.norm_1, x_BTD, tap, "attention.norm")
        y_BTD = self.attention(y_BTD, sight, tap, past)
        y_BTD = y_BTD if self.added_1 is None else self.added_1(y_BTD)
        y_BTD = tap(f"{prefix}attention.output", self.dropout(y_BTD), axes)
        x_BTD = tap(
            f"{prefix}residual.middle",
            self._after(
                self.norm_1, self._kept(x_BTD, tap, "attention.skip") + y_BTD, tap, "attention.norm"
            ),
            axes,
        )

        if self.cross is not None and self.norm_cross is not None:
            assert across is not None
            y_BTD = self._before(self.norm_cross, x_BTD, tap, "cross.norm")
            y_BTD = tap(
                "cross.output", self.dropout(self.cross(y_BTD, across, tap, None, source_BSD)), axes
            )
            x_BTD = tap(
                "residual.cross",
                self._after(self.norm_cross, x_BTD + y_BTD, tap, "cross.norm"),
                axes,
            )

        read_BTD = given_BTD if self.parallel else x_BTD
        y_BTD = self._before(self.norm_2, read_BTD, tap, "feed_forward.norm")
        y_BTD = self.feed_forward(y_BTD, tap, axis, prefix)
        y_BTD = y_BTD if self.added_2 is None else self.added_2(y_BTD)
        y_BTD = tap(f"{prefix}feed_forward.output", self.dropout(y_BTD), axes)
        residual_BTD: Tensor = tap(
            f"{prefix}residual",
            self._after(
                self.norm_2,
                self._kept(x_BTD, tap, "feed_forward.skip") + y_BTD,
                tap,
                "feed_forward.norm",
            ),
            axes,
        )
        return residual_BTD

    def _kept(self, x_BTD: Tensor, tap: Tap, name: str) -> Tensor:
        """What a residual connection brings past a part: all of it, unless it is edited."""
        change = tap.switch(self.naming.prefix + name, ("batch", self.naming.token, "unit"))
        return x_BTD if change is None else change(x_BTD)

    def _before(self, part: Norm | None, x_BTD: Tensor, tap: Tap, name: str) -> Tensor:
        if self.bare and name == "attention.norm":
            unnormed(x_BTD, tap, self.naming.prefix + name, self.naming.token)
        return self._normed(part if self.first else None, x_BTD, tap, name)

    def _after(self, part: Norm | None, x_BTD: Tensor, tap: Tap, name: str) -> Tensor:
        return self._normed(None if self.first else part, x_BTD, tap, name)

    def _normed(self, part: Norm | None, x_BTD: Tensor, tap: Tap, name: str) -> Tensor:
        name = self.naming.prefix + name
        return x_BTD if part is None else normed(part, x_BTD, tap, name, self.naming.token)
