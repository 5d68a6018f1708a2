"""Tower: the blocks of one Transformer, the places of its tokens, and who may look at whom.

What      blocks one after the other over the same stream of vectors; with the norm first, one more
          norm at the end; several layers may share the weights of one block
Source    Vaswani et al., Attention Is All You Need, 2017, fig. 1; last norm: Radford et al., 2019,
          sec. 2.3; shared weights: Lan et al., ALBERT, 2020, sec. 3.1
Shapes    B = batch, T = tokens of this run, P = tokens before it, S = tokens of the other text, D =
          width
Differs   Nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import cache

import torch
from torch import Tensor, nn

from engine.core.registry import positions
from engine.core.tap import Tap, passthrough
from engine.core.trace import FieldSpec, Kind
from engine.nn import mask
from engine.nn.attention import PLAIN, Naming, Past, Sight
from engine.nn.block import Block, Design
from engine.nn.distances import Distances
from engine.nn.norm import norm, normed
from engine.nn.positions.base import Frame, Position
from engine.nn.recompute import Layers, maybe_again


class Tower(Layers):
    def __init__(self, design: Design) -> None:
        super().__init__()
        self.design = d = design
        frame = Frame(
            d.embedding or d.width,
            d.heads,
            d.head,
            d.context,
            d.base,
            not d.causal,
            d.turns,
            d.scaling,
        )
        self.position: Position = positions.get(d.position)(frame)
        self.near: Position | None = None  # of layers with a window, where it is another
        if d.near_base:
            self.near = positions.get(d.position)(replace(frame, base=d.near_base, scaling=""))
        self.distances = (
            Distances(d.width, d.distances, d.farthest, d.epsilon) if d.distances else None
        )
        if d.gain:
            self.position.gain = d.width**0.5
        self.blocks = nn.ModuleList(Block(d, i) for i in range(d.shared or d.layers))
        self.norm = norm(d.norm, d.width, d.epsilon) if d.first else None
        self.stretch = 1.0  # position interpolation: every place is multiplied by this

    def block(self, layer: int) -> Block:
        found = self.blocks[layer * len(self.blocks) // self.design.layers]
        assert isinstance(found, Block)
        return found

    def start(self, zero: bool = False) -> None:
        """Weights before training: small, and smaller still where a part adds to the stream, so
        that depth does not blow it up.

        `zero`: the biases of attention begin at 0, as in torch's MultiheadAttention, not spread as
        in torch's Linear: it learns faster.
        """
        for name, p in self.named_parameters():
            if zero and name.endswith(("attention.qkv.bias", "attention.out.bias")):
                nn.init.zeros_(p)
            if p.dim() == 2:
                deep = name.endswith(("out.weight", "down.weight"))
                nn.init.normal_(p, std=0.02 / (2 * self.design.layers) ** 0.5 if deep else 0.02)

    def places(self, first: int, count: int, device: torch.device) -> Tensor:
        place_T = torch.arange(first, first + count, device=device)
        return place_T if self.stretch == 1 else place_T * self.stretch

    def placed(
        self, x_BTD: Tensor, tap: Tap = passthrough, first: int = 0, place_BT: Tensor | None = None
    ) -> Tensor:
        """Embeddings with what the kind of position adds to them.  `place_BT`: where the tokens
        stand, where that is not one behind the other from `first` on."""
        prefix, axes = self.design.naming.prefix, ("batch", self.design.naming.token, "unit")
        x_BTD = tap(f"{prefix}embedding.token", x_BTD * self.position.gain, axes)
        if place_BT is None:
            place_BT = self.places(first, x_BTD.shape[1], x_BTD.device)
        added = self.position.embed(place_BT)
        added_BTD = (
            torch.zeros_like(x_BTD[:1])
            if added is None
            else added.to(x_BTD.dtype).reshape(-1, *x_BTD.shape[1:])
        )
        return x_BTD + tap(f"{prefix}embedding.position", added_BTD, axes)

    def forward(
        self,
        x_BTD: Tensor,
        tap: Tap = passthrough,
        state: dict[str, Tensor] | None = None,
        *,
        real_BT: Tensor | None = None,
        source_BSD: Tensor | None = None,
        real_BS: Tensor | None = None,
    ) -> Tensor:
        """What each place holds after all blocks (B, T, D).

        state       key and value (layer, head, P, dim) of the tokens before these; with an axis for the
                    batch behind that of the layers where each text has others before it
        real_BT     false where a token is only filling; real_BS the same for the other text,
                    source_BSD (B, S, D)
        """
        d = self.design
        first = state["key"].shape[-2] if state else 0
        t = x_BTD.shape[1]
        count_T, count_S = (torch.arange(a, first + t, device=x_BTD.device) for a in (first, 0))
        place_T = self.places(first, t, x_BTD.device)
        place_S = self.places(0, first + t, x_BTD.device)

        def sight(windowed: bool, turned: bool) -> Sight:
            window = d.window if windowed else 0
            may = (
                None  # one token behind all others may look at each of them
                if d.causal and not window and real_BT is None and t == 1
                else mask.allowed(count_T, count_S, causal=d.causal, window=window, real_BS=real_BT)
            )
            position = self.near if windowed and self.near is not None else self.position
            return Sight(
                place_T,
                place_S,
                may,
                d.causal,
                plain=not window and real_BT is None,
                position=position,
                window=window if d.causal and real_BT is None else 0,
                turns=position.angles(place_T) if turned else None,
                distances=self.distances,
            )

        kinds = [(d.windowed(i), d.turned_in(i)) for i in range(d.layers)]
        sights = {kind: sight(*kind) for kind in set(kinds)}
        if not d.naming.prefix:
            may = sights[min(kinds)].may  # of a layer without a window, where there is one
            tap.derived(
                "mask", lambda: _shown(may, x_BTD.shape[0], t, first + t), ("batch", "query", "key")
            )
        across = None
        if source_BSD is not None:
            looked_S = torch.arange(source_BSD.shape[1], device=x_BTD.device)
            across = Sight(
                count_T,
                looked_S,
                mask.allowed(count_T, looked_S, causal=False, real_BS=real_BS),
                plain=real_BS is None,
            )
        pasts: Iterable[Past | None] = (None,) * d.layers
        if state:
            key, value = (
                state[n]
                if state[n].dim() == 5
                else state[n][:, None].expand(-1, len(x_BTD), -1, -1, -1)
                for n in ("key", "value")
            )
            pasts = zip(key, value, strict=True)
        for i, (kind, past) in enumerate(zip(kinds, pasts, strict=True)):
            x_BTD = maybe_again(
                self, self.block(i), x_BTD, sights[kind], tap.at(layer=i), past, source_BSD, across
            )
        if self.norm is not None:
            x_BTD = normed(self.norm, x_BTD, tap, f"{d.naming.prefix}norm", d.naming.token)
        return x_BTD


def _shown(may: Tensor | None, b: int, t: int, s: int) -> Tensor:
    """Who may look at whom, (B, T, S), as numbers."""
    if may is None:
        return torch.ones(b, t, s)
    return (may if may.dim() == 2 else may[:, 0]).float().expand(b, t, s)


@cache
def promises(
    n: Naming = PLAIN,
    *,
    last_norm: bool = True,
    norms: bool = True,
    cross: bool = False,
    mask: bool = True,
    causal: bool = True,
) -> tuple[FieldSpec, ...]:
    """The fields that a tower taps, in the order of its parts.

    norms   whether what a part reads is normalised, or the stream behind it
    causal  whether no place sees a later one, nor a source that may still grow; what is embedded
            is of each token alone either way, and a decoder's mask knows no source
    """
    p, t = n.prefix, n.token
    stream, heads, pairs = (
        ("layer", t, "unit"),
        ("layer", "head", t, "dim"),
        ("layer", "head", n.query, n.key),
    )
    offered = ("layer", "head", n.other, "dim")

    def norm_of(name: str, part: str) -> tuple[FieldSpec, ...]:
        if not norms:
            return ()
        return (
            FieldSpec(
                f"{p}{name}.mean",
                Kind.STATE,
                ("layer", t),
                f"Mean of the stream, subtracted by the norm of {part}.",
                "μ",
                derived=True,
            ),
            FieldSpec(
                f"{p}{name}.deviation",
                Kind.STATE,
                ("layer", t),
                f"Spread of the stream, by which the norm of {part} divides.",
                "σ",
                derived=True,
            ),
        )

    def attends(q: str, pair: tuple[str, ...], other: tuple[str, ...]) -> tuple[FieldSpec, ...]:
        return (
            FieldSpec(f"{q}query", Kind.STATE, heads, "Query: what each token looks for.", "q"),
            FieldSpec(f"{q}key", Kind.STATE, other, "Key: what each token can be found by.", "k"),
            FieldSpec(
                f"{q}value",
                Kind.STATE,
                other,
                "Value: what each token passes on when attended to.",
                "v",
            ),
            FieldSpec(
                f"{q}score", Kind.SCORE, pair, "How well query and key match, before softmax.", "s"
            ),
            FieldSpec(
                f"{q}attention",
                Kind.ATTENTION,
                pair,
                "Attention weights: how much each token takes from each position.",
                "A",
            ),
            FieldSpec(
                f"{q}reading", Kind.STATE, heads, "Head output: the weighted sum of values.", "z"
            ),
            FieldSpec(
                f"{q}head.output",
                Kind.STATE,
                ("layer", "head", t, "unit"),
                "Contribution of each head to the stream.",
                "o",
                derived=True,
            ),
        )

    across = (
        ()
        if not cross
        else (
            *norm_of("cross.norm", "cross-attention"),
            *attends(
                "cross.", ("layer", "head", "query", "source"), ("layer", "head", "source", "dim")
            ),
            FieldSpec(
                "cross.output", Kind.STATE, stream, "Contribution of cross-attention to the stream."
            ),
            FieldSpec(
                "residual.cross", Kind.STATE, stream, "Residual stream after cross-attention.", "x"
            ),
        )
    )
    found = (
        FieldSpec(f"{p}embedding.token", Kind.STATE, (t, "unit"), "Embedding of the token.", "e"),
        FieldSpec(
            f"{p}embedding.position",
            Kind.STATE,
            (t, "unit"),
            "Vector added for the position; 0 where positions are encoded differently.",
            "p",
        ),
        *(
            (
                FieldSpec(
                    "mask",
                    Kind.GATE,
                    ("query", "key"),
                    "Positions a token may attend to (1) or not (0).",
                    derived=True,
                ),
            )
            if mask
            else ()
        ),
        FieldSpec(
            f"{p}residual.before", Kind.STATE, stream, "Residual stream before the layer.", "x"
        ),
        *norm_of("attention.norm", "attention"),
        *attends(p, pairs, offered),
        FieldSpec(
            f"{p}attention.output",
            Kind.STATE,
            stream,
            "Contribution of attention to the stream, all heads together.",
        ),
        FieldSpec(
            f"{p}residual.middle", Kind.STATE, stream, "Residual stream after attention.", "x"
        ),
        *across,
        *norm_of("feed_forward.norm", "the feed-forward part"),
        FieldSpec(
            f"{p}feed_forward.activation",
            Kind.STATE,
            stream,
            "Activation of each unit in the feed-forward part.",
        ),
        FieldSpec(
            f"{p}feed_forward.output",
            Kind.STATE,
            stream,
            "Contribution of the feed-forward part to the stream.",
        ),
        FieldSpec(f"{p}residual", Kind.STATE, stream, "Residual stream after the layer.", "x"),
        *(
            (
                FieldSpec(
                    f"{p}norm.mean",
                    Kind.STATE,
                    (t,),
                    "Mean of the stream, subtracted by the last norm.",
                    "μ",
                    derived=True,
                ),
                FieldSpec(
                    f"{p}norm.deviation",
                    Kind.STATE,
                    (t,),
                    "Spread of the stream, by which the last norm divides.",
                    "σ",
                    derived=True,
                ),
            )
            if last_norm
            else ()
        ),
    )
    alone = {"embedding.token", "embedding.position"} | ({"mask"} if cross else set())
    return tuple(spec if spec.name in alone else replace(spec, causal=causal) for spec in found)
