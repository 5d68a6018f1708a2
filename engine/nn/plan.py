"""Plan: how a net is trained.  The choices that all models trained by gradients share, and the
numbers of one training.

What      `Training` is the part of a model's config that says how, not what: the same fields for
          every such model
Differs   A field with `later` was added when there were trainings already: where it stands at its
          default, a recipe does not name it, so that the recipes from before keep their keys; where
          trainings before it did another thing than the default, `before` says which.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, Protocol, Self, runtime_checkable

from engine.core import registry
from engine.core.setting import setting
from engine.language.message import refusal

MIXED = (
    "mixed precision: compute products in bfloat16, or in float16 with a scaled loss where a"
    " GPU lacks bfloat16"
)
COMPILE = (
    "compile the network into a few large kernels: off, on, or auto, which times both and takes the"
    " faster"
)


@runtime_checkable
class Stepped(Protocol):
    """A config that says how many updates there are; 0: as many as the text, or the passes, take."""

    @property
    def steps(self) -> int: ...


@runtime_checkable
class Batched(Stepped, Protocol):
    """A config of updates that read `batch` windows of `span` tokens each."""

    @property
    def batch(self) -> int: ...
    @property
    def span(self) -> int: ...


@runtime_checkable
class Repeated(Protocol):
    """A config of `epochs` passes over the whole text."""

    @property
    def epochs(self) -> int: ...


@runtime_checkable
class Rated(Protocol):
    """A config with a highest learning rate."""

    @property
    def rate(self) -> float: ...


@runtime_checkable
class Patient(Protocol):
    """A config that may end a training early, see `Training.patience`."""

    @property
    def patience(self) -> int: ...


def option(default: Any, says: str, **more: Any) -> Any:
    """A field about the training; `choices` are some values, or the name of a registry."""
    return setting(default, says, group="training", later=True, **more)


def tuning(default: Any, says: str, **more: Any) -> Any:
    """A field about a training that goes on from a finished run: which of its weights learn."""
    return setting(default, says, group="tuning", later=True, **more)


@dataclass(frozen=True, slots=True, kw_only=True)
class Training:
    optimiser: str = option(
        "adamw", f"optimiser: {', '.join(registry.optimisers.ids())}", choices="optimisers"
    )
    momentum: float = option(
        0.9,
        "momentum: share of the last step, or of the mean of the gradients, that an optimiser keeps"
        " if it has one",
        min=0.0,
        max=0.999,
    )
    decay: float = option(
        0.01, "weight decay: pull of the weights towards 0; 0: none", min=0.0, max=1.0
    )
    schedule: str = option(
        "cosine",
        f"learning-rate schedule: {', '.join(registry.schedules.ids())}",
        choices="schedules",
    )
    warmup: int = option(
        100,
        "warm-up: steps in which the rate climbs from 0, at most a tenth of all steps",
        min=0,
        max=100_000,
    )
    clipping: str = option(
        "norm", f"gradient clipping: {', '.join(registry.clippings.ids())}", choices="clippings"
    )
    clip: float = option(
        1.0,
        "largest gradient norm, or largest single number (value); starting point of adaptive",
        min=1e-6,
        max=1e6,
    )
    accumulate: int = option(
        1,
        (
            "gradient accumulation: parts in which a batch is read, one after the other; less"
            " memory, the same step"
        ),
        min=1,
        max=512,
    )
    smoothing: float = option(
        0.0,
        "label smoothing: share of each target that is spread evenly over all answers",
        min=0.0,
        max=0.9,
    )
    mixed: bool = option(False, MIXED)
    compile: str = option("off", COMPILE, choices=("off", "on", "auto"))
    bits: int = option(
        0,
        "quantisation-aware training: bits per weight in the last quarter; 0: off",
        choices=(0, 4, 6, 8),
    )
    recompute: bool = option(
        False,
        "gradient checkpointing: recompute activations instead of storing them; less memory,"
        " slower",
    )
    held_out_every: int = option(
        500, "steps between measurements on held-out text", min=1, max=100_000
    )
    tune: str = tuning(
        "whole",
        f"which weights learn: {', '.join(registry.tunings.ids())}",
        choices="tunings",
        label="way of tuning",
    )
    unfrozen: int = tuning(
        1,
        "layers from the top that learn besides the output; 0: the output alone",
        min=0,
        max=1000,
        label="layers unfrozen",
    )
    thaw_every: int = tuning(
        0,
        "gradual unfreezing: steps until one more layer learns, from the top; 0: all at once",
        min=0,
        max=100_000,
        label="steps per layer unfrozen",
    )
    layer_decay: float = tuning(
        1.0,
        "rate of a layer as a share of that of the layer above it; 1: all learn equally fast",
        min=0.01,
        max=1.0,
        label="rate by layer",
    )
    lora_rank: int = tuning(
        8, "rank of LoRA: columns of its narrow matrices", min=1, max=4096, label="LoRA rank"
    )
    lora_alpha: float = tuning(
        16.0,
        "alpha of LoRA: its product is multiplied by alpha / rank",
        min=0.001,
        max=1e6,
        label="LoRA alpha",
    )
    lora_targets: str = tuning(
        "query value",
        "matrices beside which LoRA learns: all, query, key, value, out, up, gate, down",
        label="LoRA matrices",
    )
    adapter_width: int = tuning(
        16, "inner width of an adapter", min=1, max=4096, label="adapter width"
    )
    patience: int = option(
        0,
        "early stopping: stop with the best model after this many measurements without"
        " improvement; 0: never",
        min=0,
        max=1000,
    )

    def __post_init__(self) -> None:
        """ValueError with a sentence for what does not exist or does not go together."""
        for one in fields(self):
            said = one.metadata.get("choices", ())
            known = getattr(registry, said).ids() if isinstance(said, str) else said
            if (
                known
                and one.metadata.get("group") in ("training", "tuning")
                and getattr(self, one.name) not in known
            ):
                raise refusal(
                    "no {name} {found!r}; there are {known}",
                    name=one.name,
                    found=getattr(self, one.name),
                    known=list(map(str, known)),
                )
        batch = self.batch if isinstance(self, Batched) else self.accumulate
        if self.accumulate > batch:
            raise refusal(
                "a batch of {batch} can't be read in {self.accumulate} parts; take"
                " accumulate={batch} or less"
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class TextTraining(Training):
    """For models of running text."""

    passages: bool = option(
        False,
        "learn from whole passages, padded to the longest in the batch, instead of windows of"
        " one long text",
    )
    echo: float = option(
        0.0,
        "share of windows, in the second half of training, that repeat a span: the network"
        " learns to look back for it",
        min=0.0,
        max=1.0,
    )

    replaced: float = option(
        0.0,
        "data augmentation: share of the tokens read that are replaced by random ones; the"
        " targets stay",
        min=0.0,
        max=0.9,
    )

    @property
    def stateful(self) -> bool:
        """Whether a step goes on with the state of the one before."""
        return False

    def __post_init__(self) -> None:
        Training.__post_init__(self)
        for name in ("echo", "replaced"):
            if getattr(self, name) and (self.passages or self.stateful):
                raise refusal(
                    "{name} changes randomly drawn windows; use it without passages and stateful"
                )


@dataclass(frozen=True, slots=True)
class Plan(Training):
    """Numbers of the loop.  `steps` updates of `batch` windows of `span` tokens each, at most at
    `rate`."""

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
