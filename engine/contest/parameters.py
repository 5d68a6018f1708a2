"""Parameters of one recurrent layer, by formula: how many numbers each cell has to learn.

What      a block takes h (h + d) weights and h biases; an RNN has one block, a GRU three, an LSTM four, the dual memory six
Source    read off the equations of the cells in engine/nn/cells; no weight is made
Shapes    d = numbers in the input, h = units
Differs   Torch keeps two biases for each block, which only ever act as their sum: h more for each block.
"""

from __future__ import annotations

from collections.abc import Callable

# blocks of h (d + h + 1), and what a cell has besides
BLOCKS: dict[str, int] = {
    "rnn": 1, "mgu": 2, "gru": 3, "gru_after": 3, "lstm1997": 3, "coupled": 3, "lstm": 4, "peephole": 4, "layernorm_lstm": 4, "dual_memory": 6,
}  # fmt: skip
MORE: dict[str, Callable[[int], int]] = {
    "peephole": lambda h: 3 * h,  # from the memory to each gate
    "layernorm_lstm": lambda h: 18 * h,  # gain and bias of N(W x), N(U h) and N(c)
}
TORCH = {"rnn": "nn.RNN", "gru_after": "nn.GRU", "lstm": "nn.LSTM"}


def parameters(cell: str, d: int, h: int, biases: int = 1) -> int:
    """KeyError for a cell that is not listed."""
    return BLOCKS[cell] * h * (d + h + biases) + MORE.get(cell, lambda h: 0)(h)


def concatenated(d: int, h: int) -> int:
    """The dual memory with concatenation: its hidden state has 2 h numbers, so every block reads 2 h, and o has two blocks."""
    return 7 * h * (d + 2 * h + 1)


def units_for(cell: str, d: int, wanted: int) -> int:
    """The units with which the count comes nearest to `wanted`; at least 1."""
    h = 1
    while parameters(cell, d, h + 1) <= wanted:
        h += 1
    return min((h, h + 1), key=lambda n: (abs(parameters(cell, d, n) - wanted), n))
