"""`next`: what a run expects after a text."""

from __future__ import annotations

from argparse import Namespace
from typing import Any

import numpy as np

from engine.cli.console import Command, Parser, Wrong, number, open_run, table, visible

HELP = """\
What the model expects after a context, likeliest first; the context may be empty.

--json: {"run", "model", "context", "tokens", "vocabulary", "not_shown", "next": [{"token", "id",
         "probability"}]}; `not_shown` is the probability of all that is not listed.
"""


def options(command: Parser) -> None:
    command.takes_run()
    command.add_argument("context")
    many = command.add_mutually_exclusive_group()
    many.add_argument("-k", type=number(int, 1), default=10, help="number of tokens to show (10)")
    many.add_argument("--all", action="store_true", help="show the whole vocabulary")


def run(args: Namespace) -> dict[str, Any] | None:
    from engine.analysis.decode import expects

    run, model = open_run(args.id, needs="probability")
    tokens = model.tokens(args.context)
    p_V = expects(model, tokens).astype(np.float64)
    vocab = model.labels(tokens)["next"]
    ids = np.argsort(-p_V, kind="stable")[: None if args.all else args.k].tolist()
    if not p_V.any():
        raise Wrong("the model never saw this context and gives every token probability 0")
    rest = 0.0 if len(ids) == len(p_V) else max(0.0, float(p_V.sum() - p_V[ids].sum()))
    if args.json:
        found = [{"token": vocab[i], "id": i, "probability": float(p_V[i])} for i in ids]
        return {
            "run": run.id,
            "model": run.model,
            "context": args.context,
            "tokens": tokens.labels,
            "vocabulary": len(p_V),
            "not_shown": rest,
            "next": found,
        }
    print(
        table(
            [(f"{100 * p_V[i]:.3g} %", visible(vocab[i])) for i in ids],
            ("probability", "next"),
            right=(0,),
        )
    )
    print(f"{len(ids):,} of {len(p_V):,}; {100 * rest:.3g} % not shown")
    return None


COMMAND = Command(60, "predict the next token", HELP, options, run)
