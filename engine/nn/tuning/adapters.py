"""Adapters: behind each feed-forward part a small net with a bottleneck learns; the rest is frozen.

What      y = x + W_up gelu(W_down x + b_down) + b_up;  W_up and b_up begin at 0, so that the net begins
          as it was
Source    Houlsby et al., Parameter-Efficient Transfer Learning for NLP, 2019, sec. 2; one in each
          layer, behind its feed-forward part: Pfeiffer et al., AdapterFusion, 2021
Shapes    D = width, M = inner width: 2 D M + D + M numbers in each layer
Differs   Houlsby begins near 0, not at it.  The notes put the adapter behind the norm of the layer; here
          it changes what the feed-forward part adds.
"""

from __future__ import annotations

from torch import Tensor, nn
from torch.nn import functional as F

from engine.nn.feed_forward import FeedForward
from engine.nn.plan import Training
from engine.nn.tuning.base import Tuning

NAME = "adapter"


class Bottleneck(nn.Module):
    def __init__(self, width: int, inner: int) -> None:
        super().__init__()
        self.down, self.up = nn.Linear(width, inner), nn.Linear(inner, width)
        nn.init.zeros_(self.up.weight)
        nn.init.zeros_(self.up.bias)

    def forward(self, x_BTD: Tensor) -> Tensor:
        found: Tensor = x_BTD + self.up(F.gelu(self.down(x_BTD)))
        return found


def adapt(part: nn.Module, given: tuple[Tensor, ...], out: Tensor) -> Tensor:
    """What a part gives, through its own adapter: the same function for every part, which asks the one
    that called it."""
    found: Tensor = part.get_submodule(NAME)(out)
    return found


def install(net: nn.Module, plan: Training) -> None:
    found = [part for part in net.modules() if isinstance(part, FeedForward)]
    if not found:
        raise ValueError(
            "this network has no feed-forward layers to put adapters behind; choose tune=layers"
        )
    for part in found:
        part.add_module(NAME, Bottleneck(part.up.in_features, plan.adapter_width))
        part.register_forward_hook(adapt)


def learns(net: nn.Module, plan: Training) -> dict[str, nn.Parameter]:
    return {
        f"{name}.{own}": p
        for name, module in net.named_modules()
        if isinstance(module, Bottleneck)
        for own, p in module.named_parameters()
    }


TUNING = Tuning(
    "Behind each frozen feed-forward part a small net with a bottleneck learns.", 2, learns, install
)
