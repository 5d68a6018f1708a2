"""Deep belief nets: machines on top of each other, each learned from what the one below makes of the digits.

What      layer l learns from P(h | v) of layer l - 1 by CD-1; then a softmax on top, and all weights go on by
          backpropagation (fine-tuning), beside the same net from a random start; a dream is drawn by the
          two highest layers in turn, and passed down once
Source    Hinton, Osindero & Teh, A Fast Learning Algorithm for Deep Belief Nets, 2006;
          Bengio et al., Greedy Layer-Wise Training of Deep Networks, 2007
Shapes    N = digits, V = 64 cells, L = labels, T = steps that are measured, S = seeds
Differs   Fine-tuning trains the net that goes up; the net that draws keeps the weights of its machines
          (Hinton et al. go on with both, by wake and sleep).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import nn

from engine.lessons.boltzmann.machine import Machine, begin
from engine.lessons.convolution import images

HALF = images.FULL // 2
BATCH, RATE, EPOCHS = 50, 0.2, 60  # of a machine
BEGUN = "layer by layer", "random weights"
TUNING, TUNED, EVERY = 0.01, 200, 10  # rate of Adam, steps, and how often it is measured


def binary(cells_N88: np.ndarray) -> np.ndarray:
    """Cells with at least half their dots inked are on (N, 64)."""
    found: np.ndarray = (cells_N88.reshape(len(cells_N88), -1) >= HALF).astype(float)
    return found


def learn(v_NV: np.ndarray, hidden: int, rng: np.random.Generator, epochs: int = EPOCHS) -> Machine:
    """One machine of patterns, or of probabilities, by CD-1 in batches."""
    machine = begin(v_NV, hidden, rng)
    for _ in range(epochs):
        order = rng.permutation(len(v_NV))
        for start in range(0, len(order), BATCH):
            rows = v_NV[order[start : start + BATCH]]
            drawn = (rng.random(rows.shape) < rows).astype(float)
            then = machine.gibbs(drawn, 1, rng.random)
            machine = machine + (machine.seen(drawn) - machine.seen(then)).times(RATE)
    return machine


def pile(v_NV: np.ndarray, sizes: Sequence[int], seed: int, epochs: int = EPOCHS) -> list[Machine]:
    """Layer by layer, each from the probabilities of the one below."""
    rng, machines = np.random.default_rng(seed), list[Machine]()
    for hidden in sizes:
        machines.append(learn(v_NV, hidden, rng, epochs))
        v_NV = machines[-1].hidden(v_NV)
    return machines


def up(machines: Sequence[Machine], v_NV: np.ndarray) -> np.ndarray:
    """What the highest layer makes of patterns, each layer passing its probabilities on."""
    for machine in machines:
        v_NV = machine.hidden(v_NV)
    return v_NV


def dream(machines: Sequence[Machine], count: int, turns: int, seed: int) -> np.ndarray:
    """Probabilities of cells (count, 64): the two highest layers draw in turn from noise, and what comes out
    is passed down."""
    rng, top = np.random.default_rng(seed), machines[-1]
    v_NV = (rng.random((count, len(top.b_V))) < 0.5).astype(float)
    v_NV = top.gibbs(v_NV, turns, rng.random)
    v_NV = top.visible(top.hidden(v_NV))
    for machine in reversed(machines[:-1]):
        v_NV = machine.visible((rng.random(v_NV.shape) < v_NV).astype(float))
    return v_NV


@dataclass(frozen=True, eq=False)
class Tuned:
    """Shares of the held-out digits that are right (S, T), by what the net began with."""

    step_T: np.ndarray
    right: dict[str, np.ndarray]


def net_of(sizes: Sequence[int], seed: int, machines: Sequence[Machine] = ()) -> nn.Sequential:
    """Sigmoid layers and ten logits; with the weights of machines where there are any."""
    torch.manual_seed(seed)
    layers = list[nn.Linear]()
    for n, m in itertools.pairwise((images.SIDE**2, *sizes, 10)):
        layers.append(nn.Linear(n, m))
        nn.init.xavier_uniform_(layers[-1].weight)
        nn.init.zeros_(layers[-1].bias)
    for layer, machine in zip(layers, machines, strict=False):
        layer.weight.data = torch.tensor(machine.W_VH.T, dtype=torch.float32)
        layer.bias.data = torch.tensor(machine.c_H, dtype=torch.float32)
    below = itertools.chain.from_iterable((layer, nn.Sigmoid()) for layer in layers[:-1])
    return nn.Sequential(*below, layers[-1])


def tune(
    net: nn.Sequential, x: torch.Tensor, y: torch.Tensor, held: torch.Tensor, of: torch.Tensor
) -> list[float]:
    """The share right of the held-out digits, every few steps of Adam on all that have a label."""
    optimiser, shares = torch.optim.Adam(net.parameters(), lr=TUNING), []
    for step in range(TUNED + 1):
        if step % EVERY == 0:
            with torch.no_grad():
                shares.append(float((net(held).argmax(1) == of).float().mean()))
        optimiser.zero_grad()
        nn.functional.cross_entropy(net(x), y).backward()
        optimiser.step()
    return shares


def compare(
    sizes: tuple[int, ...], labels: int, seeds: int, epochs: int = EPOCHS
) -> Iterator[tuple[float, Tuned]]:
    """A stack learned from all digits without their labels, then fine-tuned with so many labels of each digit,
    beside the same net from random weights: (share that is done, what was found so far), seed by seed."""
    learned, held = images.split()
    v_NV = binary(learned.cells)
    kept = torch.random.get_rng_state()
    x_all, x_held = (torch.tensor(binary(of.cells), dtype=torch.float32) for of in (learned, held))
    y_all, y_held = (torch.tensor(of.digit) for of in (learned, held))
    right: dict[str, list[list[float]]] = {name: [] for name in BEGUN}
    for seed in range(seeds):
        machines = pile(v_NV, sizes, seed, epochs)
        rng = np.random.default_rng(1000 + seed)
        own = [
            rng.choice(np.flatnonzero(learned.digit == d), labels, replace=False) for d in range(10)
        ]
        which = torch.tensor(np.concatenate(own))
        for name, given in zip(BEGUN, (machines, []), strict=True):
            net = net_of(sizes, seed, given)
            right[name].append(tune(net, x_all[which], y_all[which], x_held, y_held))
        found = {name: np.array(of) for name, of in right.items()}
        torch.random.set_rng_state(kept)
        yield (seed + 1) / seeds, Tuned(np.arange(0, TUNED + 1, EVERY), found)
