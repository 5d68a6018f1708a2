"""`sample`: let a run continue a prompt."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from engine.cli.console import Command, Parser, harmless, number, open_run

if TYPE_CHECKING:
    from engine.models.base import Model

HELP = """\
Continue a prompt.  Order of the rules: repetition penalty, temperature, top-k, top-p, min-p,
typical.  The same seed gives the same text.  With --beams nothing is sampled: the rules limit the
choice, and the text with the highest log P / length^penalty is written; it ends at a line end or
after --steps tokens.

--json: {"run", "model", "prompt", "text", "steps", "seed"}; `text` is what was added; with --beams
         also "log_probability".
"""


def options(command: Parser) -> None:
    command.takes_run()
    command.add_argument("prompt")
    command.add_argument("--steps", type=number(int, 0), default=50, help="tokens to write (50)")
    command.add_argument(
        "--temperature",
        type=number(float, 0, 1000),
        default=1.0,
        help="0 always takes the likeliest token (1)",
    )
    command.add_argument("--top-k", type=number(int, 1), help="sample from the K likeliest")
    command.add_argument(
        "--top-p", type=number(float, 1e-9, 1), help="sample from the fewest tokens that sum to P"
    )
    command.add_argument(
        "--min-p",
        type=number(float, 0, 1),
        help="sample from tokens with at least M times the highest probability",
    )
    command.add_argument(
        "--typical",
        metavar="Y",
        type=number(float, 1e-9, 1),
        help="sample from the fewest tokens, most typical first, that sum to Y",
    )
    command.add_argument(
        "--repetition-penalty",
        metavar="R",
        type=number(float, 1e-3, 1000),
        default=1.0,
        help="above 1: penalise tokens already used (1)",
    )
    command.add_argument(
        "--beams",
        metavar="N",
        type=number(int, 1, 1000),
        help="beam search that keeps N texts at a time",
    )
    command.add_argument(
        "--length-penalty",
        metavar="A",
        type=number(float, -100, 100),
        default=1.0,
        help="of beams: 0 prefers short texts (1)",
    )
    command.add_argument("--seed", type=number(int, 0), default=0)


def run(args: Namespace) -> dict[str, Any] | None:
    run, model = open_run(args.id, needs="probability")
    names = ("temperature", "top_k", "top_p", "min_p", "typical", "repetition_penalty")
    rules, found = {name: getattr(args, name) for name in names}, dict[str, float]()
    pieces = searched(model, args, rules, found) if args.beams else drawn(model, args, rules)
    if args.json:
        text = "".join(pieces)
        about = {
            "run": run.id,
            "model": run.model,
            "prompt": args.prompt,
            "text": text,
            "steps": args.steps,
            "seed": args.seed,
        }
        return {**about, **found}
    eyes = sys.stdout.isatty()  # else it is kept as it is
    print(args.prompt, end="")
    try:
        for piece in pieces:
            print(harmless(piece) if eyes else piece, end="", flush=eyes)
    finally:
        print()
    return None


def drawn(model: Model[Any], args: Namespace, rules: dict[str, Any]) -> Iterator[str]:
    from engine.analysis.decode import sample

    return sample(model, args.prompt, steps=args.steps, seed=args.seed, **rules)


def searched(
    model: Model[Any], args: Namespace, rules: dict[str, Any], found: dict[str, float]
) -> Iterator[str]:
    """The best text of a beam search, in one piece; its log-probability is put into `found`."""
    from engine.analysis.decode import Rules, beams, read
    from engine.analysis.decode.beam import best
    from engine.analysis.rollout import text_of

    place, ends = read(model, model.tokens(args.prompt)), (model.tokenizer.boundary,)
    ranking = best(beams(place, args.beams, args.steps, ends, Rules(**rules)), args.length_penalty)
    found["log_probability"] = ranking[0].total if ranking else 0.0
    yield text_of(model, int(place.tokens.ids[-1]), list(ranking[0].ids)) if ranking else ""


COMMAND = Command(80, "continue a prompt", HELP, options, run)
