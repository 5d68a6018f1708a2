"""LSTM layer, every gate in the open.

What      i, f, o = sigmoid(W x + U h + b); g = tanh(W x + U h + b); c = f * c' + i * g; h = o * tanh(c)
Source    Hochreiter & Schmidhuber, Long Short-Term Memory, 1997; forget gate: Gers, Schmidhuber & Cummins, 2000
Shapes    B = batch, T = tokens, D = input width, H = units, E = 4 H, I = D + H
Differs   The states come from torch's fused kernel, which hides the gates; as every h before a token is
          known then, all gates follow from one product over all tokens.  Step by step only when a number
          is edited, because then each step depends on the edit before it, or when a run goes on by a few tokens.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from engine.tap import Tap, passthrough

NAMES = ("gate.input", "gate.forget", "candidate", "gate.output", "cell", "hidden")
AXES = ("batch", "token", "unit")
UNIT = ("batch", "unit")
FEW = 4  # tokens; for so few the fused kernel takes longer to lay out its weights than the steps take


class LSTMLayer(nn.Module):
    """One layer; parameters as in `torch.nn.LSTM` (gate order i, f, g, o; two biases)."""

    def __init__(self, d: int, h: int) -> None:
        super().__init__()
        self.fused = nn.LSTM(d, h, batch_first=True)

    def forward(self, x_BTD: Tensor, tap: Tap = passthrough, last: tuple[Tensor, Tensor] | None = None) -> Tensor:
        """Hidden states (B, T, H), from the states (B, H) before these tokens, or from zeros."""
        if tap.edits(*NAMES) or (last and x_BTD.shape[1] <= FEW):
            return self._steps(x_BTD, tap, last)
        h_BTH, _ = self.fused(x_BTD, (last[0][None], last[1][None]) if last else None)
        if any(tap.wants(name) for name in NAMES):
            h_BH, c_BH = last or (torch.zeros_like(h_BTH[:, 0]),) * 2
            self._replay(x_BTD, h_BTH, h_BH, c_BH, tap)
        else:
            for name in NAMES:
                tap(name, h_BTH, AXES)
        return h_BTH

    def _replay(self, x_BTD: Tensor, h_BTH: Tensor, h_BH: Tensor, c_BH: Tensor, tap: Tap) -> None:
        w_ED, u_EH, b_E, b2_E = self.fused.parameters()
        before_BTH = torch.cat([h_BH[:, None], h_BTH[:, :-1]], 1)
        a_BTE = torch.addmm(b_E + b2_E, x_BTD[0], w_ED.T).addmm_(before_BTH[0], u_EH.T)[None]
        i, f, g, o = a_BTE.chunk(4, -1)
        i, f, g, o = i.sigmoid(), f.sigmoid(), g.tanh(), o.sigmoid()
        c_BTH = _scan(f[0], (i * g)[0], c_BH[0])[None]
        for name, value in zip(NAMES, (i, f, g, o, c_BTH, h_BTH), strict=True):
            tap(name, value, AXES)

    def _steps(self, x_BTD: Tensor, tap: Tap, last: tuple[Tensor, Tensor] | None) -> Tensor:
        w_ED, u_EH, b_E, b2_E = self.fused.parameters()
        a_BTE = x_BTD @ w_ED.T + b_E + b2_E
        h, c = last or (torch.zeros_like(a_BTE[:, 0, : self.fused.hidden_size]),) * 2
        rows: list[tuple[Tensor, ...]] = []
        for t in range(a_BTE.shape[1]):
            here = tap.at(token=t)
            i, f, g, o = (a_BTE[:, t] + h @ u_EH.T).chunk(4, -1)
            i, f = here.change("gate.input", i.sigmoid(), UNIT), here.change("gate.forget", f.sigmoid(), UNIT)
            g, o = here.change("candidate", g.tanh(), UNIT), here.change("gate.output", o.sigmoid(), UNIT)
            c = here.change("cell", f * c + i * g, UNIT)
            h = here.change("hidden", o * c.tanh(), UNIT)
            rows.append((i, f, g, o, c, h))
        for name, values in zip(NAMES, zip(*rows, strict=True), strict=True):
            tap(name, torch.stack(values, 1), AXES)
        return torch.stack([row[-1] for row in rows], 1)


def _scan(f_TH: Tensor, new_TH: Tensor, c_H: Tensor) -> Tensor:
    """c_t = f_t * c_{t-1} + new_t, from c_H."""
    c_TH = torch.empty_like(new_TH)
    if c_TH.device.type == "cpu":  # a step in numpy costs a third of a step in torch
        f_np, new_np, c_np = f_TH.detach().numpy(), new_TH.detach().numpy(), c_TH.numpy()
        c_np[0] = f_np[0] * c_H.detach().numpy() + new_np[0]
        for t in range(1, len(c_np)):
            c_np[t] = f_np[t] * c_np[t - 1] + new_np[t]
        return c_TH
    c = c_H
    for t in range(len(c_TH)):
        c = f_TH[t] * c + new_TH[t]
        c_TH[t] = c
    return c_TH
