"""Parameters of one recurrent layer, by formula: how many numbers each cell has to learn.

What      a block takes h (h + d) weights and h biases; an RNN has one block, a GRU three, an LSTM
          four, the dual memory six
Source    the cards of the cells in engine/nn/cells; no weight is made
Shapes    d = numbers in the input, h = units
Differs   Torch keeps two biases for each block, which only ever act as their sum: h more for each
          block.
"""

from __future__ import annotations

from engine.core import cell_card
from engine.core.cell_card import Card


def parameters(cell: str, d: int, h: int, biases: int = 1) -> int:
    """KeyError for a cell that does not exist."""
    return _count(cell_card.get(cell), d, h, biases)


def _count(said: Card, d: int, h: int, biases: int = 1) -> int:
    return said.blocks * h * (d + h + biases) + said.per_unit * h


def units_for(cell: str, d: int, wanted: int) -> int:
    """The units with which the count comes nearest to `wanted`; at least 1."""
    said, h = cell_card.get(cell), 1
    while _count(said, d, h + 1) <= wanted:
        h += 1
    return min((h, h + 1), key=lambda n: (abs(_count(said, d, n) - wanted), n))
