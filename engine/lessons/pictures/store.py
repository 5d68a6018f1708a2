"""Store: the six nets of this lesson as they are shipped, and what was measured of them.

What      assets/pictures.safetensors has their weights as float16, assets/pictures.json what build.py measured with
          these rounded weights
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

import numpy as np
import torch
from torch import nn

from engine import ROOT
from engine.language.message import refusal
from engine.lessons.pictures.motion import Film, Mean
from engine.lessons.pictures.pairs import Pairs
from engine.lessons.pictures.patches import Reader
from engine.storage.arrays import read_arrays

ARRAYS, RESULTS = (ROOT / "assets" / f"pictures.{end}" for end in ("safetensors", "json"))
NETS: dict[str, Callable[[], nn.Module]] = {
    "placed": lambda: Reader(placed=True),
    "set": lambda: Reader(placed=False),
    "film": Film,
    "mean": Mean,
    "pairs": lambda: Pairs(ordered=True),
    "bag": lambda: Pairs(ordered=False),
}


def arrays(nets: Mapping[str, nn.Module]) -> dict[str, np.ndarray]:
    """The weights of nets as they are shipped."""
    return {
        f"{name}.{key}": value.numpy().astype(np.float16)
        for name, net in nets.items()
        for key, value in net.state_dict().items()
    }


def opened(of: Mapping[str, np.ndarray]) -> dict[str, Any]:
    """The nets, ready to read; ValueError where weights are missing or do not fit."""
    found: dict[str, Any] = {}
    for name, make in NETS.items():
        with torch.random.fork_rng(devices=[]):
            net = make()
        start = f"{name}."
        held = {k.removeprefix(start): v for k, v in of.items() if k.startswith(start)}
        try:
            net.load_state_dict({k: torch.tensor(v.astype(np.float32)) for k, v in held.items()})
        except RuntimeError:
            raise refusal("the shipped nets are damaged: {name} does not fit", name=name) from None
        found[name] = net.eval().requires_grad_(False)
    return found


@lru_cache(1)
def shipped() -> dict[str, Any]:
    """OSError or ValueError where the file is missing or damaged."""
    return opened(read_arrays(ARRAYS))


@lru_cache(1)
def results() -> Any:
    return json.loads(RESULTS.read_text(encoding="utf-8"))
