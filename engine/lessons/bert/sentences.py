"""Sentences: one vector for each, the mean of what the last layer gives its tokens, normalised where it
ends in a norm.

What      v = mean_t x_t, the marks [CLS] and [SEP] among the tokens;
          cos(u, v) of each two sentences
Source    Reimers & Gurevych, Sentence-BERT, 2019, sec. 3; the modules "mean pooling" and
          "normalize" of the sentence-transformers library
Shapes    N = sentences, T = tokens of one, D = width
Differs   A sentence is cut where the model ends, not where the library was told to cut it: at 512
          tokens of all-MiniLM-L6-v2, not at 256.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from engine.lessons.bert.masked_prediction import fit
from engine.models.abilities import Attends
from engine.models.base import Model


def vectors(model: Model[Any], sentences: Sequence[str]) -> np.ndarray:
    """(N, D), each of length 1."""
    means = []
    for text in sentences:
        trace = model.trace(text, fields=("residual",), tokens=fit(model, model.tokens(text)))
        last_TD = trace.field("residual").values[-1]
        if isinstance(model, Attends) and (norm := model.tower.norm) is not None:
            last_TD = _normed(norm, last_TD)
        means.append(last_TD.mean(0, dtype=np.float64))
    mean_ND = np.stack(means)
    unit_ND: np.ndarray = mean_ND / np.maximum(
        np.linalg.norm(mean_ND, axis=1, keepdims=True), 1e-12
    )
    return unit_ND


def _normed(norm: Any, x_TD: np.ndarray) -> np.ndarray:
    import torch

    there = next(norm.parameters())
    with torch.inference_mode():
        found: np.ndarray = norm(torch.from_numpy(x_TD.copy()).to(there)).cpu().numpy()
    return found


def closest(cosine_NN: np.ndarray) -> tuple[int, int]:
    """The two sentences that are most alike."""
    pairs = np.triu_indices(len(cosine_NN), 1)
    best = int(cosine_NN[pairs].argmax())
    return int(pairs[0][best]), int(pairs[1][best])
