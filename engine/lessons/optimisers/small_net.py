"""The same race on a real net: a small recurrent language model, trained by the training room's loop on
the same batches for each optimiser.

Source    the loop: engine/nn/loop.py; what a rate too large does: engine/nn/divergence.py
Shapes    S = steps
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from engine.analysis import starts
from engine.core.registry import models
from engine.frame.blocks import (
    WHOLE,
    Beside,
    Block,
    Controls,
    Note,
    Progress,
    Rows,
    Train,
    Warn,
    Words,
    curves,
)
from engine.frame.control import pick, several, slider, start
from engine.frame.part import Taking, once_told, part
from engine.language.markdown import escaped
from engine.language.message import Message, _
from engine.lessons.optimisers.race import racers, titles
from engine.text import collection
from engine.views import theme
from engine.views.base import number

TEXT = "stories"
STEPS = 120
RATES: Mapping[str, float] = {
    "plain": 0.1,
    "sgd": 0.1,
    "rmsprop": 0.002,
    "adam": 0.01,
    "adamw": 0.01,
    "muon": 0.02,
}
FIRST = ("plain", "sgd", "adam", "muon")
SMOOTH = 10  # steps whose mean is drawn
UNITS = (4, 8, 16, 32, 64, 128)
LETTERS = 60_000  # of the text
MODEL = "lstm"
SIZES: dict[str, Any] = {"units": 32, "layers": 1, "width": 16, "batch": 8, "span": 32, "warmup": 8}


@dataclass(slots=True)
class Training:
    """loss, norm, clipped (S): nats, and the length of the gradient before and after clipping; held:
    nats on held-out text in the end; weights (W): all that it has learned, from the last step on.
    lost: why it ended early, with the step at which the loss was no longer a number."""

    loss: list[float] = field(default_factory=list)
    norm: list[float] = field(default_factory=list)
    clipped: list[float] = field(default_factory=list)
    held: float = float("nan")
    weights: np.ndarray = field(default_factory=lambda: np.zeros(0, np.float32))
    lost: str = ""

    @property
    def parameters(self) -> int:
        return self.weights.size

    @property
    def ends(self) -> float:
        """Mean loss of the last tenth, which is not that of one batch."""
        tail = self.loss[-max(1, len(self.loss) // 10) :]
        return float(np.mean(tail)) if tail else float("nan")


def settings(optimiser: str, rate: float, steps: int, **more: Any) -> dict[str, Any]:
    """As the training room takes them."""
    return {**SIZES, "optimiser": optimiser, "rate": rate, "steps": steps, **more}


def train(text: str, chosen: dict[str, Any], seed: int = 0) -> Iterator[Training]:
    """What there is after each step; the last one has the held-out loss.  A divergence ends it."""
    kind = models.get(MODEL)
    found = Training()
    config = kind.config_type(**{**chosen, "held_out_every": chosen["steps"]})
    try:
        for progress in kind.fit(text[:LETTERS], config, seed=seed):
            found.loss.append(progress.metrics["loss_nats"])
            found.norm.append(progress.metrics["gradient_norm"])
            found.clipped.append(progress.metrics["gradient_norm_clipped"])
            found.held = progress.metrics.get("held_out_nats", found.held)
            if progress.model is not None:
                learned = progress.model.weights().items()
                found.weights = np.concatenate([w.ravel() for n, w in learned if n != "tokenizer"])
            yield found
    except ValueError as problem:
        found.lost = str(problem)
        yield found


@once_told
def trained(told: Words, **settings: Any) -> Taking[Training]:
    """With others than SIZES; `told` while it goes on."""
    found = Training()
    for found in train(collection.find(TEXT).text(), {**SIZES, **settings}):
        yield Progress(len(found.loss) / settings["steps"], told)
    return found


def smooth(losses: list[float]) -> list[float]:
    """Mean of the last SMOOTH steps."""
    sums = np.cumsum([0.0, *losses])
    return [
        float((sums[n] - sums[max(0, n - SMOOTH)]) / min(n, SMOOTH)) for n in range(1, len(sums))
    ]


@part("A small network")
def net(
    net_racers: tuple[str, ...] = several("Optimisers", titles, FIRST, width=640),
    net_times: int = slider("All rates times 2ⁿ", -4, 4, 0),
    net_units: int = pick("Units", (16, 32, 64), 32, few=True),
    net_begin: str = pick("How weights begin", starts.KINDS, width=150),
    net_silent: float = slider("Recurrent dropout", 0.0, 0.6, 0.0, 0.1, width=180),
    net_start: bool = start("Start the race"),
    *,
    net_sizes: bool = start("Train every size"),
) -> Generator[Block, None, None]:
    yield _(
        "A surface of two weights is a picture; a network has many weights, and each step sees another"
        " batch. Here an LSTM of {units} units learns to predict the next letter of stories for children. All"
        " begin with the same weights and read the same batches. Let the weights begin in another way, or"
        " silence units of the state between steps: the held-out loss says what it did.",
        units=SIZES["units"],
    )
    if not net_racers:
        raise ValueError("Choose at least one optimiser.")
    if not net_start:
        yield Note(
            _(
                "{steps} steps each; some seconds for each optimiser. Rates end at 0.1, as in the training"
                " room.",
                steps=STEPS,
            )
        )
        return
    every, found, title = {}, {}, titles()
    for id in net_racers:
        racer = racers()[id]
        every[id] = {
            "optimiser": racer.optimiser,
            "momentum": racer.momentum,
            "rate": min(0.1, RATES.get(id, 0.01) * 2.0**net_times),
            "units": net_units,
            "steps": STEPS,
            "start": net_begin,
            "recurrent_dropout": net_silent,
        }
        told = _("Training with {title}", title=Message(racer.title))
        found[id] = yield from trained(told, **every[id])
    yield charts({title[id]: one for id, one in found.items()})
    table = [
        {
            "optimiser": title[id],
            "parameters": one.parameters or None,
            "rate": every[id]["rate"],
            "loss, last tenth": one.ends,
            "held-out loss": one.held,
            "clipped steps": sum(a > b for a, b in zip(one.norm, one.clipped, strict=True)),
            "ended": one.lost or "after all steps",
        }
        for id, one in found.items()
    ]
    exact = dict.fromkeys(("loss, last tenth", "held-out loss"), "%.3f")
    yield Rows(table, {"parameters": WHOLE, "rate": "%.4g", **exact})
    for id, one in found.items():
        if one.lost:
            yield Warn(f"{title[id]}: {escaped(theme.plain(one.lost))}.")
    best = min(
        found, key=lambda id: found[id].ends if found[id].loss and not found[id].lost else 99
    )
    yield _(
        "**{title}** is lowest, at {loss} nats. Another text, another size or more steps can change the"
        " order: that an adaptive optimiser is better is a rule of thumb, not a law.",
        title=Message(title[best]),
        loss=number(found[best].ends),
    )
    yield Train({**SIZES, **every[best]}, MODEL, TEXT)
    yield _("**The same net with more and fewer units** ({title})", title=Message(title[best]))
    yield Controls(["net_sizes"])
    if net_sizes:
        yield from sizes(title[best], every[best])


def sizes(title: str, settings: Mapping[str, Any]) -> Generator[Block, None, None]:
    """Loss over the number of units."""
    found = {}
    for units in UNITS:
        told = _("Training {units} units", units=units)
        found[units] = yield from trained(told, **{**settings, "units": units})
    yield curves(
        "sizes",
        "Loss by the number of units",
        {
            "training, last tenth": (found, [one.ends for one in found.values()]),
            "held out": (found, [one.held for one in found.values()]),
        },
        "units",
        "nats a letter",
        _("{title}, {steps} steps", title=Message(title), steps=STEPS),
        log_x=True,
        tight=False,
    )
    if sound := {units: one for units, one in found.items() if np.isfinite(one.held)}:
        best = min(sound, key=lambda units: sound[units].held)
        counts = [one.parameters for one in sound.values()]
        yield Note(
            _(
                "{least:,} to {most:,} parameters, on the same batches. Lowest on held-out text: {best} units,"
                " {held} nats; held out minus training is {gap} there. A net that is too small cannot follow"
                " the text; one that is too large follows the training text only, which takes more steps than"
                " these.",
                least=min(counts),
                most=max(counts),
                best=best,
                held=number(sound[best].held),
                gap=number(sound[best].held - sound[best].ends),
            )
        )


def charts(found: Mapping[str, Training]) -> Beside:
    losses = curves(
        "net",
        "Loss in training",
        {name: (range(1, len(one.loss) + 1), smooth(one.loss)) for name, one in found.items()},
        "step",
        "nats a letter",
        _("LSTM, mean of the last {steps} steps", steps=SMOOTH),
    )
    norms = curves(
        "norms",
        "Length of the gradient, before clipping at 1",
        {name: (range(1, len(one.norm) + 1), one.norm) for name, one in found.items()},
        "step",
        "length",
        "LSTM, each step",
        log_y=True,
    )
    return Beside([[losses], [norms]])
