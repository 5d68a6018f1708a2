"""Orders: the same words in another order, and what a model can tell of it.

What      without a mask: A(P X) = P A(X) for one layer of attention that is told no places: its
          rows only change places with its mask: the model as it is; a token that sees three others
          is told apart from one that sees five
Source    Vaswani et al. 2017, sec. 3.5 (why positions are needed); Haviv et al. 2022 (a causal
          model without them)
Shapes    T = tokens, N = heads, K = width of a head, D = width
Differs   The layer without a mask is the first layer of the trained model, read both ways: its own
          queries, keys, values and places.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from engine.core.trace import Trace
from engine.lessons.positions import encodings
from engine.text.tokenizers.base import Tokens
from engine.views.theme import shorten

if TYPE_CHECKING:
    from engine.models.transformer import Transformer

FIELDS = ("query", "key", "value", "residual", "probability")


@dataclass(frozen=True, slots=True)
class Told:
    """What one model makes of the two orders; the rows of the second are put back where the words
    stand in the first.

    one, other   (T, N * K) readings of the first layer without a mask
    moved        length of what changes in them, as a share of the length of the readings
    pooled       the same for their means over all tokens
    masked       the same as `moved` for what the whole model holds at its top, with its mask
    next         share of the probability for the next token that goes elsewhere
    """

    one: np.ndarray
    other: np.ndarray
    moved: float
    pooled: float
    masked: float
    next: float


def words(tokens: Tokens, marks: int = 1) -> list[range]:
    """The tokens of each word, start marks left out: a piece that begins with a blank begins a
    word."""
    starts = [t for t in range(marks, len(tokens)) if t == marks or tokens.labels[t][:1].isspace()]
    return [range(a, b) for a, b in pairwise([*starts, len(tokens)])]


def shuffled(tokens: Tokens, seed: int, marks: int = 1) -> np.ndarray:
    """(T,) for each place of the new order the place in the old one; words stay whole.  Another
    order wherever there is one."""
    parts = words(tokens, marks)
    rng, old = np.random.default_rng(seed), np.arange(len(tokens))
    spelled = [tuple(tokens.ids[part.start : part.stop].tolist()) for part in parts]
    for _ in range(20):
        turn = rng.permutation(len(parts))
        if [spelled[i] for i in turn] != spelled:
            return np.array(
                [*range(min(marks, len(tokens))), *(t for i in turn for t in parts[i])], int
            )
    return old


def spelled(tokens: Tokens, order_T: np.ndarray, most: int = 220) -> str:
    starts = {part.start for part in words(tokens)}
    return shorten(
        "".join(
            " " * (t in starts) + tokens.labels[t].strip() for t in order_T[1:].tolist()
        ).strip(),
        most + 1,
    )


def reordered(tokens: Tokens, order_T: np.ndarray) -> Tokens:
    """The same tokens in another order.  Spans are those of the old text."""
    return Tokens(
        tokens.ids[order_T],
        tuple(tokens.labels[t] for t in order_T),
        tuple(tokens.spans[t] for t in order_T),
    )


def unmasked(model: Transformer, trace: Trace) -> np.ndarray:
    """(T, N * K) what the first layer's heads read when every token may look at every other."""
    q_NTK, k_NTK, v_NTK = (trace.field(name).values[0] for name in ("query", "key", "value"))
    # heads that share keys and values
    k_NTK, v_NTK = (x.repeat(len(q_NTK) // len(x), 0) for x in (k_NTK, v_NTK))
    score_NTT = q_NTK @ k_NTK.swapaxes(-1, -2) / math.sqrt(q_NTK.shape[-1])
    bias_LNTT = encodings.bias(model, trace.field("query").values)
    if bias_LNTT is not None:
        score_NTT = score_NTT + bias_LNTT[0]
    weight_NTT = np.exp(score_NTT - score_NTT.max(-1, keepdims=True))
    weight_NTT /= weight_NTT.sum(-1, keepdims=True)
    return np.concatenate(list(weight_NTT @ v_NTK), -1)


def compare(model: Transformer, text: str, tokens: Tokens, order_T: np.ndarray) -> Told:
    """Both orders through a model.  At most its context of tokens, at least one."""
    traces = [
        model.trace(text, fields=FIELDS, tokens=some)
        for some in (tokens, reordered(tokens, order_T))
    ]
    back_T = np.argsort(order_T)
    one, other = unmasked(model, traces[0]), unmasked(model, traces[1])[back_T]
    top, top_other = (
        traces[0].field("residual").values[-1],
        traces[1].field("residual").values[-1][back_T],
    )
    p, p_other = (trace.field("probability").values[-1] for trace in traces)
    return Told(
        one,
        other,
        measure_change(one, other),
        measure_change(one.mean(0), other.mean(0)),
        measure_change(top, top_other),
        float(np.abs(p - p_other).sum() / 2),
    )


def measure_change(a: np.ndarray, b: np.ndarray) -> float:
    """|a - b| / |a|."""
    size = float(np.linalg.norm(a.astype(float)))
    return float(np.linalg.norm(a.astype(float) - b)) / max(size, 1e-30)
