"""Divergence: a loss that is no number any more, and where in the net that began.

What      weights are looked at first, then what each part of the net gives, in the order of the
          forward pass, then gradients
Differs   Only done once a training has failed: it costs one more forward pass.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import torch
from torch import Tensor, nn

from engine.language.message import _


class Diverged(ValueError):
    """Training that can't go on.  `locate` names the first part that held what is no number; empty
    where none was found."""

    def __init__(self, step: int, rate: float, where: str) -> None:
        self.step, self.rate, self.where = step, rate, where
        what = _("the loss is no longer a number at step {step}", step=step)
        if where:
            what += _("; it began in {where}", where=where)
        super().__init__(what + _("; try a rate below {rate:g}", rate=rate))


def is_sound(loss: float, norm: float, scaled: bool = False) -> bool:
    """Whether a step can be taken; a `scaled` loss may have gradients that overflow."""
    return math.isfinite(loss) and (scaled or math.isfinite(norm))


def unsound(loss: Tensor, norm: Tensor) -> Tensor:
    """1 where a step can't be taken, else 0, where the numbers lie: nothing waits for a GPU."""
    return (loss.isfinite() & norm.isfinite()).logical_not().float()


@torch.no_grad()
def locate(net: nn.Module, read: Callable[..., Any], inputs: Iterable[Sequence[Any]]) -> str:
    """The first part of `net` whose numbers are not finite when `read` is given each of the inputs
    again."""
    for name, p in net.named_parameters():
        if not p.isfinite().all():
            return _("the weights {name}", name=name)
    found: list[str] = []

    def look(name: str) -> Callable[..., None]:
        def hook(_part: nn.Module, _read: Any, given: Any) -> None:
            parts = given if isinstance(given, tuple) else (given,)
            if not found and any(
                isinstance(part, Tensor) and part.is_floating_point() and not part.isfinite().all()
                for part in parts
            ):
                found.append(name)

        return hook

    hooks = [part.register_forward_hook(look(name)) for name, part in net.named_modules() if name]
    try:
        for given in inputs:
            read(*given)
    finally:
        for hook in hooks:
            hook.remove()
    if found:
        return _("what {name} gives", name=found[0])
    return next(
        (
            _("the gradient of {name}", name=name)
            for name, p in net.named_parameters()
            if p.grad is not None and not p.grad.isfinite().all()
        ),
        "",
    )
