"""Folding: what a family computes besides, put into its weights, so that our model gives its numbers.

What      pairs     numbers 2i and 2i + 1 of a head that turn together become i and i + half: the rows
                    of queries and keys in another order, which leaves every score as it is
          queries   scores that are scaled by s, not by 1/sqrt(K): the rows of queries times s sqrt(K)
          added     what a part adds to the stream times m: its last matrix and its bias times m
          answers   logits times m: the gain and the bias of the last norm times m
Source    our own; the equations of the families that use it
Shapes    rows of query, key and value are stacked: (heads + 2 groups) of K each
Differs   Our queries and keys have their numbers in this other order; the stream behind the last norm
          is m times theirs.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from torch import Tensor

QKV = (".attention.qkv.weight", ".attention.qkv.bias")
LAST = tuple(
    f"{part}.{kind}"
    for part in ("attention.out", "feed_forward.down")
    for kind in ("weight", "bias")
)


def pairs(made: dict[str, Tensor], c: Any, turned: int = 0) -> None:
    """`turned`: how many numbers of a head turn; 0: all."""
    import torch

    def apart(row: Tensor) -> Tensor:
        size = turned or row.shape[1]
        neighbours = row[:, :size].unflatten(1, (-1, 2)).transpose(1, 2).flatten(1, 2)
        return torch.cat((neighbours, row[:, size:]), 1)

    for name, rows in made.items():
        if name.endswith(QKV):
            q, k, v = _by_head(rows, c)
            made[name] = torch.cat([apart(q), apart(k), v]).flatten(0, 1)


def queries(made: dict[str, Tensor], c: Any, scale: float) -> None:
    import torch

    for name, rows in made.items():
        if name.endswith(QKV):
            q, k, v = _by_head(rows, c)
            made[name] = torch.cat([q * (scale * math.sqrt(q.shape[1])), k, v]).flatten(0, 1)


def added(made: dict[str, Tensor], factor: float) -> None:
    for name, numbers in made.items():
        if name.endswith(LAST):
            made[name] = numbers * factor


def answers(made: dict[str, Tensor], factor: float) -> None:
    for name in ("tower.norm.weight", "tower.norm.bias"):
        if name in made:
            made[name] = made[name] * factor


def _by_head(stacked: Tensor, c: Any) -> tuple[Tensor, ...]:
    """Queries, keys and values (heads or groups, K, ...)."""
    groups = c.groups or c.heads
    return stacked.unflatten(0, (c.heads + 2 * groups, -1)).split((c.heads, groups, groups))
