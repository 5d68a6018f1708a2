"""Stacking: the values of the layers of a field in one float32 array."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from engine.core.numbers import stays

LARGE = 1 << 20  # bytes of one layer's part of a field


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
        whole[name] = np.empty((layers, *value.shape), np.float32)
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
