"""`sample`: let a run write on."""

from __future__ import annotations

import sys
from argparse import Namespace
from typing import Any

from engine.cli.console import new_command, number, open_run

HELP = """\
Write on from a prompt.  Order of the rules: temperature, top-k, top-p, min-p.  The same seed gives the same text.

--json: {"run", "model", "prompt", "text", "steps", "seed"}; `text` is what was added.
"""


def add(commands: Any) -> Any:
    command = new_command(commands, "sample", "write on", HELP)
    command.add_argument("id", metavar="RUN", help="a run's id or folder")
    command.add_argument("prompt")
    command.add_argument("--steps", type=number(int, 0), default=50, help="tokens to write (50)")
    command.add_argument("--temperature", type=number(float, 0, 1000), default=1.0, help="0 takes the likeliest each time (1)")
    command.add_argument("--top-k", type=number(int, 1), help="draw from the K likeliest")
    command.add_argument("--top-p", type=number(float, 1e-9, 1), help="draw from the fewest that sum to P")
    command.add_argument(
        "--min-p", type=number(float, 0, 1), help="draw from those with at least M times the highest probability"
    )
    command.add_argument("--seed", type=number(int, 0), default=0)
    return command


def run(args: Namespace) -> dict[str, Any] | None:
    from engine.decode import sample

    run, model = open_run(args.id, needs="probability")
    pieces = sample(
        model, args.prompt, steps=args.steps, temperature=args.temperature,
        top_k=args.top_k, top_p=args.top_p, min_p=args.min_p, seed=args.seed,
    )  # fmt: skip
    if args.json:
        return {
            "run": run.id,
            "model": run.model,
            "prompt": args.prompt,
            "text": "".join(pieces),
            "steps": args.steps,
            "seed": args.seed,
        }
    print(args.prompt, end="")
    try:
        for piece in pieces:
            print(piece, end="", flush=sys.stdout.isatty())
    finally:
        print()
    return None
