"""Free running: what a translator writes when it reads its own words, beside what it expects when
it is handed the right ones (teacher forcing).

What      forced: P(y_t | right y_1 .. y_t-1, source); free: P(y_t | its own y_1 .. y_t-1, source),
          of which the likeliest is written and read next.  Both are the same up to the first word
          that it gets wrong
Source    teacher forcing: Williams & Zipser, A Learning Algorithm for Continually Running Fully
          Recurrent Neural Networks, 1989; the difference: Bengio et al., Scheduled Sampling for
          Sequence Prediction with Recurrent Neural Networks, 2015
Shapes    N = tokens written, the end mark among them, T = right tokens
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from engine.models.translating import TranslatingModel

MOST = 40  # tokens that are written


@dataclass(frozen=True, slots=True, eq=False)
class Free:
    """p_N      of each token that it writes
    right_N  of the right token at the same step, behind its own words; nan behind the last right
             one
    """

    ids: tuple[int, ...]
    p_N: np.ndarray
    right_N: np.ndarray


@torch.inference_mode()
def run(model: TranslatingModel[Any], source: np.ndarray, right: Sequence[int]) -> Free:
    """Greedy from the start mark; `source` (S,) and `right` (T,) are ids, the end mark of the
    source among them."""
    device = next(model.net.parameters()).device
    source_1S = torch.from_numpy(source)[None].to(device)
    ids = model.translated(source_1S, MOST)[0]
    read_1N = torch.tensor([[model.start, *ids[:-1]]], device=device)
    logit_1NV = model.halves.write(read_1N, model.halves.read(source_1S))
    p_NV = logit_1NV[0].float().softmax(-1).cpu().numpy()
    count = min(len(right), len(ids))
    right_N = np.full(len(ids), np.nan, np.float32)
    right_N[:count] = p_NV[np.arange(count), right[:count]]
    return Free(tuple(ids), p_NV[np.arange(len(ids)), ids], right_N)
