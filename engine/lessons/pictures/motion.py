"""Motion: a digit that moves or changes its size, read by a convolution for each frame and an LSTM over the frames.

What      f_t = pool(ReLU(conv(pool(ReLU(conv(x_t)))))), the same weights for every frame; h_t, c_t = LSTM(f_t, h, c);
          softmax(W h_t + b) after every frame.  Its control reads softmax(W mean of f_t + b)
Source    Donahue et al., Long-term Recurrent Convolutional Networks for Visual Recognition and Description, 2015
Shapes    B = clips, T = frames of 16 x 16 cells, F = numbers of a frame, H = width of the LSTM, M = motions
Differs   Convolution and LSTM learn together, from nothing.
          What leaves at one side comes in at the other, and what has grown to 15 cells begins with 5 again; left, up
          and shrinks are right, down and grows played backwards.  So a frame alone is as likely in either of two
          motions, and so is the mean of all frames.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor, nn

from engine.lessons.convolution.images import FULL, SIDE

MOTIONS = ("right", "left", "down", "up", "grows", "shrinks")
FRAMES, CANVAS, MAPS, WIDTH = 8, 16, (8, 16), 32
FLAT = MAPS[1] * (CANVAS // 4) ** 2
SMALL, LARGE = 5, 15  # cells across


def spread(cells: np.ndarray, side: int) -> np.ndarray:
    """An image (8, 8) as (side, side) cells, by straight lines between the middles of its cells."""
    at = np.clip((np.arange(side) + 0.5) * SIDE / side - 0.5, 0, SIDE - 1)
    weight = np.maximum(0, 1 - np.abs(at[:, None] - np.arange(SIDE)))
    found: np.ndarray = weight @ cells @ weight.T
    return found


def clip(cells: np.ndarray, motion: str, seed: int) -> np.ndarray:
    """Frames (T, 16, 16) of ink from 0 to 1; where it begins and how fast it is, by the seed."""
    rng = np.random.default_rng(seed)
    kind, back = divmod(MOTIONS.index(motion), 2)
    place, speed = rng.integers(CANVAS, size=2), rng.uniform(1, 2)
    sizes = LARGE + 1 - SMALL
    start = rng.uniform(0, CANVAS * sizes)  # so that no place and no size is likelier than another
    frames = np.zeros((FRAMES, CANVAS, CANVAS))
    for t in range(FRAMES):
        gone = int(start + speed * t)
        side = SMALL + gone % sizes if kind == 2 else SIDE
        by = [(0, gone), (gone, 0), (-(side // 2), -(side // 2))][kind]
        frames[t, :side, :side] = spread(cells, side) / FULL
        frames[t] = np.roll(frames[t], (place + by).tolist(), (0, 1))
    return frames[::-1].copy() if back else frames


class Sight(nn.Module):
    """Numbers (B, T, F) of frames (B, T, 16, 16)."""

    def __init__(self) -> None:
        super().__init__()
        self.maps = nn.Sequential(
            nn.Conv2d(1, MAPS[0], 3, padding=1),
            nn.ReLU(),
            nn.MaxPool2d(2),
            nn.Conv2d(*MAPS, 3, padding=1),
            nn.ReLU(),
            nn.MaxPool2d(2),
        )

    def forward(self, x_BTHW: Tensor) -> Tensor:
        found: Tensor = self.maps(x_BTHW.flatten(0, 1)[:, None])
        return found.view(*x_BTHW.shape[:2], FLAT)


class Film(nn.Module):
    """The convolution into an LSTM."""

    def __init__(self) -> None:
        super().__init__()
        self.sight, self.lstm = Sight(), nn.LSTM(FLAT, WIDTH, batch_first=True)
        self.head = nn.Linear(WIDTH, len(MOTIONS))

    def states(self, x_BTHW: Tensor) -> tuple[Tensor, Tensor]:
        """Logits (B, T, M) and states (B, T, H), after every frame."""
        h_BTH, _last = self.lstm(self.sight(x_BTHW))
        return self.head(h_BTH), h_BTH

    def forward(self, x_BTHW: Tensor) -> Tensor:
        return self.states(x_BTHW)[0]


class Mean(nn.Module):
    """The same convolution, and the mean of the frames so far: no order."""

    def __init__(self) -> None:
        super().__init__()
        self.sight, self.head = Sight(), nn.Linear(FLAT, len(MOTIONS))

    def forward(self, x_BTHW: Tensor) -> Tensor:
        seen = torch.arange(1, x_BTHW.shape[1] + 1)[:, None]
        found: Tensor = self.head(self.sight(x_BTHW).cumsum(1) / seen)
        return found


Block = tuple[str, tuple[int, ...], int]


def stack_of(kind: str) -> list[Block]:
    """(block, shape of what comes out of it, numbers that it learns) for the clips of this lesson: of the net `film`,
    of its control `mean`, or with a dense layer for each frame (`steps`)."""
    one, two = MAPS
    found: list[Block] = [("frames", (FRAMES, CANVAS, CANVAS), 0)]
    if kind == "steps":
        found += [("dense layer", (FRAMES, WIDTH), CANVAS**2 * WIDTH + WIDTH)]
    else:
        half, quarter = CANVAS // 2, CANVAS // 4
        found += [("convolution, max", (FRAMES, one, half, half), 9 * one + one)]
        found += [("convolution, max", (FRAMES, two, quarter, quarter), 9 * one * two + two)]
        found += [("flatten", (FRAMES, FLAT), 0)]
    last = found[-1][1][-1]
    if kind == "mean":
        found += [("mean", (last,), 0)]
    else:
        learned = 4 * WIDTH * (last + WIDTH + 2)
        found += [("LSTM", (FRAMES, WIDTH), learned), ("last state", (WIDTH,), 0)]
        last = WIDTH
    return [*found, ("dense layer", (len(MOTIONS),), (last + 1) * len(MOTIONS))]
