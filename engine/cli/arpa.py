"""`arpa`: an n-gram run as a file that other toolkits read."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path
from typing import Any

from engine.cli.console import Command, Parser, Wrong, open_run, say, table, tell

HELP = """\
Write a run of the model ngram as an ARPA file, which KenLM, SRILM and others read.

A line of the text is a sentence.  White space inside a token is written as \\u and four hexadecimal
digits.
--json: {"run", "model", "smoothing", "out", "order", "ngrams", "size_bytes"}; `ngrams` is how many
         of each order.
"""
KENLM_MOST = 6


def options(command: Parser) -> None:
    command.takes_run()
    command.add_argument(
        "--out",
        type=Path,
        required=True,
        metavar="FILE",
        help="the file to write; one that is there is replaced",
    )


def run(args: Namespace) -> dict[str, Any] | None:
    from engine.models.ngram import Ngram
    from engine.ngram.arpa import write

    run, model = open_run(args.id)
    if not isinstance(model, Ngram):
        raise Wrong(
            f"the run {run.id!r} is of the model {run.model}, and ARPA files hold n-grams; choose a"
            " run of the model ngram"
        )
    if args.out.is_dir():
        raise Wrong(f"{args.out} is a folder; give --out a file name, model.arpa for one")
    if not args.out.parent.is_dir():
        raise Wrong(
            f"there is no folder {args.out.parent}; make it first or give --out another place"
        )
    smoothed = model.smoothed
    if smoothed.order > KENLM_MOST:
        say(
            f"the order is {smoothed.order}; KenLM, as it is usually built, reads orders up to"
            f" {KENLM_MOST}"
        )
    write(args.out, smoothed, model.tokenizer.vocab)
    ngrams = [len(grams) for grams in smoothed.counts.orders]
    size = args.out.stat().st_size
    if args.json:
        return {
            "run": run.id,
            "model": run.model,
            "smoothing": model.config.smoothing,
            "out": args.out,
            "order": smoothed.order,
            "ngrams": ngrams,
            "size_bytes": size,
        }
    tell(
        table(
            [(m, f"{many:,}") for m, many in enumerate(ngrams, 1)],
            ("order", "n-grams"),
            right=(0, 1),
        )
    )
    tell(f"{size:,} bytes: {args.out}")
    return None


COMMAND = Command(100, "write an n-gram model for other toolkits", HELP, options, run)
