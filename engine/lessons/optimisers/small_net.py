"""The same race on a real net: a small recurrent language model, trained by the training room's loop on
the same batches for each optimiser.

Source    the loop: engine/nn/loop.py; what a rate too large does: engine/nn/divergence.py
Shapes    S = steps
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from engine import frame as fr
from engine.core.registry import models
from engine.text import collection

TEXT, LETTERS = "stories", 60_000  # of it
SMOOTH = 10  # steps whose mean is drawn
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
    def cut(self) -> int:
        """Steps whose gradient was clipped."""
        return sum(a > b for a, b in zip(self.norm, self.clipped, strict=True))

    @property
    def end(self) -> str:
        return self.lost or "after all steps"

    @property
    def ends(self) -> float:
        """Mean loss of the last tenth, which is not that of one batch."""
        tail = self.loss[-max(1, len(self.loss) // 10) :]
        return float(np.mean(tail)) if tail else float("nan")


@fr.once
def stories() -> str:
    return collection.find(TEXT).text()[:200_000]


@fr.once_told
def trained(told: fr.Words, **settings: Any) -> fr.Taking[Training]:
    """With these settings besides SIZES; `told` while it goes on."""
    found = Training()
    for found in train(stories(), {**SIZES, **settings}):
        yield fr.Progress(len(found.loss) / settings["steps"], told)
    return found


def smooth(losses: list[float]) -> list[float]:
    """Mean of the last SMOOTH steps."""
    sums = np.cumsum([0.0, *losses])
    return [
        float((sums[n] - sums[max(0, n - SMOOTH)]) / min(n, SMOOTH)) for n in range(1, len(sums))
    ]


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
