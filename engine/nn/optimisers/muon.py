"""Muon: the mean gradient of a matrix, with all its directions made equally strong; Adam for
everything that is no matrix.

What      v = momentum v + g;  O = orthogonal(g + momentum v);  w = w - rate decay w - rate 0.2
          sqrt(max(rows, columns)) O
          orthogonal(M) = U V^T of M = U S V^T, nearly: five times X = a X + (b A + c A A) X, A = X
          X^T, from X = M / |M|
          tables of vectors (embeddings), biases and norms: as AdamW
Source    Jordan et al., Muon: An Optimizer for Hidden Layers in Neural Networks, 2024; the factor
          0.2 sqrt(max(rows, columns)), which makes its steps as long as Adam's: Liu et al., Muon is
          Scalable for LLM Training, 2025, sec. 2.2
Shapes    w, g and v of one parameter have its shape
Differs   In half the digits only where the training is (`mixed`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn
from torch.optim import Optimizer

from engine.nn.optimisers import adamw
from engine.nn.optimisers.base import Optimiser
from engine.nn.plan import Plan

A, B, C = 3.4445, -4.7750, 2.0315
ROUNDS = 5
KEPT, EPSILON = 0.99, 1e-8  # of Adam's squares, as in adamw.py


def orthogonal(m_RC: Tensor, half: bool = False) -> Tensor:
    """Nearly U V^T (rows, columns); singular values end between 0.7 and 1.2."""
    x = m_RC / (m_RC.norm() + 1e-12)
    x = x.bfloat16() if half else x
    high = len(x) > x.shape[1]
    x = x.T if high else x
    for _ in range(ROUNDS):
        a = x @ x.T
        x = A * x + (B * a + C * (a @ a)) @ x
    return (x.T if high else x).to(m_RC.dtype)


class Muon(Optimizer):
    def __init__(self, net: nn.Module, plan: Plan) -> None:
        super().__init__(net.parameters(), {"lr": plan.rate})
        self.tables = {id(part.weight) for part in net.modules() if isinstance(part, nn.Embedding)}
        self.plan = plan

    @torch.no_grad()
    def step(self, closure: Callable[[], float] | None = None) -> None:  # type: ignore[override]
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is not None:
                    p.mul_(1 - group["lr"] * self.plan.decay)
                    step = (
                        self._matrix if p.dim() == 2 and id(p) not in self.tables else self._other
                    )
                    p.sub_(step(p, self.state[p]), alpha=group["lr"])

    def _matrix(self, p: Tensor, kept: dict[str, Any]) -> Tensor:
        v = kept.setdefault("momentum_buffer", torch.zeros_like(p))
        v.mul_(self.plan.momentum).add_(p.grad)
        assert p.grad is not None
        return orthogonal(p.grad + self.plan.momentum * v, self.plan.mixed) * (
            0.2 * max(p.shape) ** 0.5
        )

    def _other(self, p: Tensor, kept: dict[str, Any]) -> Tensor:
        assert p.grad is not None
        m, s = (kept.setdefault(name, torch.zeros_like(p)) for name in ("exp_avg", "exp_avg_sq"))
        t = kept.setdefault("step", torch.zeros(()))
        t += 1
        m.lerp_(p.grad, 1 - self.plan.momentum)
        s.mul_(KEPT).addcmul_(p.grad, p.grad, value=1 - KEPT)
        return (
            m / (1 - self.plan.momentum ** int(t)) / ((s / (1 - KEPT ** int(t))).sqrt() + EPSILON)
        )


def plain(net: nn.Module, plan: Plan) -> list[Optimizer]:
    """Torch's Muon for the matrices, its AdamW for the rest."""
    tables = {id(part.weight) for part in net.modules() if isinstance(part, nn.Embedding)}
    matrices = {id(p): p for p in net.parameters() if p.dim() == 2 and id(p) not in tables}
    rest = [p for p in net.parameters() if id(p) not in matrices]
    return [
        adamw.plain(rest, plan),
        torch.optim.Muon(
            matrices.values(), plan.rate, plan.decay, plan.momentum, adjust_lr_fn="match_rms_adamw"
        ),
    ]


OPTIMISER = Optimiser(
    "Updates all directions of a weight matrix equally strongly; everything that is not a"
    " matrix learns as with AdamW.",
    Muon,
    baseline=plain,
)
