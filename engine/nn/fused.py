"""The gates inside torch's fused LSTM kernel, at the price of the kernel alone.

What      on a CPU torch runs an LSTM layer through oneDNN, which keeps all gates of all tokens when
          gradients are on, for the backward pass; they are read from there
Shapes    T = tokens, H = units, E = 4 H
Differs   Where they lie is not documented: rows of E numbers (i, f, g, o), each row padded for the
          processor's cache.
          So what is found is believed only if o * tanh(c), with c from i, f and g, is the hidden
          state that the
          kernel returned, at every token.  None otherwise: another processor, another version, a
          batch.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor, nn

NEAR = 1e-5
LINE = 16  # float32 numbers in a cache line of 64 bytes
ALIAS = 256  # rows of a multiple of this many numbers would fall on the same lines of the cache


def gates_of_the_kernel(
    fused: nn.LSTM, x_BTD: Tensor, h_BH: Tensor, c_BH: Tensor
) -> tuple[Tensor, ...] | None:
    """(i, f, g, o, cell, hidden), each (1, T, H), or None."""
    h = fused.hidden_size
    if (
        x_BTD.device.type != "cpu"
        or len(x_BTD) > 1
        or x_BTD.dtype != torch.float32
        or x_BTD.shape[1] == 0
    ):
        return None
    w, u, b, b2 = (p.detach() for p in fused.parameters())
    try:
        with torch.inference_mode(False), torch.enable_grad():
            x_TBD, start = (
                x_BTD.detach().clone().transpose(0, 1).contiguous(),
                (h_BH.clone()[None], c_BH.clone()[None]),
            )
            h_TBH, _, _, space = torch.ops.aten.mkldnn_rnn_layer(  # mode 2 is an LSTM
                x_TBD,
                w,
                u,
                b,
                b2,
                *(s[0] for s in start),
                False,
                [],
                2,
                h,
                1,
                True,
                False,
                False,
                True,
            )
    except RuntimeError:  # a torch built without oneDNN
        return None
    if space is None:
        return None
    count, rows = len(h_TBH), -(-4 * h // LINE) * LINE
    rows += LINE if rows % ALIAS == 0 else 0
    numbers = space.numpy().view(np.float32)
    if len(numbers) < count * rows:
        return None
    a_TE = torch.from_numpy(numbers[: count * rows].reshape(count, rows)[:, : 4 * h])
    i, f, g, o = a_TE.chunk(4, -1)
    c_TH = scan(f[None], (i * g)[None], c_BH)[0]
    hidden_TH = h_TBH[:, 0]
    if not torch.allclose(o * c_TH.tanh(), hidden_TH, rtol=0, atol=NEAR):
        return None
    return i[None], f[None], g[None], o[None], c_TH[None], hidden_TH[None]


def scan(f_BTH: Tensor, new_BTH: Tensor, c_BH: Tensor) -> Tensor:
    """c_t = f_t * c_{t-1} + new_t, from c_BH."""
    if f_BTH.device.type == "cpu" and len(f_BTH) == 1 and not torch.is_grad_enabled():
        # a step in numpy costs a third of one in torch
        f, new, c = (f_BTH[0].numpy(), new_BTH[0].numpy().copy(), c_BH[0].numpy())
        for t in range(len(new)):
            new[t] += f[t] * c
            c = new[t]
        return torch.from_numpy(new)[None]
    rows, c_now = [], c_BH
    for t in range(f_BTH.shape[1]):
        c_now = f_BTH[:, t] * c_now + new_BTH[:, t]
        rows.append(c_now)
    return torch.stack(rows, 1)
