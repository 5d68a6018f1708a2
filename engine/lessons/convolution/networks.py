"""Networks: small convolutional networks that read digits, trained once for each choice of stride,
padding and pooling; `assets/digits.json` has their weights and the held-out images.

What      convolution with FILTERS kernels of 3 x 3, ReLU, pooling of 2 x 2, dense layer, softmax
Source    LeCun, Bottou, Bengio & Haffner, Gradient-Based Learning Applied to Document Recognition,
          1998
Shapes    N = images, F = filters, P = side of a map, Q = side of a pooled map
Differs   One layer of convolution, so that all of it can be shown.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from engine import ROOT
from engine.lessons.convolution import images, sums
from engine.lessons.convolution.images import SIDE, Images

SHIPPED = ROOT / "assets" / "digits.json"
FILTERS, KERNEL, POOL = 8, 3, 2
CHOICES = tuple((s, p, kind) for s in (1, 2) for p in (1, 0) for kind in sums.POOLINGS)


@dataclass(frozen=True)
class Reading:
    """What a network computes of images, from sums to probabilities."""

    sum_NFPP: np.ndarray
    relu_NFPP: np.ndarray
    pooled_NFQQ: np.ndarray
    logit_NK: np.ndarray
    probability_NK: np.ndarray


@dataclass(frozen=True)
class Network:
    """`right`: how many of the held-out images it reads right."""

    stride: int
    padding: int
    pooling: str
    kernel_FKK: np.ndarray
    bias_F: np.ndarray
    dense_KZ: np.ndarray  # Z = F Q Q, filter after filter, row after row
    dense_bias_K: np.ndarray
    right: int = 0

    @property
    def side(self) -> int:
        return sums.size(SIDE, KERNEL, self.stride, self.padding)

    def read(self, ink_NHW: np.ndarray) -> Reading:
        """Of images (N, 8, 8) from 0 to 1."""
        sum_NFPP = sums.convolve(
            ink_NHW[:, None], self.kernel_FKK[:, None], self.bias_F, self.stride, self.padding
        )
        relu = np.maximum(sum_NFPP, 0)
        pooled = sums.pool(relu, POOL, self.pooling)
        logit_NK = pooled.reshape(len(pooled), -1) @ self.dense_KZ.T + self.dense_bias_K
        return Reading(sum_NFPP, relu, pooled, logit_NK, sums.softmax(logit_NK))

    def correct(self, of: Images) -> np.ndarray:
        """Which images it reads right (N,)."""
        found: np.ndarray = self.read(of.ink).logit_NK.argmax(1) == of.digit
        return found


@dataclass(frozen=True)
class Shipped:
    held_out: Images
    networks: tuple[Network, ...]

    def network(self, stride: int, padding: int, pooling: str) -> Network:
        return self.networks[CHOICES.index((stride, padding, pooling))]


@lru_cache(1)
def shipped() -> Shipped:
    """OSError or ValueError where the file is missing or damaged."""
    return unpack(json.loads(SHIPPED.read_text(encoding="utf-8")))


def unpack(found: dict[str, Any]) -> Shipped:
    cells = [images.read(row) for row in found["images"]]
    if any(one is None for one in cells):
        raise ValueError("an image of the digits has not 64 cells")
    made = []
    for (stride, padding, pooling), one in zip(CHOICES, found["networks"], strict=True):
        side = sums.size(SIDE, KERNEL, stride, padding) // POOL
        made.append(
            Network(
                stride,
                padding,
                pooling,
                np.array(one["kernel"]).reshape(FILTERS, KERNEL, KERNEL),
                np.array(one["bias"]).reshape(FILTERS),
                np.array(one["dense"]).reshape(10, FILTERS * side * side),
                np.array(one["dense_bias"]).reshape(10),
                int(one["right"]),
            )
        )
    return Shipped(Images(np.array(cells), np.array(found["digits"])), tuple(made))


def plain(of: Network) -> dict[str, Any]:
    """As JSON holds it."""
    return {
        "stride": of.stride,
        "padding": of.padding,
        "pooling": of.pooling,
        "right": of.right,
        "kernel": of.kernel_FKK.ravel().tolist(),
        "bias": of.bias_F.tolist(),
        "dense": of.dense_KZ.ravel().tolist(),
        "dense_bias": of.dense_bias_K.tolist(),
    }


def lines(held_out: Images, networks: tuple[Network, ...], made_by: str) -> str:
    """The file: a network a line."""
    head = {
        "made_by": made_by,
        "digits": held_out.digit.tolist(),
        "images": [images.written(one) for one in held_out.cells],
    }
    rows = ",\n".join(json.dumps(plain(one)) for one in networks)
    return f'{json.dumps(head)[:-1]}, "networks": [\n{rows}\n]}}\n'


def write(path: Path, held_out: Images, networks: tuple[Network, ...], made_by: str) -> None:
    """Whole or not at all."""
    from engine.storage.files import write_bytes

    write_bytes(path, lines(held_out, networks, made_by).encode())
