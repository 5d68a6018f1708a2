"""Gallery: kernels that were designed by hand, and small pictures in colour to slide them over.

What      y(i, j) = sum over channels c of (sum over m, n of I(c, i + m, j + n) K(c, m, n)): a map for
          each channel, and their sum
Source    Gonzalez & Woods, Digital Image Processing, 4th ed., 2018, section 3.5 and 3.6; Sobel &
          Feldman, A 3 x 3 Isotropic Gradient Operator for Image Processing, 1968
Shapes    C = channels: red, green, blue; H, W = 8; P, Q = places
"""

from __future__ import annotations

import numpy as np

from engine.lessons.convolution import sums
from engine.lessons.convolution.images import SIDE

CHANNELS = ("red", "green", "blue")
KERNELS: dict[str, list[list[float]]] = {
    "vertical edge": [[-1, 0, 1], [-2, 0, 2], [-1, 0, 1]],
    "horizontal edge": [[-1, -2, -1], [0, 0, 0], [1, 2, 1]],
    "blur": [[1 / 9] * 3] * 3,
    "sharpen": [[0, -1, 0], [-1, 5, -1], [0, -1, 0]],
    "emboss": [[-2, -1, 0], [-1, 1, 1], [0, 1, 2]],
    "corner": [[-1, -1, 0], [-1, 2, 1], [0, 1, 0]],
    "leave as it is": [[0, 0, 0], [0, 1, 0], [0, 0, 0]],
}


def kernel(name: str) -> np.ndarray:
    """One kernel (3, 3)."""
    return np.array(KERNELS[name], float)


def pictures() -> dict[str, np.ndarray]:
    """Pictures in colour (C, H, W), from 0 to 1."""
    row, column = np.mgrid[0:SIDE, 0:SIDE]
    flag = np.zeros((3, SIDE, SIDE))
    flag[0, :, 5:] = flag[2, :, :3] = 1
    flag[:, :, 3:5] = 1
    sun = np.zeros((3, SIDE, SIDE))
    sun[2] = np.linspace(0.9, 0.3, SIDE)[:, None]
    sun[1] = 0.3
    disc = (row - 2.5) ** 2 + (column - 4.5) ** 2 < 5
    sun[:, disc] = np.array([1.0, 0.8, 0.0])[:, None]
    sun[:, 6:] = np.array([0.1, 0.5, 0.2])[:, None, None]
    rose = np.zeros((3, SIDE, SIDE))
    rose[1, 4:, 3:5] = 0.7
    rose[0, 1:4, 2:6] = 1
    rose[0, 2, 3:5] = 0.5
    return {"a flag": flag, "sun over a field": sun, "a rose": rose}


def summed(picture_CHW: np.ndarray, kernel_CKK: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The map of each channel (C, P, Q), and their sum (P, Q)."""
    of_CPQ = np.stack(
        [
            sums.convolve(plane[None], one[None, None])[0]
            for plane, one in zip(picture_CHW, kernel_CKK, strict=True)
        ]
    )
    return of_CPQ, of_CPQ.sum(0)
