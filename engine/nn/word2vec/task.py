"""Task: what an output layer of word2vec is asked, and what it answers.

What      Skip-gram asks for every word of the window from the centre's vector, CBOW for the centre
          from the window's mean
Source    Mikolov, Chen, Corrado & Dean, Efficient Estimation of Word Representations in Vector
          Space, 2013, sec. 3
Shapes    D = width, G = groups, B = hidden vectors in a group, T = targets of a group, S = its
          noise words
Differs   nothing
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from torch import Tensor

# Rows of the output table (ids), by what each moves per unit of rate, and how many updates that is.
Move = tuple[Tensor, Tensor, Tensor]


@dataclass(frozen=True, slots=True)
class Task:
    """h_GBD       hidden vectors
    target_GT   words to be told from the others
    pair_GBT    1 where hidden vector b is asked for target t, else 0
    noise_GS    noise words of a group
    """

    h_GBD: Tensor
    target_GT: Tensor
    pair_GBT: Tensor
    noise_GS: Tensor


# (task, output table, measure) -> minus the gradient of each hidden vector (G, B, D), moves of the
# table, nats in all
Output = Callable[[Task, Tensor, bool], tuple[Tensor, Move, float]]
