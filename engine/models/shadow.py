"""Shadow: a net's numbers, shared, in a net of which nothing is learned.

What      a loss is followed back to the numbers that a net shows, not to its weights
Differs   Made once for each net; it lives as long as the net
"""

from __future__ import annotations

from copy import deepcopy
from typing import Any
from weakref import WeakKeyDictionary

from torch import nn

_shadows: WeakKeyDictionary[nn.Module, nn.Module] = WeakKeyDictionary()


def shadow(net: nn.Module) -> nn.Module:
    """The same net, its numbers shared, that takes no gradient of its weights."""
    found = _shadows.get(net)
    if found is None:
        memo: dict[int, Any] = {
            id(p): nn.Parameter(p.detach(), requires_grad=False) for p in net.parameters()
        }
        memo |= {id(b): b for b in net.buffers()}
        found = _shadows[net] = deepcopy(net, memo).eval()
    return found
