"""How the weights of a cell begin.

What      uniform: U(-0.1, 0.1); xavier: U(+-sqrt(6 / (in + out))); he: U(+-sqrt(6 / in));
          orthogonal: Q with Q Q^T = 1 for the state before, xavier for the input; each gate's block
          by itself; biases 0; forget gate's bias as asked
Source    Glorot & Bengio, 2010; He, Zhang, Ren & Sun, 2015; Saxe, McClelland & Ganguli, 2014;
          forget bias: Gers, Schmidhuber & Cummins, 2000, and Jozefowicz, Zaremba & Sutskever, 2015
Shapes    H = units; a block is (H, in)
Differs   Torch and many listings draw the stacked (4 H, in) matrix at once, which makes Xavier's
          bound too small; here block by block.  Where a cell has two biases, the forget bias is
          what they add up to.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor, nn

from engine.language.message import refusal
from engine.nn.cells.base import Cell

_Start = Callable[[Tensor], object]
STARTS: dict[str, tuple[_Start, _Start]] = {  # for the input's block, for the recurrent block
    "uniform": (lambda w: nn.init.uniform_(w, -0.1, 0.1),) * 2,
    "xavier": (nn.init.xavier_uniform_,) * 2,
    "he": (lambda w: nn.init.kaiming_uniform_(w, nonlinearity="relu"),) * 2,
    "orthogonal": (nn.init.xavier_uniform_, nn.init.orthogonal_),
}


@torch.no_grad()
def initialise(cell: Cell, start: str, forget_bias: float = 0.0) -> None:
    """`start`: "torch" leaves what is there, or a name in STARTS.  ValueError for another."""
    if start != "torch" and start not in STARTS:
        raise refusal("start is torch, {STARTS}, not {start!r}")
    w_ED, u_EH, biases = cell.matrices()
    if start != "torch":
        into, back = STARTS[start]
        for block in w_ED.split(cell.h):
            into(block)
        for block in u_EH.split(cell.h):
            back(block)
        for bias in biases:
            bias.zero_()
        cell.begin()
    for n, gate in enumerate(cell.gates):
        if forget_bias and gate == "gate.forget":
            rows = slice(n * cell.h, (n + 1) * cell.h)
            for bias in biases:
                bias[rows] = 0
            biases[0][rows] = forget_bias
