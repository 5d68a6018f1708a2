"""Nets made smaller: weights through a number format, the smallest left out, whole heads or layers taken out, and
how far the answers move.

What      pruned: of all weights in tables the share that is smallest in size becomes 0; or the heads, or the layers,
          that count least: what they add to the stream becomes 0
          a part counts for as much as the mean over lines of | sum w dL/dw |, w the weights by which it adds
          drift: per token KL(p | q) = sum p log2 p/q, p the answer of the net as it is
Source    weights: Han, Mao & Dally, Deep Compression, 2016; Han et al., Learning both Weights and Connections, 2015;
          heads: Michel, Levy & Neubig, Are Sixteen Heads Really Better than One?, 2019, sec. 4.1;
          layers: Men et al., ShortGPT, 2024
Shapes    T = tokens, V = vocabulary
Differs   A smaller net computes in float32 again, so its size and its answers change, not its time.  Biases,
          norms and narrow tables keep their numbers, and count as float16.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from engine.core.cache import remembered
from engine.lessons.smaller.formats import FORMATS, send_back
from engine.models.neural import NeuralLanguageModel
from engine.models.transformer import Transformer
from engine.storage.quantised import NARROW

Net = NeuralLanguageModel[Any]
Arrays = Mapping[str, np.ndarray]
WHOLE = "float32"
WEIGHTS, HEADS, LAYERS = "weights", "heads", "layers"
SMALL, LARGE = 1_000_000, 20_000_000  # weights of a net whose copies are kept, many and few
LINES = 12  # of a text that parts are weighed by


def tables(arrays: Arrays) -> list[str]:
    """The names of those that few bits are for."""
    return [
        name
        for name, x in arrays.items()
        if x.dtype == np.float32 and x.ndim > 1 and x.shape[-1] >= NARROW
    ]


def count(model: Net) -> int:
    return sum(p.numel() for p in model.net.parameters())


def prune(arrays: Arrays, share: float) -> dict[str, np.ndarray]:
    """The same with that share of the numbers in tables set to 0, the smallest of all tables together."""
    names = tables(arrays)
    sizes = np.concatenate([np.abs(arrays[name]).ravel() for name in names])
    gone = int(share * sizes.size)
    if not gone:
        return dict(arrays)
    most = np.partition(sizes, gone - 1)[gone - 1]
    return dict(arrays) | {
        name: np.where(np.abs(arrays[name]) <= most, np.float32(0), arrays[name]) for name in names
    }


# ------------------------------------------------------------------ heads and layers


Part = tuple[int, int]
"""layer and head; head -1: the whole layer"""


def removable(model: Net) -> tuple[str, ...]:
    """What can be taken out: of a Transformer with its norms first also heads and layers."""
    if isinstance(model, Transformer) and model.config.norm_first and not model.config.added_norm:
        return WEIGHTS, HEADS, LAYERS
    return (WEIGHTS,)


def parts(model: Transformer, what: str) -> list[Part]:
    d = model.config.design()
    return [(i, h) for i in range(d.layers) for h in (range(d.heads) if what == HEADS else (-1,))]


def added_by(model: Transformer, part: Part) -> list[tuple[str, slice]]:
    """The weights by which a part adds to the stream: names, and which of their columns."""
    layer, head = part
    block, size = f"tower.blocks.{layer}.", model.config.design().head
    if head >= 0:
        return [(f"{block}attention.out.weight", slice(head * size, (head + 1) * size))]
    named = ("attention.out", "feed_forward.down")
    every = [f"{block}{name}.{kind}" for name in named for kind in ("weight", "bias")]
    known = dict(model.net.named_parameters())
    return [(name, slice(None)) for name in every if name in known]


def weights_of(model: Net, part: Part) -> float:
    """How many weights go with a part: the block of a layer, a head's share of its attention."""
    layer, head = part
    prefix = f"tower.blocks.{layer}." + ("attention." if head >= 0 else "")
    found = sum(p.numel() for name, p in model.net.named_parameters() if name.startswith(prefix))
    return found / (model.config.heads if head >= 0 else 1)


def take_out(model: Transformer, gone: list[Part]) -> dict[str, np.ndarray]:
    """The weights with what these parts add set to 0."""
    arrays = model.weights()
    for part in gone:
        for name, columns in added_by(model, part):
            arrays[name] = arrays[name].copy()
            arrays[name][..., columns] = 0
    return arrays


@remembered(16)
def order(model: Transformer, what: str, lines: tuple[str, ...]) -> list[Part]:
    """Its heads or layers, those that count least in these lines first."""
    import torch

    every = parts(model, what)
    found = np.zeros(len(every))
    known = dict(model.net.named_parameters())
    held = {name: known[name] for part in every for name, _columns in added_by(model, part)}
    with torch.enable_grad(), torch.inference_mode(False):
        # a copy that gradients may be wanted of
        leaf = {name: p.detach().clone().requires_grad_() for name, p in held.items()}
        for line in lines[:LINES]:
            ids_1T = torch.from_numpy(model.tokens(line).ids.copy())[None]
            ids_1T = ids_1T[:, -(model.context or 512) :]
            if ids_1T.shape[1] < 2:
                continue
            logit_TV = torch.func.functional_call(model.net, leaf, (ids_1T[:, :-1],))[0]
            loss = torch.nn.functional.cross_entropy(logit_TV, ids_1T[0, 1:])
            slopes = dict(zip(leaf, torch.autograd.grad(loss, [*leaf.values()]), strict=True))
            for n, part in enumerate(every):
                found[n] += abs(
                    sum(
                        float((leaf[name] * slopes[name])[..., columns].detach().sum())
                        for name, columns in added_by(model, part)
                    )
                )
    return [every[n] for n in np.argsort(found, kind="stable")]


# ------------------------------------------------------------------ a net made smaller


@dataclass(frozen=True, slots=True)
class Smaller:
    """size: bytes of its weights in the format, without the parts that are gone; sparse: the same where a bit says of
    each weight whether it is there and only those are kept; zeros: share of the weights in tables that are 0."""

    model: Net
    size: float
    sparse: float
    zeros: float
    gone: tuple[Part, ...] = ()


def make_smaller(
    model: Net,
    kind: str = WHOLE,
    what: str = WEIGHTS,
    share: float = 0.0,
    lines: tuple[str, ...] = (),
) -> Smaller:
    """A copy with its weights in one of FORMATS, and this share of its weights, heads or layers left out.  ValueError
    where a weight is infinite or none."""
    gone: list[Part] = []
    if what in removable(model)[1:] and isinstance(model, Transformer):
        every = order(model, what, lines)
        gone = every[: round(share * len(every))]
        arrays: Arrays = take_out(model, gone)
    else:
        arrays = prune(model.weights(), share)
    names = tables(arrays)
    if not all(np.isfinite(arrays[name]).all() for name in names):
        raise ValueError(
            "This net holds a weight that is infinite or none, which no format of few bits has."
        )
    back = dict(arrays)
    if kind != WHOLE:
        back |= {name: send_back(arrays[name], kind) for name in names}
    size = sum(x.size * 2.0 for name, x in arrays.items() if x.dtype == np.float32)
    size -= sum(weights_of(model, part) for part in gone) * _bytes(kind, arrays[names[0]].shape[-1])
    whole, zeros, saved = 0, 0, 0.0
    for name in names:
        x, each = back[name], FORMATS[kind].each(back[name].shape[-1]) if kind != WHOLE else 32.0
        none = x.size - int(np.count_nonzero(x))
        whole, zeros = whole + x.size, zeros + none
        size += x.size * (each / 8 - 2)
        saved += none * (FORMATS[kind].bits if kind != WHOLE else 32) / 8 - x.size / 8
    made = type(model).from_weights(model.config, back)
    made.tokenizer = model.tokenizer
    return Smaller(made, size, min(size, size - saved), zeros / max(whole, 1), tuple(gone))


def _bytes(kind: str, row: int) -> float:
    return (FORMATS[kind].each(row) if kind != WHOLE else 32.0) / 8


_of_small, _of_large = remembered(40)(make_smaller), remembered(3)(make_smaller)


def smaller(
    model: Net,
    kind: str = WHOLE,
    what: str = WEIGHTS,
    share: float = 0.0,
    lines: tuple[str, ...] = (),
) -> Smaller:
    """`make_smaller`, remembered: of a large net a few."""
    return (_of_small if count(model) <= SMALL else _of_large)(model, kind, what, share, lines)


# ------------------------------------------------------------------ how far answers move


@dataclass(frozen=True, slots=True)
class Drift:
    """Means over the tokens of a text: bits that each costs, KL in bits, share whose likeliest next is another."""

    bits: float
    apart: float
    changed: float


def answers(model: Net, text: str) -> tuple[np.ndarray, np.ndarray]:
    """(T - 1, V) probabilities of what comes next, and the ids (T - 1,) that did.  ValueError for a text of fewer than
    two tokens."""
    trace = model.trace(text, fields=("probability",))
    if len(trace.ids) < 2:
        raise ValueError("Write a few more words: a net is judged by what comes next.")
    return np.asarray(trace.field("probability").values[:-1]), np.asarray(trace.ids[1:])


def cost(q_TV: np.ndarray, next_N: np.ndarray) -> np.ndarray:
    """Bits of the N tokens that follow (.., N), of answers behind the tokens before them (.., T, V), T >= N."""
    tiny = np.finfo(np.float32).tiny
    return np.asarray(-np.log2(np.maximum(q_TV[..., np.arange(len(next_N)), next_N], tiny)))


def divergence(p_TV: np.ndarray, q_TV: np.ndarray) -> np.ndarray:
    """KL(p | q) in bits (.., T), of one or more answers q (.., T, V)."""
    tiny = np.finfo(np.float32).tiny
    own_T = (p_TV * np.log2(np.maximum(p_TV, tiny))).sum(-1, dtype=np.float64)
    cross_T = np.einsum("tv,...tv->...t", p_TV, np.log2(np.maximum(q_TV, tiny)))
    return np.asarray(np.maximum(own_T - cross_T, 0))


def drift(p_TV: np.ndarray, q_TV: np.ndarray, next_T: np.ndarray) -> Drift:
    """Of the answers q beside those of the net as it is, p."""
    return Drift(
        float(cost(q_TV, next_T).mean()),
        float(divergence(p_TV, q_TV).mean()),
        float((p_TV.argmax(-1) != q_TV.argmax(-1)).mean()),
    )
