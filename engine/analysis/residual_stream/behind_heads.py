"""Behind the heads: from the mixed values to the output of a block, in two orders.

What      Z = A V; Out = Z W_O + b_O
          standard  Y = LN(X + Out); LN(Y + W_2 f(W_1 Y + b_1) + b_2): the non-linearity f stands
                    in the feed-forward part, which has a residual connection of its own
          printed   LN(X + f(Out)): W_O and the feed-forward part taken for one layer
Source    Vaswani et al., Attention Is All You Need, 2017, sec. 3.1 and 3.3
Shapes    N = tokens, D = width, K = width of the values, F = inner width
Differs   `Clipped` makes f(Out) = max(0, Out) of every attention of a model that was trained
          without it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F

from engine.core.tap import Recorder
from engine.models.abilities import Attends
from engine.models.neural import LOGITS

OUT = "attention.output"


@dataclass(frozen=True, slots=True)
class Step:
    name: str
    formula: str
    shape: str
    parameters: int


def steps(n: int, d: int, k: int, inner: int, printed: bool) -> list[Step]:
    """From X to the output of a block of one head; ValueError for a size below 1."""
    if min(n, d, k, inner) < 1:
        raise ValueError("every size is at least 1")
    wide, norm = f"{n} × {d}", 2 * d
    found = [
        Step("queries, keys, values", "X W_Q, X W_K, X W_V", f"3 of {n} × {k}", 3 * d * k),
        Step("attention weights", "A = softmax(Q Kᵀ / √d_k)", f"{n} × {n}", 0),
        Step("mixed values", "Z = A V", f"{n} × {k}", 0),
        Step("output weights", "Out = Z W_O + b_O", wide, k * d + d),
    ]
    if printed:
        return [
            *found,
            Step("non-linearity", "max(0, Out)", wide, 0),
            Step("residual and norm", "LN(X + max(0, Out))", wide, norm),
        ]
    return [
        *found,
        Step("residual and norm", "Y = LN(X + Out)", wide, norm),
        Step("feed-forward, inner", "H = max(0, Y W_1 + b_1)", f"{n} × {inner}", d * inner + inner),
        Step("feed-forward, back", "H W_2 + b_2", wide, inner * d + d),
        Step("residual and norm", "LN(Y + H W_2 + b_2)", wide, norm),
    ]


def joined(x_ND: Tensor, out_ND: Tensor, printed: bool) -> Tensor:
    """LN(X + Out) (N, D) without gain and shift, or as printed LN(X + max(0, Out))."""
    sum_ND = x_ND + (out_ND.relu() if printed else out_ND)
    return F.layer_norm(sum_ND, sum_ND.shape[-1:])


class Clipped(Recorder):
    """What every attention adds to the stream is clipped at 0 before it is added."""

    def __call__(self, name: str, value: Any, axes: tuple[str, ...]) -> Any:
        return super().__call__(name, value.relu() if name == OUT else value, axes)


@torch.inference_mode()
def surprisals(model: Attends[Any], text: str) -> Tensor:
    """Bits (2, T - 1) of each token of `text` but the first, as the model reads and clipped.
    ValueError for fewer than two tokens."""
    tokens = model.tokens(text)
    if model.context is not None:
        tokens = tokens[: model.context]
    if len(tokens) < 2:
        raise ValueError("Type at least two words.")
    ids, found = torch.as_tensor(tokens.ids.astype("int64")), []
    for kind in (Recorder, Clipped):
        tap = kind((), {LOGITS.name})
        model.run(tokens, tap)
        logit_TV = torch.as_tensor(tap.values(LOGITS)).float()
        found.append(
            F.cross_entropy(logit_TV[:-1], ids[1:], reduction="none") / torch.log(torch.tensor(2.0))
        )
    return torch.stack(found)
