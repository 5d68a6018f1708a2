"""Gradient checkpointing: a part of a net keeps only what goes into it; on the way back it is
computed once more.

What      memory of one part at a time instead of all of them, for a third to a half more time; the
          gradients are the same
Source    Chen, Xu, Zhang & Guestrin, Training Deep Nets with Sublinear Memory Cost, 2016;
          torch.utils.checkpoint does it
Differs   Each layer is one part.  Dropout draws the same numbers again.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import torch
from torch import nn
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils.checkpoint import checkpoint


class Layers(nn.Module):
    """A part of a net whose layers can be computed again on the way back, instead of kept."""

    recompute: bool = False


def switch_on(net: nn.Module) -> None:
    """In every part of a net that knows how."""
    for part in net.modules():
        if isinstance(part, Layers):
            part.recompute = True


def maybe_again(owner: Layers, part: Callable[..., Any], *inputs: Any) -> Any:
    """part(*inputs), in a training where `owner.recompute` says so with nothing kept on the way."""
    if not (owner.recompute and owner.training and torch.is_grad_enabled()):
        return part(*inputs)
    return checkpoint(part, *inputs, use_reentrant=False, context_fn=_contexts)


def _contexts() -> tuple[AbstractContextManager[Any], AbstractContextManager[Any]]:
    """The second time attention takes the kernel that it took the first time."""
    plain = not torch.backends.cuda.flash_sdp_enabled()
    return nullcontext(), sdpa_kernel(SDPBackend.MATH) if plain else nullcontext()
