"""Cost: what a training takes before it begins, as the class of a model says it.

What      `Cut` is what a model makes of a text, `Cost` what learning from that takes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Cut:
    """A text as a model cuts it.

    labels   different ones, for a model that learns labels
    ngrams   different ones of each order, for a model that counts
    learned  numbers that a model of this text learns, where only beginning to train can tell
    whole    whether it was counted to its end, not carried on from its beginning
    """

    tokens: int
    vocabulary: int
    labels: int = 0
    ngrams: tuple[int, ...] = ()
    learned: int = 0
    whole: bool = True


@dataclass(frozen=True, slots=True)
class Cost:
    """`parameters` is 0 for a model that only counts.

    kept      numbers that the optimiser keeps for each parameter, which a checkpoint holds too
    stepwise  whether something is kept on the way: checkpoints, the best model, snapshots
    memory    bytes by what they are for, the program and the text left out; empty where only
              measuring can tell
    """

    parameters: int = 0
    kept: int = 0
    stepwise: bool = False
    memory: Mapping[str, int] = field(default_factory=dict)
