"""`train` under torchrun: one training in several processes.  The first does all that one alone
does; the others only compute."""

from __future__ import annotations

import signal
from argparse import Namespace
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from engine.cli.console import Wrong, read_text

if TYPE_CHECKING:
    from engine.models.base import Model


def train_shared(
    args: Namespace,
    model: type[Model[Any]],
    config: Any,
    alone: Callable[..., dict[str, Any] | None],
) -> dict[str, Any] | None:
    """What `train_here` gives, in the first process; None in the others.  Wrong where this training
    can't be shared."""
    from engine.cli.train import pick_device
    from engine.nn import ranks
    from engine.nn.plan import TextTraining, Training

    if not issubclass(model.config_type, Training):
        raise Wrong(
            f"a training of {args.model} can't be shared by several processes; start it without"
            " torchrun"
        )
    if isinstance(config, TextTraining) and config.stateful:
        raise Wrong(
            "a state carried from step to step belongs to one process; leave stateful off, or start"
            " without torchrun"
        )
    device = pick_device(args.device)
    with ranks.join_ranks(device == "cuda"):
        if ranks.rank():
            follow(args, model, config, device)
            return None
        met = False

        def meet(recipe: Any, resume: bool) -> None:
            nonlocal met
            ranks.share_number(float(int(recipe.key, 16)))
            ranks.share_number(float(resume))
            met = True

        try:
            return alone(args, config, meet)
        finally:
            if not met:  # there is nothing to be trained
                ranks.share_number(ranks.STOP)


def follow(args: Namespace, model: type[Model[Any]], config: Any, device: str) -> None:
    """Take the same steps as the first process for as long as it takes any, and write nothing."""
    from engine.nn import ranks
    from engine.runs.store import Recipe, digest
    from engine.storage.arrays import read_arrays
    from engine.storage.run_folder import CHECKPOINT

    for number in (signal.SIGTERM, signal.SIGINT):  # the first process is asked too, and ends all
        with suppress(ValueError):
            signal.signal(number, signal.SIG_IGN)
    key = ranks.share_number(0.0)
    if key == ranks.STOP:
        return
    resume = bool(ranks.share_number(0.0))
    text = read_text(args.text)
    if float(int(Recipe(args.model, config, digest(text), args.seed).key, 16)) != key:
        raise Wrong(
            "this process was given another text or other settings than the first one; give all the"
            " same command and files"
        )
    kept = read_arrays(args.out / CHECKPOINT) if resume else None
    for _ in model.fit(text, config, seed=args.seed, device=device, resume=kept):
        pass
