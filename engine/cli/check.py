"""`check`: a shipped recipe trained twice, by this program and by plain torch."""

from __future__ import annotations

from argparse import Namespace
from typing import Any

from engine.cli.console import Command, Parser, Wrong, number, read_text, say, table

HELP = """\
Train the first steps of a shipped recipe twice: with this program, and with the layers and
optimisers of plain torch, on the same batches but from other first weights; compare the loss on
held-out text.  Recipes that plain torch has no layers for are refused.  Of a run that goes on with
the weights of a shorter one, the shorter one is checked.

--json: {"run", "steps", "points": [{"step", "ours", "plain", "ratio"}]}; nats per token
"""


def options(command: Parser) -> None:
    command.add_argument("name", metavar="NAME", help="a run of the zoo")
    command.takes_texts("a file or a corpus; may be repeated")
    command.add_argument(
        "--steps",
        type=number(int, 1),
        default=2000,
        metavar="N",
        help="steps of the recipe to take (2000)",
    )
    command.add_argument(
        "--every",
        type=number(int, 1),
        default=500,
        metavar="N",
        help="steps between comparisons (500)",
    )
    command.add_argument("--device", choices=("auto", "cpu", "cuda"), default="auto")


def run(args: Namespace) -> dict[str, Any] | None:
    from engine.cli.train import pick_device
    from engine.core.registry import models
    from engine.shipped.baselines.check import check
    from engine.shipped.recipes import ZOO

    if args.name not in ZOO:
        raise Wrong(f"no run {args.name!r} in the zoo; there are {', '.join(ZOO)}")
    if args.every > args.steps:
        raise Wrong("--every has to be at most --steps")
    entry, points = ZOO[args.name].start or ZOO[args.name], []
    config = models.get(entry.model).config_type(**entry.settings)
    for point in check(
        entry.model,
        config,
        read_text(args.text),
        seed=entry.seed,
        steps=min(args.steps, config.steps),
        every=args.every,
        device=pick_device(args.device),
    ):
        say(f"{point.step}: {point.ours:.4f} and {point.plain:.4f} nats")
        points.append(
            {"step": point.step, "ours": point.ours, "plain": point.plain, "ratio": point.ratio}
        )
    if not points:
        raise Wrong(f"the recipe has {config.steps} steps, fewer than --every {args.every}")
    if args.json:
        return {"run": args.name, "steps": points[-1]["step"], "points": points}
    print(
        table(
            [
                (f"{p['step']}", f"{p['ours']:.4f}", f"{p['plain']:.4f}", f"{p['ratio']:.4f}")
                for p in points
            ],
            ("step", "nats here", "plain torch", "ratio"),
            right=(0, 1, 2, 3),
        )
    )
    return None


COMMAND = Command(190, "compare a recipe with plain torch", HELP, options, run)
