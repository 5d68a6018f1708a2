"""Build: trains the networks that read digits and measures them on held-out images.

    python -m engine.analysis.digits.build [--out FILE]

What      AdamW over the cross-entropy of batches drawn from the images to learn from; half of the
          images of a batch are moved by up to one cell, so that a drawing need not stand in the
          middle
Source    as in networks.py
Shapes    B = batch
Differs   The weights are kept with DIGITS significant digits, and measured so.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

from engine.analysis.digits import images, networks, sums
from engine.analysis.digits.images import SIDE, Images
from engine.analysis.digits.networks import CHOICES, FILTERS, KERNEL, POOL, Network

SEED, STEPS, BATCH, RATE, DECAY, DIGITS = 0, 4_000, 32, 0.01, 1e-3, 5


def drawn(of: Images, step: int, seed: int = SEED) -> tuple[np.ndarray, np.ndarray]:
    """A batch of ink (B, 1, 8, 8) and its digits, by seed and step alone."""
    rng = np.random.default_rng((seed, step))
    which = rng.integers(len(of), size=BATCH)
    ink = of.ink[which]
    for n in range(BATCH // 2):
        ink[n] = images.moved(ink[n], *rng.integers(-1, 2, size=2).tolist())
    return ink[:, None].astype(np.float32), of.digit[which]


def train(learn: Images, stride: int, padding: int, pooling: str, steps: int = STEPS) -> Network:
    import torch
    from torch import nn

    pooled = nn.MaxPool2d(POOL) if pooling == "max" else nn.AvgPool2d(POOL)
    side = sums.size(SIDE, KERNEL, stride, padding) // POOL
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(SEED)
        net = nn.Sequential(
            nn.Conv2d(1, FILTERS, KERNEL, stride, padding),
            nn.ReLU(),
            pooled,
            nn.Flatten(),
            nn.Linear(FILTERS * side * side, 10),
        )
    optimiser = torch.optim.AdamW(net.parameters(), RATE, weight_decay=DECAY)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, RATE, steps)
    for step in range(steps):
        ink, digit = drawn(learn, step)
        loss = nn.functional.cross_entropy(net(torch.from_numpy(ink)), torch.from_numpy(digit))
        optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        optimiser.step()
        schedule.step()
    kernel, bias, dense, dense_bias = (
        np.array([float(f"{v:.{DIGITS}g}") for v in p.detach().ravel().tolist()]).reshape(p.shape)
        for p in net.parameters()
    )
    return Network(stride, padding, pooling, kernel[:, 0], bias, dense, dense_bias)


def main() -> None:
    from dataclasses import replace

    asked = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    asked.add_argument("--out", type=Path, default=networks.SHIPPED)
    out = asked.parse_args().out
    learn, held = images.split()
    made = []
    for choice in CHOICES:
        one = train(learn, *choice)
        one = replace(one, right=int(one.correct(held).sum()))
        moves = ((1, 0), (-1, 0), (0, 1), (0, -1))
        share = [
            one.correct(Images(images.moved(held.cells, *m), held.digit)).mean() for m in moves
        ]
        print(
            f"stride {choice[0]}, padding {choice[1]}, {choice[2]}: {one.right} of {len(held)},"
            f" {one.right / len(held):.2%}; moved by a cell {np.mean(share):.1%}"
        )
        made.append(one)
    networks.write(out, held, tuple(made), "python -m engine.analysis.digits.build")


if __name__ == "__main__":
    main()
