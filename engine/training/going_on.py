"""Going on: a training that begins with the weights of a finished run, on another text.

What      its tokenizer and the settings of its model are the run's; how it is trained, and which of
          its weights learn (engine/nn/tuning), is chosen anew, and its steps are counted from 1
Source    Howard & Ruder, Universal Language Model Fine-tuning for Text Classification, 2018
Differs   Where not all weights learn, the new run holds only those that do, and names the run that it
          stands on: eight rows of LoRA are no copy of a model.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.core.registry import models
from engine.language.message import refusal
from engine.nn.plan import Training
from engine.runs.store import Run, RunStore, read_config
from engine.text.tokenizers.base import passages, split

if TYPE_CHECKING:
    from engine.models.abilities import GoesOn

RATES = {"whole": 2e-4, "layers": 5e-4, "adapters": 2e-3, "lora": 2e-3}
LARGE = 20_000_000  # numbers of a model of which a step takes seconds
STEPS, BATCH = (300, 150), (16, 4)  # of one that is not, and of one that is
SPAN = 128
MOST_UNKNOWN = 0.3  # share of tokens that the run's tokenizer does not know


@dataclass(frozen=True, slots=True)
class Start:
    """
    model    the run's, of which the training takes the weights
    weights  for `fit(start=...)`
    """

    run: Run
    model: GoesOn[Any]

    @property
    def weights(self) -> dict[str, np.ndarray]:
        return {**self.model.opened(), "step": np.zeros(1, np.int64)}

    @property
    def fact(self) -> Mapping[str, str]:
        """What run.json says of it."""
        return {"run": self.run.id, "recipe": str(self.run.note.get("recipe"))}


def check_kind(run: Run) -> None:
    """ValueError where none can go on from it."""
    from engine.models.abilities import GoesOn

    if not issubclass(models.get(run.model), GoesOn):
        raise refusal(
            "a training can't go on from {name}: its model can't be trained further", name=run.id
        )


def open_start(name: str) -> Start:
    """LookupError where there is no such run, ValueError where none can go on from it."""
    from engine.models.abilities import GoesOn

    store = RunStore()
    run = store.find(name)
    check_kind(run)
    model = store.load(run)
    assert isinstance(model, GoesOn)
    return Start(run, model)


def config_of(run: Run, chosen: Mapping[str, Any] | None = None) -> Any:
    """Settings of a training that goes on from a run: its model as it is, and how it is trained as is
    usual here, other than `chosen`.  ValueError where they do not go together."""
    check_kind(run)
    kind = models.get(run.model)
    was = asdict(read_config(kind, run.note["config"]))
    plain = {f.name: f.default for f in fields(Training)}
    tune = str((chosen or {}).get("tune", "whole"))
    large = int(run.note.get("checkpoint", {}).get("numbers", 0)) > LARGE
    usual: dict[str, Any] = {"steps": STEPS[large], "batch": BATCH[large]}
    usual |= {"span": min(SPAN, was.get("context") or SPAN)}
    usual |= {"rate": RATES.get(tune, RATES["whole"]), "held_out_every": 25, "warmup": 20}
    usual |= {"compile": "off", "stateful": False}
    found = {**was, **plain, **{k: v for k, v in usual.items() if k in was}, **(chosen or {})}
    return kind.config_type(**found)


def count(run: Run, config: Any) -> tuple[int, int]:
    """How many parameters learn, and how many there are with what is added.  ValueError where that
    does not fit the net."""
    from engine.nn.meta_init import unfilled
    from engine.nn.tuning import base as tuning

    rows = config.vocabulary  # a checkpoint's, all of which its embedding has
    if config.tokenizer != "library":
        rows = len(RunStore().load(run).tokenizer.vocab)
    kind: Any = models.get(run.model)
    with unfilled():
        net = kind.build(config, rows)
        tuning.install(net, config)
    learned = sum(p.numel() for p in tuning.learning(net, config).values())
    return learned, sum(p.numel() for p in net.parameters())


def check_text(start: Start, text: str) -> None:
    """ValueError where there is too little to learn from, or the run's tokenizer can't read it."""
    lines, _held_out = split(passages(text), 0)
    if len(lines) < 2:
        raise ValueError(
            "a text of one line leaves nothing to learn from and to measure on; give one with several"
            " lines"
        )
    some = start.model.tokens("\n".join(lines)[:20_000])
    share = len(some.unknown) / max(1, len(some))
    if share > MOST_UNKNOWN:
        raise refusal(
            "the tokenizer of {name} does not fit this text: it does not know {share:.0%} of its tokens;"
            " choose another run, or another text",
            name=start.run.title,
        )
