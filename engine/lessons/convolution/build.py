"""Build: trains the networks that read digits and measures them on held-out images.

    python -m engine.lessons.convolution.build [--out FILE]

What      AdamW over the cross-entropy of batches drawn from the images to learn from; half of the
          images of a batch are moved by up to one cell, so that a drawing need not stand in the
          middle; `film` keeps one of them at some of its steps
Source    as in networks.py
Shapes    B = batch
Differs   The weights are kept with DIGITS significant digits, and measured so.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from engine.lessons.convolution import images, networks, sums
from engine.lessons.convolution.images import SIDE, Images
from engine.lessons.convolution.networks import CHOICES, FILTERS, KERNEL, POOL, Network

SEED, STEPS, BATCH, RATE, DECAY, DIGITS = 0, 4_000, 32, 0.01, 1e-3, 5
FILM = (0, 1, 2, 3, 5, 8, 12, 20, 30, 45, 70, 100, 150, 220, 300, 400, 600, 900)
Choice = tuple[int, int, str]


def drawn(of: Images, step: int, seed: int = SEED) -> tuple[np.ndarray, np.ndarray]:
    """A batch of ink (B, 1, 8, 8) and its digits, by seed and step alone."""
    rng = np.random.default_rng((seed, step))
    which = rng.integers(len(of), size=BATCH)
    ink = of.ink[which]
    for n in range(BATCH // 2):
        ink[n] = images.moved(ink[n], *rng.integers(-1, 2, size=2).tolist())
    return ink[:, None].astype(np.float32), of.digit[which]


def learning(
    learn: Images, choice: Choice, seed: int, kept: Sequence[int], rising: bool
) -> Iterator[Network]:
    """The network after each of the steps; `rising`: its rate goes up and down again."""
    import torch
    from torch import nn

    stride, padding, pooling = choice
    side = sums.size(SIDE, KERNEL, stride, padding) // POOL
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        net = nn.Sequential(
            nn.Conv2d(1, FILTERS, KERNEL, stride, padding),
            nn.ReLU(),
            nn.MaxPool2d(POOL) if pooling == "max" else nn.AvgPool2d(POOL),
            nn.Flatten(),
            nn.Linear(FILTERS * side * side, 10),
        )
    optimiser = torch.optim.AdamW(net.parameters(), RATE, weight_decay=DECAY)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, RATE, kept[-1]) if rising else None
    for step in range(kept[-1] + 1):
        if step in kept:
            kernel, bias, dense, more = (
                p.detach().double().numpy().copy() for p in net.parameters()
            )
            yield Network(stride, padding, pooling, kernel[:, 0], bias, dense, more)
        if step == kept[-1]:
            return
        ink, digit = drawn(learn, step, seed)
        loss = nn.functional.cross_entropy(net(torch.from_numpy(ink)), torch.from_numpy(digit))
        optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        optimiser.step()
        if schedule:
            schedule.step()


def train(learn: Images, stride: int, padding: int, pooling: str, steps: int = STEPS) -> Network:
    (net,) = learning(learn, (stride, padding, pooling), SEED, (steps,), rising=True)
    weights = (net.kernel_FKK, net.bias_F, net.dense_KZ, net.dense_bias_K)
    kernel, bias, dense, dense_bias = (
        np.array([float(f"{v:.{DIGITS}g}") for v in p.ravel().tolist()]).reshape(p.shape)
        for p in weights
    )
    return Network(stride, padding, pooling, kernel, bias, dense, dense_bias)


@dataclass(frozen=True, eq=False)
class Film:
    """networks: after each step that is kept (R), the start among them; loss_R, right_R: cross-entropy in nats and
    share read right, on the held-out images."""

    networks: tuple[Network, ...]
    loss_R: np.ndarray
    right_R: np.ndarray


def film(seed: int, steps: Sequence[int] = FILM) -> Film:
    """A network while it learns, from other weights by chance for each seed, on the same images."""
    learn, held = images.split()
    made = tuple(learning(learn, CHOICES[0], seed, steps, rising=False))
    p_RN = np.array(
        [one.read(held.ink).probability_NK[np.arange(len(held)), held.digit] for one in made]
    )
    right_R = np.array([one.correct(held).mean() for one in made])
    return Film(made, -np.log(np.maximum(p_RN, 1e-30)).mean(1), right_R)


def main() -> None:
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
    networks.write(out, held, tuple(made), "python -m engine.lessons.convolution.build")


if __name__ == "__main__":
    main()
