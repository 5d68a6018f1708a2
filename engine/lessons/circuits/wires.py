"""Wires: a Transformer as a graph of its parts, any edge of which can be cut and the rest run anew.

What      Nodes are the embeddings, every head, every feed-forward part and the answer.  Where norms come first, what
          a part r reads is the sum of what the parts before it wrote:
          x_r = sum_s out_s + biases; a head reads three such sums, for its query, its key and its value.
          Edge s -> r cut: in x_r alone out_s is replaced by other_s, what s writes in another run (the twin text) or
          on average; all that is behind r is computed anew
Source    Goldowsky-Dill, MacLeod, Sato & Arora, Localizing Model Behavior with Path Patching, 2023; Wang et al.,
          Interpretability in the Wild, 2023; Conmy et al., Towards Automated Circuit Discovery, 2023 (edges of such a
          graph, cut by what the corrupted run writes)
Shapes    C = circuits run at once, B = texts, T = tokens, S = senders, R = receivers, N = heads, L = layers, D = width,
          K = width of a head, V = vocabulary
Differs   Wang et al. hold all heads but the receiver as they were; here all that is behind it answers anew, as in ACDC.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor, nn

from engine.lessons.transformer import lens
from engine.models.abilities import Attends
from engine.models.base import Model
from engine.nn import mask
from engine.nn.positions.base import turned

INPUTS = ("Q", "K", "V")
EMBED, ANSWER = "text", "answer"


class Node(NamedTuple):
    """`head` -1: the feed-forward part of a layer; -2: the embeddings, in layer -1, or the answer, behind the last."""

    layer: int
    head: int

    @property
    def short(self) -> str:
        if self.head < -1:
            return EMBED if self.layer < 0 else ANSWER
        return f"L{self.layer + 1} FFN" if self.head < 0 else f"L{self.layer + 1} H{self.head + 1}"


class Edge(NamedTuple):
    """From what a node writes to what another reads; `into`: Q, K, V, or nothing where it reads one sum."""

    sender: Node
    receiver: Node
    into: str = ""


@dataclass(frozen=True, eq=False)
class Batch:
    """Texts with their twins, token by token, and the two answers behind the last token.

    ids_BT, twin_BT   filled with 0 behind the last token, which stands at last_B
    right_B, wrong_B  ids of the answer of the text, and of that of its twin
    """

    ids_BT: Tensor
    twin_BT: Tensor
    last_B: Tensor
    right_B: Tensor
    wrong_B: Tensor

    def __len__(self) -> int:
        return len(self.last_B)

    def some(self, rows: Sequence[int] | slice) -> Batch:
        return Batch(
            *(
                one[rows]
                for one in (self.ids_BT, self.twin_BT, self.last_B, self.right_B, self.wrong_B)
            )
        )


@dataclass(frozen=True, eq=False)
class Answers:
    """(C, B) each: logit of the right answer less that of the wrong one, and whether the right one is the likeliest."""

    gap: np.ndarray
    first: np.ndarray


def check(model: Model[Any]) -> Attends[Any]:
    """ValueError, with a sentence for the reader, for a model that is no such graph."""
    if not isinstance(model, Attends) or not model.causal:
        raise ValueError("Choose a Transformer that writes: its parts are the nodes of the graph.")
    d = model.tower.design
    if not lens.has_pushes(model):
        raise ValueError(
            "This model norms its stream after each part, so what a part reads is no sum of what others wrote."
        )
    if d.kernel != "softmax" or d.distances or d.whole_norm or d.cap:
        raise ValueError(
            "The attention of this model is not one that can be run edge by edge here."
        )
    return model


@dataclass(frozen=True)
class Layout:
    """Nodes and edges of a net of so many layers and heads.  Senders in order: the embeddings, then of each layer its
    heads and its feed-forward part; receivers: of each layer Q, K and V of each head and the feed-forward part, then
    the answer."""

    layers: int
    heads: int
    parallel: bool

    @cached_property
    def senders(self) -> tuple[Node, ...]:
        inner = [Node(layer, h) for layer in range(self.layers) for h in (*range(self.heads), -1)]
        return (Node(-1, -2), *inner)

    @cached_property
    def receivers(self) -> tuple[tuple[Node, str], ...]:
        found: list[tuple[Node, str]] = []
        for layer in range(self.layers):
            found += [(Node(layer, h), into) for into in INPUTS for h in range(self.heads)]
            found.append((Node(layer, -1), ""))
        return (*found, (Node(self.layers, -2), ""))

    def before(self, layer: int, fed: bool = False) -> int:
        """How many senders the heads of a layer can read, or its feed-forward part."""
        return 1 + layer * (self.heads + 1) + (self.heads if fed and not self.parallel else 0)

    @cached_property
    def may_SR(self) -> np.ndarray:
        """Which edges there are."""
        found = np.zeros((len(self.senders), len(self.receivers)), bool)
        for r, (node, into) in enumerate(self.receivers):
            found[: self.before(node.layer, not into and node.layer < self.layers), r] = True
        return found

    @cached_property
    def places(self) -> tuple[np.ndarray, np.ndarray]:
        """Of each edge its sender and its receiver."""
        r_E, s_E = np.nonzero(self.may_SR.T)
        return s_E, r_E

    @cached_property
    def edges(self) -> tuple[Edge, ...]:
        """All, by receiver, from the text to the answer."""
        return tuple(
            Edge(self.senders[s], *self.receivers[r]) for s, r in zip(*self.places, strict=True)
        )

    @cached_property
    def joints(self) -> tuple[tuple[Node, Node], ...]:
        """Which node can write to which, a head's three inputs taken together."""
        return tuple(dict.fromkeys((edge.sender, edge.receiver) for edge in self.edges))

    @cached_property
    def without_joint(self) -> np.ndarray:
        """(joints, S, R) all edges but those of each."""
        at = {pair: n for n, pair in enumerate(self.joints)}
        found = np.repeat(self.may_SR[None], len(at), 0)
        for s, r, edge in zip(*self.places, self.edges, strict=True):
            found[at[edge.sender, edge.receiver], s, r] = False
        return found


@lru_cache(maxsize=16)
def layout(layers: int, heads: int, parallel: bool) -> Layout:
    return Layout(layers, heads, parallel)


class Wires:
    """The graph of one model."""

    def __init__(self, model: Attends[Any]) -> None:
        self.model = check(model)
        design = model.tower.design
        self.layers, self.heads = design.layers, design.heads
        self.layout = of = layout(design.layers, design.heads, design.parallel)
        self.senders, self.receivers, self.before = of.senders, of.receivers, of.before
        self.may_SR, self.places, self.edges = of.may_SR, of.places, of.edges

    def kept(self, on_CE: np.ndarray) -> np.ndarray:
        """(C, S, R) of circuits, edge by edge."""
        found = np.zeros((len(on_CE), *self.may_SR.shape), bool)
        found[:, self.places[0], self.places[1]] = on_CE
        return found

    # -------------------------------------------------------------- a run

    @torch.inference_mode()
    def written(self, ids_BT: Tensor) -> Tensor:
        """What each sender writes in a plain run (S, B, T, D)."""
        whole = self.may_SR[None]
        return self._run(whole, ids_BT, None)[:, 0]

    @torch.inference_mode()
    def answers(
        self,
        batch: Batch,
        keep_CSR: np.ndarray,
        other_SBTD: Tensor,
        clean: Tensor | None = None,
        first: int = 0,
    ) -> Answers:
        """Of the texts, where every edge that is not kept carries what `other` says.

        clean   what each sender writes in a plain run; with it all up to layer `first` stays as it is there, where no
                edge into a layer before is cut
        """
        out_SCBTD = self._run(keep_CSR, batch.ids_BT, other_SBTD, clean, first)
        x_CBTD = self._input(out_SCBTD, other_SBTD, keep_CSR[:, :, -1:], self.layers, False)[0]
        at = batch.last_B[:, None, None].expand(-1, 1, x_CBTD.shape[-1])
        x_CBD = torch.stack([one.gather(1, at)[:, 0] for one in x_CBTD])
        norm = self.model.tower.norm
        assert norm is not None
        logit_CBV = self.model.read_out(norm(x_CBD)).float()
        both = torch.stack([batch.right_B, batch.wrong_B], -1).expand(len(x_CBD), -1, -1)
        right_CB, wrong_CB = logit_CBV.gather(2, both).unbind(-1)
        first_CB = logit_CBV.argmax(-1) == batch.right_B
        return Answers((right_CB - wrong_CB).numpy().astype(float), first_CB.numpy())

    @torch.inference_mode()
    def direct(self, batch: Batch, out_SBTD: Tensor) -> np.ndarray:
        """What each sender itself adds to the right answer's logit less the wrong one's, behind the last token, with
        the divisor of the last norm held; the last row is all biases.  (S + 1, B); the sum is the whole."""
        norm, output = self.model.tower.norm, self.model.output()
        assert norm is not None and output is not None
        rows, last = torch.arange(len(batch)), batch.last_B
        out_SBD = out_SBTD[:, rows, last].double()
        bias_D = self._biases(self.layers).double()
        x_BD = out_SBD.sum(0) + bias_D
        u_BD = (output[0][batch.right_B] - output[0][batch.wrong_B]).double()
        a_BD = u_BD * norm.weight.double()
        if isinstance(norm, nn.LayerNorm):
            x_BD = x_BD - x_BD.mean(-1, keepdim=True)
            a_BD = a_BD - a_BD.mean(-1, keepdim=True)
        a_BD = a_BD / (x_BD.square().mean(-1, keepdim=True) + (norm.eps or 0.0)).sqrt()
        rest_B = (bias_D * a_BD).sum(-1) + (output[1][batch.right_B] - output[1][batch.wrong_B])
        if isinstance(norm, nn.LayerNorm) and norm.bias is not None:
            rest_B = rest_B + u_BD @ norm.bias.double()
        return torch.cat([(out_SBD * a_BD).sum(-1), rest_B[None]]).numpy()

    @torch.inference_mode()
    def leads(self, batch: Batch, out_SBTD: Tensor) -> np.ndarray:
        """The logit of the right answer less that of the wrong one behind every token (B, T)."""
        norm, output = self.model.tower.norm, self.model.output()
        assert norm is not None and output is not None
        x_BTD = norm(out_SBTD.sum(0) + self._biases(self.layers))
        u_BD, b_B = (of[batch.right_B] - of[batch.wrong_B] for of in output)
        found: np.ndarray = ((x_BTD * u_BD[:, None]).sum(-1) + b_B[:, None]).numpy()
        return found

    def _input(
        self, out: Tensor, other: Tensor | None, keep_CSR: np.ndarray, layer: int, fed: bool
    ) -> Tensor:
        """What some receivers read (R, C, B, T, D), `keep` being theirs."""
        s = self.before(layer, fed)
        given = out[:s]
        keep_CSR = keep_CSR[:, :s]
        if keep_CSR.all() or other is None:
            whole = given.sum(0)[None].expand(keep_CSR.shape[2], *given.shape[1:])
        else:
            away = given - other[:s, None]
            on = torch.from_numpy(keep_CSR.astype(np.float32)).to(given)
            whole = torch.einsum("csr,scbtd->rcbtd", on, away) + other[:s].sum(0)
        return whole + self._biases(layer + (fed and not self.model.tower.design.parallel))

    def _biases(self, layers: int) -> Tensor:
        """What the output biases of attention have added before this."""
        outs = [self.model.tower.block(n).attention.out.bias for n in range(layers)]
        found: list[Tensor] = [b for b in outs if b is not None]
        return torch.stack(found).sum(0) if found else torch.zeros(())

    def _run(
        self,
        keep_CSR: np.ndarray,
        ids_BT: Tensor,
        other: Tensor | None,
        clean: Tensor | None = None,
        first: int = 0,
    ) -> Tensor:
        tower, c = self.model.tower, len(keep_CSR)
        net: Any = self.model.net
        if clean is None:
            first = 0
            x_BTD = tower.placed(net.embed(ids_BT))
            out = x_BTD.new_zeros((len(self.senders), c, *x_BTD.shape))
            out[0] = x_BTD
        else:
            out = clean[:, None].repeat(1, c, 1, 1, 1)
        for layer in range(first, self.layers):
            of = layer * (3 * self.heads + 1)
            at = self.before(layer)
            reads = keep_CSR[:, :, of : of + 3 * self.heads]
            out[at : at + self.heads] = self._heads(
                self._input(out, other, reads, layer, False), layer
            )
            block = tower.block(layer)
            fed = keep_CSR[:, :, of + 3 * self.heads :][:, :, :1]
            x_CBTD = self._input(out, other, fed, layer, True)[0]
            y = x_CBTD if block.norm_2 is None else block.norm_2(x_CBTD)
            out[at + self.heads] = block.feed_forward(y.flatten(0, 1)).unflatten(0, y.shape[:2])
        return out

    def _heads(self, x_RCBTD: Tensor, layer: int) -> Tensor:
        """What the heads of a layer write (N, C, B, T, D), of what their queries, keys and values read."""
        block, tower = self.model.tower.block(layer), self.model.tower
        part, n = block.attention, self.heads
        norm = block.norm_1
        y = x_RCBTD if norm is None else norm(x_RCBTD)
        c, b, t = y.shape[1:4]
        y_3NMTD = y.reshape(3, n, c * b, t, -1)
        spread = torch.arange(n) // (n // part.groups)  # whose keys and values a head reads
        each = torch.stack([torch.arange(n), n + spread, n + part.groups + spread])
        w_3NKD = part.qkv.weight.unflatten(0, (-1, part.dim))[each]
        q_3 = torch.einsum("xnmtd,xnkd->xmntk", y_3NMTD, w_3NKD)
        if part.qkv.bias is not None:
            q_3 = q_3 + part.qkv.bias.unflatten(0, (-1, part.dim))[each][:, None, :, None]
        q, k, v = q_3.unbind(0)
        if part.norm_query is not None and part.norm_key is not None:
            q, k = part.norm_query(q), part.norm_key(k)
        place_T = tower.places(0, t, y.device)
        windowed, turns = tower.design.windowed(layer), tower.design.turned_in(layer)
        position = tower.near if windowed and tower.near is not None else tower.position
        angles = position.angles(place_T) if turns else None
        if angles is not None:
            q, k = turned(q, angles), turned(k, angles)
        bias = position.bias(q, place_T, place_T)
        count_T = torch.arange(t)
        may = mask.allowed(
            count_T, count_T, causal=True, window=tower.design.window if windowed else 0
        )
        score = mask.forbid(part.scores(q, k, bias), may)
        read_MNTK = mask.soften(score, may=may) @ v
        w_NDK = part.out.weight.unflatten(1, (n, part.dim)).transpose(0, 1)
        return torch.einsum("mntk,ndk->nmtd", read_MNTK, w_NDK).unflatten(1, (c, b))


def mean_of(out_SBTD: Tensor, last_B: Tensor) -> Tensor:
    """What each sender writes on average, over all tokens of all texts, at every place (S, B, T, D)."""
    real_BT = torch.arange(out_SBTD.shape[2]) <= last_B[:, None]
    mean_SD = out_SBTD[:, real_BT].mean(1)
    return mean_SD[:, None, None].expand_as(out_SBTD)
