"""How much each head brings to one token from tokens further back than the one before it.

What      || sum_k A[q, k] v[k] W_O ||, over the tokens k between the start mark and q - 1; of the
          first tokens, which have none there, over all before q
Source    Kobayashi, Kuribayashi, Yokoi & Inui, Attention is Not Only a Weight: Analyzing Transformers
          with Vector Norms, EMNLP 2020, sec. 3 (weight and value together)
Shapes    L = layers, N = heads, G = groups of heads that share values, K = width of a head, D = width,
          T = tokens
Differs   The vectors are added up before the norm is taken: what is written, not how much is moved.
          The token before is left out, for in most models some head copies it whatever the text says.
"""

from __future__ import annotations

import numpy as np
import torch

from engine.core.cache import remembered
from engine.core.trace import Trace
from engine.models.abilities import Attends

NEEDS = ("attention", "value")


def measure_brought(model: Attends[object], trace: Trace, marks: int) -> np.ndarray:
    """(L, N) for the last token of the trace, which holds NEEDS of at least one token.

    marks  leading tokens that stand for no character
    """
    weight_LN1T = trace.field("attention").rows(len(trace.tokens) - 1)
    value_LGTK = trace.field("value").values
    q = len(trace.tokens) - 1
    first, stop = (marks, q - 1) if q - 1 > marks else (0, q)
    weight_LNT, value_LGTK = weight_LN1T[:, :, 0, first:stop], value_LGTK[:, :, first:stop]
    heads, groups = weight_LNT.shape[1], value_LGTK.shape[1]
    value_LNTK = np.repeat(value_LGTK, heads // groups, 1) if groups < heads else value_LGTK
    read_LNK = (weight_LNT[:, :, None] @ value_LNTK)[:, :, 0]
    square_LN = ((read_LNK[:, :, None] @ _written(model))[:, :, 0] * read_LNK).sum(-1)
    found: np.ndarray = np.sqrt(np.maximum(square_LN, 0))
    return found


def strongest(model: Attends[object], trace: Trace, marks: int) -> tuple[int, int, float]:
    """(layer, head, how much) of the head that brings most to the last token."""
    far_LN = measure_brought(model, trace, marks)
    layer, head = np.unravel_index(int(far_LN.argmax()), far_LN.shape)
    return int(layer), int(head), float(far_LN[layer, head])


@remembered(8)
def _written(model: Attends[object]) -> np.ndarray:
    """(L, N, K, K): W_O times its transpose, head by head, so that a norm costs K x K."""
    found = []
    with torch.inference_mode():
        for layer in range(model.tower.design.layers):
            attention = model.tower.block(layer).attention
            out_DNK = (
                attention.out.weight.detach().cpu().float().unflatten(1, (attention.heads, -1))
            )
            found.append(torch.einsum("dnk,dnj->nkj", out_DNK, out_DNK).numpy())
    return np.stack(found)
