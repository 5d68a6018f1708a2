"""The memory ledger of an answer: which step wrote what the last layer's state holds, and so its logit.

What      the state of the last layer is h = g * c, c_T = sum over k of kept_k * write_k (engine/analysis/ledger.py);
          step k adds w . (g * kept_k * write_k) to the logit, w the answer's row of the output layer, less that of the
          answer it is compared with, or the mean of all rows
Source    additive memory: Hochreiter & Schmidhuber, Long Short-Term Memory, 1997, sec. 3.2; Murdoch & Szlam, Automatic
          Rule Extraction from Long Short Term Memory Networks, 2017 (such a sum as an explanation)
Shapes    T = tokens, U = units
Differs   Exact as a sum.  A gate of step k is given as it was: it read earlier tokens too, and the sum does not say so.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.analysis import ledger
from engine.analysis.attribution.game import Target
from engine.core.trace import Trace
from engine.models.abilities import Remembers
from engine.models.labelling_recurrent import RecurrentLabellingModel
from engine.models.pooling import Pooling
from engine.models.recurrent import RecurrentModel
from engine.text.tokenizers.base import Tokens


def has_ledger(model: object) -> bool:
    """Whether its answer is read out from one memory that is a sum over steps."""
    kinds = RecurrentModel | RecurrentLabellingModel
    if not isinstance(model, kinds) or isinstance(model, Pooling):
        return False
    net: Any = model.net
    return len(model.memories) == 1 and not len(net.skips) and model.forwards


def fields(model: Remembers[Any]) -> tuple[str, ...]:
    """What of a trace it is made of."""
    (memory,) = model.memories
    return (*{"hidden", memory.state, memory.keep, *memory.write} - {""},)


def adds(
    model: Remembers[Any], tokens: Tokens, target: Target, trace: Trace | None = None
) -> np.ndarray:
    """(T,) in units of the logit: what each step adds to it.  ValueError where `has_ledger` says no.

    trace  of these tokens and perhaps more, with `fields`, where there is one
    """
    if not has_ledger(model):
        raise ValueError("no single memory that is a sum over steps is read out here")
    (memory,) = model.memories
    if trace is None:
        trace = model.trace("", fields=fields(model), tokens=tokens)
    at = (slice(-1, None), slice(0, len(tokens)))
    keep_TU, write_TU, state_TU = (part[0] for part in ledger.numbers(trace, memory, at))
    hidden_U = trace.field("hidden").values[-1, len(tokens) - 1].astype(float)
    left_TU = np.ones_like(write_TU)  # of each step, at the last
    left_TU[:-1] = np.cumprod(keep_TU[:0:-1], axis=0)[::-1]
    held_U = state_TU[-1]
    there_U = np.abs(held_U) > 1e-12
    gain_U = np.divide(hidden_U, held_U, out=np.zeros_like(held_U), where=there_U)
    return np.asarray((left_TU * write_TU * gain_U) @ row(model, target))


def row(model: Remembers[Any], target: Target) -> np.ndarray:
    """(U,) what the logit is the product of, with the state."""
    net: Any = model.net
    w_VU = net.head.weight.detach().double().cpu().numpy()
    other_U = w_VU.mean(0) if target.other is None else w_VU[target.other]
    return np.asarray(w_VU[target.word] - other_U)
