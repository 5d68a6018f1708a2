"""Layers: the last ones learn, and what reads them out; those below are frozen.

What      `unfrozen` = n: the output and the last n layers learn; n = 0: the output alone.
          `thaw_every` = m: the output begins, and every m steps one more layer learns, from the top
Source    Howard & Ruder, Universal Language Model Fine-tuning for Text Classification, 2018, sec. 3.2
Shapes    L = layers
Differs   layers[-n:] is all of them for n = 0; here it is none.
"""

from __future__ import annotations

from torch import nn

from engine.nn.plan import Training
from engine.nn.tuning.base import Tuning
from engine.nn.tuning.depth import Depths


def learns(net: nn.Module, plan: Training) -> dict[str, nn.Parameter]:
    found = Depths(net)
    lowest = max(1, found.top - plan.unfrozen)
    return {name: p for name, p in net.named_parameters() if found[name] >= lowest}


TUNING = Tuning("The last layers and the output learn; those below are frozen.", 1, learns)
