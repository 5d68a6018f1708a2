"""Align: distributions over one vocabulary as distributions over another, for models that read different ones.

Shapes    T = tokens, V = ids of the vocabulary that counts, U = ids of the other one
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def align(
    p_TU: np.ndarray,
    source: Sequence[str],
    target: Sequence[str],
    unknown: str = "<unk>",
    never: int | None = None,
) -> np.ndarray:
    """(T, V) distributions over one vocabulary as distributions over another; the texts must be cut
    alike.

    Tokens with the same spelling are the same token.  What goes to tokens that the target lacks
    goes to its <unk>.  What goes to the source's <unk> is shared alike by the target's <unk> and
    the target's tokens that the source lacks (but for `never`).  Where there is nobody to give it
    to, the rest is scaled to what the row had.
    """
    place = {token: id for id, token in enumerate(target)}
    known = set(source)
    to_U = np.array([place.get(token, -1) for token in source], np.int64)
    new = [id for id, token in enumerate(target) if token not in known and id != never]
    here = place.get(unknown)
    spread_U = to_U < 0
    out_TV = np.zeros((len(p_TU), len(target)))
    if unknown in known:
        own = list(source).index(unknown)
        receivers = sorted({*new, *([here] if here is not None else [])})
        spread_U[own] = False
        if receivers:
            out_TV[:, receivers] += p_TU[:, [own]] / len(receivers)
        to_U[own] = -1
    kept = np.flatnonzero(to_U >= 0)
    out_TV[:, to_U[kept]] += p_TU[:, kept]
    if here is not None:
        out_TV[:, here] += p_TU[:, spread_U].sum(1)
    sum_T1 = out_TV.sum(1, keepdims=True)
    total_T1 = p_TU.sum(1, keepdims=True)
    return out_TV * np.divide(total_T1, sum_T1, out=np.ones_like(sum_T1), where=sum_T1 > 0)
