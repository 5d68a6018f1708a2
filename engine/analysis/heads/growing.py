"""All heads of a text that grows: of one token more, only its row of each head is worked out.

What      of every row of attention what reaches it (average, maximum, rollout of its layer) and what
          heads are sorted by; and the small picture of each head, of which a new row changes the last
          cells.  What later tokens cannot change is kept, where it lies
Source    rollout: engine/analysis/heads/combine.py; its row t needs the rows up to t of the layer
          before, no others, as a causal model's weights are 0 behind them
Shapes    L = layers, N = heads, H = N + 3 (average, maximum, rollout), T = tokens, R = those of them
          that are new, n = cells of a side
Differs   For causal models only.  It gives the numbers of thumbnails.py.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from engine.analysis.heads.combine import NAMES
from engine.analysis.heads.thumbnails import cells, pooled
from engine.core.numbers import Numbers, tensor

ROLLOUT = NAMES.index("rollout")


@dataclass(frozen=True, slots=True, eq=False)
class Growing:
    """Where the weights lie.

    weight     (L, N, T, T), the model's own
    combined   (L, 3, T, T)
    counted    (3, L, N, T): per row its entropy in bits, how many tokens back it looks, its weight on
               the first token
    thumbnail  (L, H, n, n): the largest weight under each cell
    cell       tokens on one side of a cell
    """

    weight: Numbers
    combined: Numbers
    counted: Numbers
    thumbnail: Numbers
    cell: int

    @property
    def size_bytes(self) -> int:
        """Without the weights, which the trace counts."""
        return sum(n.size_bytes for n in (self.combined, self.counted, self.thumbnail))

    @property
    def device(self) -> str:
        return self.weight.device

    def opened(self, layer: int, head: int) -> Numbers:
        """The weights (T, T) of one head; behind the model's own stand the combined ones."""
        own = self.weight.shape[1]
        of, head = (self.weight, head) if head < own else (self.combined, head - own)
        return of.picked((layer, head, slice(None), slice(None)))

    def statistic(self) -> np.ndarray:
        """(3, L, N): means over the rows behind the first token's own."""
        counted_3LNT = tensor(self.counted.joined())
        begun = int(counted_3LNT.shape[-1] > 1)
        return np.asarray(counted_3LNT[..., begun:].mean(-1).cpu().numpy())


@torch.inference_mode()
def grown(weight: Numbers, before: Growing | None, same: int) -> Growing:
    """The wall of these weights (L, N, T, T), at least one token.

    before  that of an earlier text whose first `same` tokens these are too
    """
    count = weight.shape[2]
    keep = min(same, before.weight.shape[2], count) if before else 0
    if before is None or not keep:
        combined, counted = None, None
    else:
        combined, counted = before.combined.first(keep), before.counted.first(keep)
    if combined is None or counted is None or keep < count:
        weight_LNRT = tensor(weight.part(keep))
        rows = Numbers((_combined(weight_LNRT, combined, keep),), 2, 3)
        about = Numbers((_counted(weight_LNRT, keep),), 3)
        combined = combined.grown(rows) if combined else rows
        counted = counted.grown(about) if counted else about
    cell = cells(count)
    first = keep // cell if before and before.cell == cell else 0
    both_LHRT = torch.cat([tensor(part.part(first * cell)) for part in (weight, combined)], 1)
    fresh = Numbers((pooled(both_LHRT, cell),), 2, 3)
    thumbnail = before.thumbnail.first(first).grown(fresh) if before and first else fresh
    return Growing(weight, combined, counted, thumbnail, cell)


def _combined(weight_LNRT: Tensor, before: Numbers | None, keep: int) -> Tensor:
    """(L, 3, R, T): the rows from `keep` on; `before` (L, 3, keep, keep) are those before them."""
    average_LRT, maximum_LRT = weight_LNRT.mean(1), weight_LNRT.amax(1)
    half_LRT = average_LRT / 2
    place_R = torch.arange(half_LRT.shape[1], device=half_LRT.device)
    half_LRT[:, place_R, keep + place_R] += 0.5
    rolled: list[Tensor] = []
    for layer, half_RT in enumerate(half_LRT):
        if not layer:
            rolled.append(half_RT)
            continue
        found_RT, at = half_RT[:, keep:] @ rolled[-1], 0
        for piece in before.pieces if before else ():
            old_PK = tensor(piece)[layer - 1, ROLLOUT].to(half_RT.device)
            found_RT[:, : old_PK.shape[1]] += half_RT[:, at : at + len(old_PK)] @ old_PK
            at += len(old_PK)
        rolled.append(found_RT)
    return torch.stack([average_LRT, maximum_LRT, torch.stack(rolled)], 1)


def _counted(weight_LNRT: Tensor, keep: int) -> Tensor:
    """(3, L, N, R)."""
    rows, count = weight_LNRT.shape[2:]
    place_T = torch.arange(count, dtype=weight_LNRT.dtype, device=weight_LNRT.device)
    far_RT = (place_T[keep : keep + rows, None] - place_T).abs()
    bits_LNR = torch.special.entr(weight_LNRT).sum(-1) / math.log(2)
    return torch.stack([bits_LNR, (weight_LNRT * far_RT).sum(-1), weight_LNRT[..., 0]])
