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
Shapes    w, g and v of one parameter have its shape; K = matrices of R rows and C columns
Differs   In half the digits only where the training is (`mixed`).  On a GPU all matrices of one
          shape, or of that shape lying on its side, are made orthogonal in the same products.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn
from torch.optim import Optimizer
from torch.optim.adamw import adamw as fused_adamw

from engine.nn.optimisers import adamw
from engine.nn.optimisers.base import Optimiser
from engine.nn.plan import Plan

A, B, C = 3.4445, -4.7750, 2.0315
ROUNDS = 5
KEPT, EPSILON = 0.99, 1e-8  # of Adam's squares, as in adamw.py
SQUARES = ("exp_avg", "exp_avg_sq")
MOST = 1 << 26  # numbers in a stack: a few of them lie beside the weights for the time of a step


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


def all_orthogonal(m_KRC: Tensor, half: bool = False) -> Tensor:
    """The same of each of K matrices with no more rows than columns, all at once."""
    x = m_KRC / (torch.linalg.vector_norm(m_KRC, dim=(1, 2), keepdim=True) + 1e-12)
    x = x.bfloat16() if half else x
    for _ in range(ROUNDS):
        a = x @ x.mT
        x = torch.baddbmm(x, torch.baddbmm(a, a, a, beta=B, alpha=C), x, beta=A)
    return x.to(m_KRC.dtype)


class Muon(Optimizer):
    """`stacked`: matrices of one shape are taken together, which keeps a GPU busy, and nothing is
    asked of it; on a processor one after the other is as fast."""

    found_inf: Tensor | None = (
        None  # as of torch's fused optimisers: 1 where no step is to be taken
    )

    def __init__(self, net: nn.Module, plan: Plan, stacked: bool | None = None) -> None:
        super().__init__(net.parameters(), {"lr": plan.rate})
        tables = {id(part.weight) for part in net.modules() if isinstance(part, nn.Embedding)}
        self.matrices = {id(p) for p in net.parameters() if p.dim() == 2} - tables
        self.plan, self.stacked = plan, stacked

    @torch.no_grad()
    def step(self, closure: Callable[[], float] | None = None) -> None:  # type: ignore[override]
        for group in self.param_groups:
            learning = [p for p in group["params"] if p.grad is not None]
            if not learning:
                continue
            if learning[0].is_cuda if self.stacked is None else self.stacked:
                self._together(learning, group["lr"])
            elif self.found_inf is None or not self.found_inf:
                for p in learning:
                    p.mul_(1 - group["lr"] * self.plan.decay)
                    step = self._matrix if id(p) in self.matrices else self._other
                    p.sub_(step(p, self.state[p]), alpha=group["lr"])

    def _matrix(self, p: Tensor, kept: dict[str, Any]) -> Tensor:
        assert p.grad is not None
        (v,) = begun(kept, p, "momentum_buffer")
        v.mul_(self.plan.momentum).add_(p.grad)
        return orthogonal(p.grad + self.plan.momentum * v, self.plan.mixed) * strength(p)

    def _other(self, p: Tensor, kept: dict[str, Any]) -> Tensor:
        assert p.grad is not None
        m, s = begun(kept, p, *SQUARES)
        t = kept.setdefault("step", torch.zeros(()))
        t += 1
        m.lerp_(p.grad, 1 - self.plan.momentum)
        s.mul_(KEPT).addcmul_(p.grad, p.grad, value=1 - KEPT)
        return (
            m / (1 - self.plan.momentum ** int(t)) / ((s / (1 - KEPT ** int(t))).sqrt() + EPSILON)
        )

    def _together(self, learning: list[Tensor], rate: float) -> None:
        stacks: dict[tuple[int, int], list[Tensor]] = {}
        rest: list[Tensor] = []
        for p in learning:
            if id(p) in self.matrices:
                stacks.setdefault((min(p.shape), max(p.shape)), []).append(p)
            else:
                rest.append(p)
        for (rows, columns), alike in stacks.items():
            many = max(1, MOST // (rows * columns))
            for i in range(0, len(alike), many):
                self._stack(alike[i : i + many], rate)
        if rest:
            self._adamw(rest, rate)

    def _stack(self, alike: list[Tensor], rate: float) -> None:
        grads = [p.grad for p in alike if p.grad is not None]
        kept = [begun(self.state[p], p, "momentum_buffer")[0] for p in alike]
        torch._foreach_mul_(kept, self.plan.momentum)
        torch._foreach_add_(kept, grads)
        ahead = torch._foreach_mul(kept, self.plan.momentum)
        torch._foreach_add_(ahead, grads)
        m_KRC = torch.stack([m.T if is_tall(m) else m for m in ahead])
        decay: float | Tensor = 1 - rate * self.plan.decay
        if self.found_inf is not None:
            m_KRC.masked_fill_(self.found_inf > 0, 0.0)  # of nothing comes nothing
            decay = 1 - rate * self.plan.decay * (1 - self.found_inf)
        o_KRC = all_orthogonal(m_KRC, self.plan.mixed).mul_(-rate * strength(alike[0]))
        torch._foreach_mul_(alike, decay)
        torch._foreach_add_(alike, [o.T if is_tall(p) else o for p, o in zip(alike, o_KRC)])

    def _adamw(self, rest: list[Tensor], rate: float) -> None:
        """Torch's fused step."""
        means = [begun(self.state[p], p, *SQUARES) for p in rest]
        for p in rest:
            kept = self.state[p]
            kept["step"] = kept.get("step", torch.zeros((), device=p.device)).to(p.device)
        fused_adamw(
            rest,
            [p.grad for p in rest if p.grad is not None],
            [m for m, _ in means],
            [s for _, s in means],
            [],
            [self.state[p]["step"] for p in rest],
            fused=True,
            found_inf=self.found_inf,
            amsgrad=False,
            beta1=self.plan.momentum,
            beta2=KEPT,
            lr=rate,
            weight_decay=self.plan.decay,
            eps=EPSILON,
            maximize=False,
        )


def begun(kept: dict[str, Any], p: Tensor, *names: str) -> list[Tensor]:
    """What is kept of a parameter under these names; zeros at first."""
    for name in names:
        if name not in kept:
            kept[name] = torch.zeros_like(p)
    return [kept[name] for name in names]


def is_tall(m: Tensor) -> bool:
    """Whether a matrix has more rows than columns."""
    return len(m) > m.shape[1]


def strength(p: Tensor) -> float:
    """What makes a step as long as one of Adam."""
    return float(0.2 * max(p.shape) ** 0.5)


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
    guarded=True,
    baseline=plain,
)
