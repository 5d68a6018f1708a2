"""Multi-head attention, every weight in the open: over the same text, or from one text to another
(cross-attention).

What      A = softmax(q k^T / sqrt(K) + bias + mask); each token reads sum_k A[q, k] v[k], in N
          heads side by side
Source    Vaswani et al., Attention Is All You Need, 2017, sec. 3.2.1 and 3.2.2; heads that share
          keys and values:
          Shazeer, Fast Transformer Decoding, 2019 (one group), Ainslie et al., GQA, 2023 (several);
          a norm over queries and keys: Henry et al., Query-Key Normalization for Transformers, 2020,
          here by the root of the mean square, as in Qwen3; capped scores, c tanh(s / c): Gemma Team,
          Gemma 2, 2024, sec. 2
Shapes    B = batch, T = tokens that look, S = tokens looked at, D = width, N = heads, G = groups of
          heads that share keys and values, K = width of a head
Differs   No dropout on the weights.  Where nobody asks for scores or weights, torch's fused kernel
          computes the
          same reading without writing them down, or engine/nn/windowed_attention.py where that is faster.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from engine.core.tap import Tap, passthrough
from engine.nn import linear, mask, window, windowed_attention
from engine.nn.distances import Distances
from engine.nn.packed import Linear
from engine.nn.positions.base import Angles, Position, turned

Past = tuple[Tensor, Tensor]  # keys and values (B, G, P, K) of the tokens before


@dataclass(frozen=True, slots=True)
class Naming:
    """How the numbers of one attention are called: what stands before each name, and the axes of
    the two texts."""

    prefix: str = ""
    token: str = "token"  # the text that looks
    query: str = "query"  # the same, where it stands beside `key`
    key: str = "key"  # the text looked at
    other: str = "token"  # the same, where it stands alone


PLAIN = Naming()


@dataclass(frozen=True, slots=True)
class Sight:
    """What every layer's attention has to know besides its numbers.

    query_T  places of the tokens that look
    key_S    places of the tokens looked at
    may      true where a token may look, None everywhere
    plain    whether `may` is exactly the causal triangle of one text, or None: then the fused
             kernel needs no mask
    window   how many tokens back a causal text is looked at, where that is all that `may` says
             besides; 0: any number
    turns    by how much `position` turns the queries and the keys that are new; None: not at all
    distances  vectors of distances that queries and keys meet, too
    """

    query_T: Tensor
    key_S: Tensor
    may: Tensor | None = None
    causal: bool = False
    plain: bool = True
    position: Position | None = None
    window: int = 0
    turns: Angles | None = None
    distances: Distances | None = None


class Attention(nn.Module):
    def __init__(
        self,
        d: int,
        heads: int,
        *,
        groups: int = 0,
        dim: int = 0,
        bias: bool = True,
        scaled: bool = True,
        kernel: str = "softmax",
        naming: Naming = PLAIN,
        cross: bool = False,
        norm: float = 0.0,
        whole: bool = False,
        cap: float = 0.0,
        terms: int = 1,
    ) -> None:
        """groups, dim  0 means: as many as heads; the width shared out among the heads
        norm         the small constant of a norm over each query and key; 0: no such norm
        whole        whether it is one over the queries of all heads together, and over all keys
        cap          what no score exceeds; 0: any score
        terms        products that make a score, which is divided by the root of so many more numbers"""
        super().__init__()
        self.heads, self.groups, self.dim = heads, groups or heads, dim or d // heads
        self.scale, self.terms = 1 / math.sqrt(terms * self.dim) if scaled else 1.0, terms
        self.kernel, self.naming, self.cross = kernel, naming, cross
        wide, narrow = self.heads * self.dim, self.groups * self.dim
        if cross:
            self.ask, self.offer = Linear(d, wide, bias), Linear(d, 2 * narrow, bias)
        else:
            self.qkv = Linear(d, wide + 2 * narrow, bias)
        self.out = Linear(wide, d, bias)
        self.whole, self.cap = whole, cap
        self.norm_query = nn.RMSNorm(wide if whole else self.dim, norm) if norm else None
        self.norm_key = nn.RMSNorm(narrow if whole else self.dim, norm) if norm else None

    def forward(
        self,
        x_BTD: Tensor,
        sight: Sight,
        tap: Tap = passthrough,
        past: Past | None = None,
        source_BSD: Tensor | None = None,
    ) -> Tensor:
        """What each token adds to its place (B, T, D).  `source_BSD`: the other text, for
        cross-attention."""
        n = self.naming
        q_BNTK, k_BGTK, v_BGTK = self._parts(x_BTD, source_BSD, sight.turns)
        q_BNTK = tap(f"{n.prefix}query", q_BNTK, ("batch", "head", n.token, "dim"))
        k_BGTK = tap(f"{n.prefix}key", k_BGTK, ("batch", "head", n.other, "dim"))
        v_BGTK = tap(f"{n.prefix}value", v_BGTK, ("batch", "head", n.other, "dim"))
        if past:
            k_BGTK, v_BGTK = (
                torch.cat((old, new), 2) for old, new in zip(past, (k_BGTK, v_BGTK), strict=True)
            )
        k_BNSK, v_BNSK = self._shared(k_BGTK), self._shared(v_BGTK)
        read_BNTK = self._read(q_BNTK, k_BNSK, v_BNSK, sight, tap)
        read_BNTK = tap(f"{n.prefix}reading", read_BNTK, ("batch", "head", n.token, "dim"))
        tap.derived(
            f"{n.prefix}head.output",
            lambda: self._by_head(read_BNTK),
            ("batch", "head", n.token, "unit"),
        )
        out: Tensor = self.out(read_BNTK.transpose(1, 2).flatten(2))
        return out

    def _parts(
        self, x_BTD: Tensor, source_BSD: Tensor | None, turns: Angles | None = None
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Query (B, N, T, K), key and value (B, G, S, K), the first two as they are compared."""
        heads, groups = self.heads, self.groups
        if self.cross:
            assert source_BSD is not None, "cross-attention needs another text to look at"
            k, v = self._heads(self.offer(source_BSD)).split(groups, 1)
            return self._heads(self.ask(x_BTD)), k, v
        both, v = self._heads(self.qkv(x_BTD)).split((heads + groups, groups), 1)
        if self.norm_query is not None and self.norm_key is not None:
            q, k = both.split((heads, groups), 1)
            if self.whole:
                q, k = (x.transpose(1, 2).flatten(2) for x in (q, k))
                q, k = self._heads(self.norm_query(q)), self._heads(self.norm_key(k))
            else:
                q, k = self.norm_query(q), self.norm_key(k)
            both = torch.cat((q, k), 1)
        q, k = (both if turns is None else turned(both, turns)).split((heads, groups), 1)
        return q, k, v

    def _heads(self, x_BTE: Tensor) -> Tensor:
        """(B, E / K, T, K)."""
        return x_BTE.unflatten(-1, (-1, self.dim)).transpose(1, 2)

    def _shared(self, x_BGSK: Tensor) -> Tensor:
        """Every group's keys or values, once for each of its heads."""
        each = self.heads // self.groups
        return x_BGSK if each == 1 else x_BGSK.repeat_interleave(each, 1)

    def _read(
        self, q_BNTK: Tensor, k_BNSK: Tensor, v_BNSK: Tensor, sight: Sight, tap: Tap
    ) -> Tensor:
        score, weight = f"{self.naming.prefix}score", f"{self.naming.prefix}attention"
        axes = ("batch", "head", self.naming.query, self.naming.key)
        watched = tap.wants(score) or tap.wants(weight) or tap.edits(score, weight)
        t, s = q_BNTK.shape[2], k_BNSK.shape[2]
        bias = self.bias(q_BNTK, k_BNSK, sight)
        if not watched:
            tap.derived(score, _nobody, axes)
            tap.derived(weight, _nobody, axes)
            if self.cap:
                pass  # no fused kernel caps its scores
            elif self.kernel == "linear" and sight.plain and t == s:
                return linear.read(q_BNTK, k_BNSK, v_BNSK, sight.causal)
            elif (
                self.kernel == "softmax"
                and sight.window
                and t == s > 2 * sight.window
                and bias is None
            ):
                return window.read(q_BNTK, k_BNSK, v_BNSK, sight.window, self.scale)
            elif self.kernel == "softmax" and (sight.may is None or sight.may.dim() == 2):
                if bias is None and windowed_attention.is_faster(q_BNTK, s):
                    return windowed_attention.read(q_BNTK, k_BNSK, v_BNSK, sight.may, self.scale)
                alone = sight.plain and bias is None and (t == s or sight.may is None)
                how = (
                    {"is_causal": sight.may is not None}
                    if alone
                    else {"attn_mask": _mask(bias, sight.may)}
                )
                return F.scaled_dot_product_attention(
                    q_BNTK, k_BNSK, v_BNSK, scale=self.scale, **how
                )  # type: ignore[arg-type]
        if self.kernel == "linear":
            like_BNTS = tap(score, linear.likeness(q_BNTK, k_BNSK, sight.may), axes)
            look_BNTS = like_BNTS / like_BNTS.sum(-1, keepdim=True)
        else:
            score_BNTS = self.scores(q_BNTK, k_BNSK, bias)
            score_BNTS = tap(score, mask.forbid(score_BNTS, sight.may), axes)
            alone = not score_BNTS.requires_grad and not tap.wants(score)
            look_BNTS = mask.soften(score_BNTS, may=sight.may, in_place=alone)
        look_BNTS = tap(weight, look_BNTS, axes)
        return look_BNTS.to(v_BNSK.dtype) @ v_BNSK

    def bias(self, q_BNTK: Tensor, k_BNSK: Tensor, sight: Sight) -> Tensor | None:
        """What is added to the scores after their scaling (1 or B, N, T, S); None where nothing is."""
        places = sight.query_T, sight.key_S
        found = None if sight.position is None else sight.position.bias(q_BNTK, *places)
        if sight.distances is None:
            return found
        met = self.scale * sight.distances.bias(q_BNTK, k_BNSK, *places, self._project)
        return met if found is None else found + met

    def _project(self, x_RD: Tensor) -> tuple[Tensor, Tensor]:
        """The queries and the keys (N, R, K) of vectors that stand nowhere."""
        q_BNRK, k_BGRK, _ = self._parts(x_RD[None], None)
        return q_BNRK[0], self._shared(k_BGRK)[0]

    def scores(self, q_BNTK: Tensor, k_BNSK: Tensor, bias: Tensor | None) -> Tensor:
        """How well each query and key match (B, N, T, S)."""
        found = q_BNTK * self.scale @ k_BNSK.transpose(-1, -2)
        found = found if bias is None else found + bias
        return self.cap * torch.tanh(found / self.cap) if self.cap else found

    def _by_head(self, read_BNTK: Tensor) -> Tensor:
        """What each head adds (B, N, T, D); their sum and the bias of `out` are the output."""
        return read_BNTK @ self.out.weight.unflatten(1, (self.heads, self.dim)).permute(1, 2, 0)


def _mask(bias: Tensor | None, may: Tensor | None) -> Tensor | None:
    """Bias and permission in one, as the fused kernel takes them."""
    if bias is None or may is None:
        return may if bias is None else bias
    return bias.masked_fill(~may, -math.inf)


def _nobody() -> Tensor:
    raise AssertionError("only computed where it is asked for")
