"""Plan: how a net is trained.  The choices that all models trained by gradients share, and the numbers of one training.

What      `Training` is the part of a model's config that says how, not what: the same fields for every such model
Differs   A field with `later` was added when there were trainings already: where it stands at its default, a recipe does not
          name it, so that the recipes from before keep their keys; where trainings before it did another thing than the
          default, `before` says which.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any, Self

from engine import registry

MIXED = "train with products in half the digits: bfloat16, or float16 with a scaled loss where a GPU has nothing better"


def option(default: Any, says: str, **more: Any) -> Any:
    """A field about the training; `choices` are some values, or the name of a registry."""
    return field(default=default, metadata={"says": says, "group": "training", "later": True, **more})


@dataclass(frozen=True, slots=True, kw_only=True)
class Training:
    optimiser: str = option("adamw", "how a gradient becomes a step: sgd, rmsprop, adam, adamw, muon", choices="optimisers")
    momentum: float = option(0.9, "share of the last step that sgd keeps; of the mean gradient that adam, adamw and muon keep", min=0.0, max=0.999)
    decay: float = option(0.01, "weight decay: how strongly weights are pulled to 0; 0: not at all", min=0.0, max=1.0)
    schedule: str = option("cosine", "how the rate falls: constant, linear, cosine, noam, step, plateau", choices="schedules")
    warmup: int = option(100, "steps in which the rate climbs from 0, a tenth of all steps at most", min=0, max=100_000)
    clipping: str = option("norm", "how large gradients are cut: norm, value, adaptive, none", choices="clippings")
    clip: float = option(1.0, "largest gradient norm, or number of it (value); where adaptive begins", min=1e-6, max=1e6)
    accumulate: int = option(1, "parts that a batch is read in, one after the other: less memory, the same step", min=1, max=512)
    smoothing: float = option(0.0, "label smoothing: share of each target that is spread evenly over all answers", min=0.0, max=0.9)
    mixed: bool = option(False, MIXED)
    bits: int = option(0, "quantisation-aware training: in the last quarter read with weights of so many bits; 0: as they are", choices=(0, 4, 6, 8))
    recompute: bool = option(False, "gradient checkpointing: compute what a layer holds twice instead of keeping it: less memory, slower")
    held_out_every: int = option(500, "steps between two measurements on held-out text", min=1, max=100_000)
    patience: int = option(0, "measurements without a better one after which training stops with the best model; 0: never", min=0, max=1000)

    def __post_init__(self) -> None:
        """ValueError with a sentence for what does not exist or does not go together."""
        for one in fields(self):
            said = one.metadata.get("choices", ())
            known = getattr(registry, said).ids() if isinstance(said, str) else said
            if known and one.metadata.get("group") == "training" and getattr(self, one.name) not in known:
                raise ValueError(f"no {one.name} {getattr(self, one.name)!r}; there are {', '.join(map(str, known))}")
        batch = getattr(self, "batch", self.accumulate)
        if self.accumulate > batch:
            raise ValueError(f"a batch of {batch} can't be read in {self.accumulate} parts; take accumulate={batch} or less")


@dataclass(frozen=True, slots=True, kw_only=True)
class TextTraining(Training):
    """For models of running text."""

    passages: bool = option(False, "learn from whole passages, the short filled up to the longest of the batch, not from windows of one long text")
    echo: float = option(0.0, "share of windows, in the second half of training, in which a stretch comes twice: a net learns to look back for it", min=0.0, max=1.0)

    def __post_init__(self) -> None:
        Training.__post_init__(self)
        if self.echo and (self.passages or getattr(self, "stateful", False)):
            raise ValueError("echo changes windows that are drawn by chance; take it without passages and stateful")


@dataclass(frozen=True, slots=True)
class Plan(Training):
    """Numbers of the loop.  `steps` updates of `batch` windows of `span` tokens each, at most at `rate`."""

    steps: int
    batch: int
    span: int
    rate: float

    @classmethod
    def of(cls, config: Any) -> Self:
        return cls(**{one.name: getattr(config, one.name) for one in fields(cls)})

    @property
    def warm(self) -> int:
        """Steps of the warm-up."""
        return min(self.warmup, max(1, self.steps // 10))
