"""Buffers: where the numbers of a trace lie: one float32 array per field, in memory that is used
again.

What      Memory that was never touched costs more to touch than the attention of a long text costs
          to write, so what an earlier trace had is taken again once nothing looks at it any more
Differs   Whether anything still looks is read off Python's count of references: every view of an
          array counts as one of it, so an array with no more of them than an idle one has is free.
          A count too high only costs a new array; none can be too low while a view is alive.
          What nobody has taken again for a while is given back (`release`).
"""

from __future__ import annotations

import math
import sys
import threading
import time
from collections.abc import Mapping
from typing import Any

import numpy as np

from engine.core.cache import BUDGET_BYTES
from engine.core.numbers import stays

LARGE = 1 << 20  # bytes of one layer's part of a field
SPARE = BUDGET_BYTES["idle buffers"]
_buffers: list[np.ndarray] = [np.empty(0, np.float32)]
_taken: list[float] = [math.inf]  # when each was taken last, in seconds
# every view of an array counts as a reference to it: more than this, and somebody looks
_IDLE = sys.getrefcount(_buffers[0])
_lock = threading.Lock()


def buffer(shape: tuple[int, ...]) -> np.ndarray:
    """A float32 array with anything in it."""
    size = math.prod(shape)
    with _lock:
        free = _free()
        fits = [i for i in free if size <= _buffers[i].size <= 2 * size]
        if fits:
            best = min(fits, key=lambda i: _buffers[i].size)
            _taken[best] = time.monotonic()
            return _buffers[best][:size].reshape(shape)
        idle = sum(_buffers[i].nbytes for i in free)
        for i in reversed(free):
            if idle + 4 * size > SPARE:
                idle -= _buffers.pop(i).nbytes
                del _taken[i]
        made = np.empty(size, np.float32)
        if 4 * size <= SPARE:
            _buffers.append(made)
            _taken.append(time.monotonic())
        return made.reshape(shape)


def _free() -> list[int]:
    return [i for i in range(len(_buffers)) if sys.getrefcount(_buffers[i]) <= _IDLE]


def release(idle_seconds: float) -> None:
    """Give back what nobody looks at and nobody has taken for so long."""
    with _lock:
        for i in reversed(_free()):
            if _taken[i] < time.monotonic() - idle_seconds:
                del _buffers[i], _taken[i]


def laid(
    whole: dict[str, np.ndarray], name: str, at: Mapping[str, int], layers: int, value: Any
) -> Any:
    """A large value of one of `layers` layers, copied to where those of all will lie side by side,
    in `whole`; others as they are."""
    layer = at.get("layer", layers)
    large = (
        len(at) == 1 and layer < layers and hasattr(value, "numel") and value.numel() * 4 >= LARGE
    )
    if not large or value.device.type != "cpu" or (layer and name not in whole):
        return value
    import torch

    if layer == 0:
        whole[name] = buffer((layers, *value.shape))
    into = whole[name][layer]
    torch.from_numpy(into).copy_(value)
    return into


def stacked(parts: dict[tuple[int, ...], Any]) -> Any:
    """Values by loop index -> float32 in one piece, with the loop indices in front: an array, or a
    tensor where those values lie that stay on a device."""
    if isinstance(whole := parts.get(()), np.ndarray):  # of no loop
        return np.asarray(whole, np.float32)
    keys = sorted(parts)
    lead = tuple(max(k[i] for k in keys) + 1 for i in range(len(keys[0])))
    values = [parts[k] for k in keys]
    if hasattr(values[0], "detach"):
        import torch

        found = (torch.stack(values) if lead else values[0]).detach().float()
        if len(lead) > 1:
            found = found.reshape((*lead, *values[0].shape))
        return found if stays(found) else found.numpy()
    joined = np.asarray(np.stack(values) if lead else values[0], np.float32)
    return joined.reshape((*lead, *values[0].shape))
