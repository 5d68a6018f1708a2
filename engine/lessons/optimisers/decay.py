"""Decay: what weight decay does in each optimiser to weights whose gradients say nothing.

What      every gradient is noise around 0, of another size for each weight; whatever the weights
          move to on average is the decay alone
Source    Loshchilov & Hutter, Decoupled Weight Decay Regularization, 2019, proposition 1 and 2
Shapes    W = weights, all at 1 in the beginning; S = steps
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import replace

import numpy as np
import torch
from torch import nn

from engine.core.registry import optimisers
from engine.frame.blocks import Beside, Block, Controls, Formula, Note, Rows, Train, curves
from engine.frame.control import pick, slider, start
from engine.frame.part import once, part
from engine.language.message import Message, _
from engine.lessons.optimisers import small_net
from engine.lessons.optimisers.race import Course, Racer, plan_of, racers, titles
from engine.views.base import number

SIZES = (0.01, 1.0, 100.0)
MANY = 2_000  # weights of each size, so that the mean is of the decay and not of chance
STEPS = 200
SHARES = (0.0, 0.1, 0.3, 1.0)  # decays that a net is trained with
SPREAD, BINS = 2.0, 80


def fading(racer: Racer, rate: float, decay: float, steps: int, seed: int = 0) -> np.ndarray:
    """Mean weight (S + 1, sizes): of each of SIZES, after each step."""
    net = nn.Module()
    net.w = nn.Parameter(torch.ones(len(SIZES), MANY))
    plan = replace(plan_of(racer, rate, Course((1.0, 1.0), steps)), decay=decay)
    optimiser = optimisers.get(racer.optimiser).make(net, plan)
    chance = torch.Generator().manual_seed(seed)
    means = [net.w.detach().mean(1).numpy().copy()]
    for _step in range(steps):
        draws = torch.randn(net.w.shape, generator=chance)
        net.w.grad = draws * torch.tensor(SIZES)[:, None]
        optimiser.step()
        means.append(net.w.detach().mean(1).numpy().copy())
    return np.array(means)


faded = once(fading)


@part("Weight decay")
def decay(
    d_left: str = pick("On the left", titles, "adam"),
    d_right: str = pick("On the right", titles, "adamw"),
    d_rate: float = slider("Learning rate", 0.001, 0.05, 0.01, 0.001, width=200),
    d_decay: float = slider("Weight decay", 0.0, 1.0, 0.1, 0.01, width=200),
    *,
    decay_train: bool = start("Train it with each decay"),
) -> Generator[Block, None, None]:
    yield _(
        "{many:,} weights of each of three kinds begin at 1. Their gradients are pure noise, small,"
        " medium or large, so nothing but the decay moves them on average.",
        many=MANY,
    )
    pair = [racers()[id] for id in (d_left, d_right)]
    means = [faded(racer, d_rate, d_decay, STEPS) for racer in pair]
    charts = [
        curves(
            f"decay-{n}",
            _("{title}: mean weight", title=Message(racer.title)),
            {
                f"gradients of size {size:g}": (range(STEPS + 1), found[:, i])
                for i, size in enumerate(SIZES)
            },
            "step",
            "mean weight",
            _("rate {rate:g}, decay {share:g}", rate=d_rate, share=d_decay),
            low=-0.05,
            high=1.15,
        )
        for n, (racer, found) in enumerate(zip(pair, means, strict=True))
    ]
    yield Beside([[chart] for chart in charts])
    for racer, found in zip(pair, means, strict=True):
        yield _(
            "**{title}**: after {steps} steps the three means lie between {least} and {most}.",
            title=Message(racer.title),
            steps=STEPS,
            least=number(float(found[-1].min())),
            most=number(float(found[-1].max())),
        )
    kept = (1 - d_rate * d_decay) ** STEPS
    yield Formula(rf"(1 - {d_rate:g} \cdot {d_decay:g})^{{{STEPS}}} = {number(kept)}")
    yield Note(
        "In Adam the decay is part of the gradient, and is divided by the root of its mean square like all"
        " of it: weights with large gradients hardly decay, those with small ones at the full rate. AdamW"
        " takes the decay out of the gradient. For SGD both are the same."
    )
    right = pair[1]
    yield _("**The weights of a small LSTM** ({title})", title=Message(right.title))
    yield Controls(["decay_train"])
    if decay_train:
        yield from weights(right, d_rate)
    yield Train({"optimiser": right.optimiser, "decay": d_decay}, text="stories")


def weights(racer: Racer, rate: float) -> Generator[Block, None, None]:
    """A histogram of all weights of a net that was trained with each decay."""
    found = {}
    for share in SHARES:
        told = _("Training with a decay of {share:g}", share=share)
        one = yield from small_net.trained(
            told, optimiser=racer.optimiser, rate=rate, steps=small_net.STEPS, decay=share
        )
        if one.weights.size:  # not diverged
            found[share] = one
    edges = np.linspace(-SPREAD, SPREAD, BINS + 1)
    series = {}
    for share, one in found.items():
        counts, _edges = np.histogram(np.clip(one.weights, -SPREAD, SPREAD), edges)
        series[f"{share:g}"] = (edges[:-1] + edges[1:]) / 2, 100 * counts / one.weights.size
    yield curves(
        "weights",
        "Weights by their size",
        series,
        "weight",
        "% of the weights",
        _(
            "{title}, rate {rate:g}, {steps} steps; what is further out is counted at the ends",
            title=Message(racer.title),
            rate=rate,
            steps=small_net.STEPS,
        ),
        of_series="weight decay",
    )
    table = [
        {
            "weight decay": share,
            "root mean square of the weights": float(np.sqrt(np.square(one.weights).mean())),
            "loss, last tenth": one.ends,
            "held-out loss": one.held,
        }
        for share, one in found.items()
    ]
    yield Rows(table, dict(zip(table[0], ("%g", "%.4f", "%.3f", "%.3f"), strict=True)))
