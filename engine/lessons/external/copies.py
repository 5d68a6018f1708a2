"""Copies: how many letters of a line "w=w" a model copies rightly, by how long w is.

What      each letter behind the mark is the likeliest one, all right ones before it given; the end of
          the line counts as a letter
Source    Graves, Wayne & Danihelka, Neural Turing Machines, 2014, sec. 4.1 (longer than in training)
Shapes    B = lines, n = letters of w, T = 2 n + 2 with the start mark
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import torch

from engine.models.neural import NeuralLanguageModel
from engine.models.ntm import NTM
from engine.text.corpora.repeats import written


def measure_copying(
    model: NeuralLanguageModel[Any], sizes: Sequence[int], lines: int = 24, seed: int = 7
) -> list[float]:
    """Per size the share of letters, 0 to 1, that are right in so many random lines."""
    rng = np.random.default_rng(seed)
    found = []
    for n in sizes:
        ids_BT = torch.from_numpy(
            np.stack([model.tokens(written(rng, n)).ids for _ in range(lines)])
        )
        device = next(model.net.parameters()).device
        with torch.inference_mode():
            said_BT = model.net(ids_BT.to(device)).argmax(-1).cpu()
        end_B1 = ids_BT[:, :1]  # the start mark ends a line, too
        due_BT = torch.cat([ids_BT, end_B1], 1)[:, n + 2 :]
        found.append(float((said_BT[:, n + 1 :] == due_BT).float().mean()))
    return found


def with_slots(model: NTM, slots: int) -> NTM:
    """The same machine with another number of slots: no weight belongs to a slot."""
    if slots == model.config.slots:
        return model
    return NTM.from_weights(replace(model.config, slots=slots), model.weights())
