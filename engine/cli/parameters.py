"""`parameters`: every number that a run has learned and that belongs to no text."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path
from typing import Any

from engine.cli.console import Command, Parser, Wrong, open_run, table, tell

HELP = """\
Show, or save, the numbers that a model has learned: weights, counts, transition tables.

--out FILE.npz: as `trace --out` writes it: one float32 array per field under its name and, under
         `trace`, a JSON text with per field its axes, labels, kind, symbol and sentence.  Read it
         with numpy.load(..., allow_pickle=False).
--json: {"run", "model", "out", "fields": {name: {"kind", "symbol", "says", "axes", "shape",
         "labels", "min", "mean", "max"}}}; min, mean and max are over the finite numbers; the
         numbers themselves go into --out.
"""


def options(command: Parser) -> None:
    command.takes_run()
    command.add_argument("--out", type=Path, metavar="FILE.npz", help="write the numbers to a file")


def run(args: Namespace) -> dict[str, Any] | None:
    from engine.cli.trace import described, rows
    from engine.core.trace import Field

    run, model = open_run(args.id)
    if args.out and args.out.is_dir():
        raise Wrong(f"{args.out} is a folder; give --out a file name that ends in .npz")
    found = model.parameters()
    if args.out:
        from engine.saving.export import write_trace
        from engine.storage.arrays import write_bytes

        write_bytes(args.out, write_trace(found, run.id))
    fields = {str(name): described(f) for name, f in found.items() if isinstance(f, Field)}
    if args.json:
        return {"run": run.id, "model": run.model, "out": args.out, "fields": fields}
    if args.out:
        tell(f"{len(fields)} fields: {args.out}")
        return None
    tell(
        table(
            rows(fields), ("field", "kind", "axes", "min", "mean", "max", "says"), right=(3, 4, 5)
        )
    )
    return None


COMMAND = Command(50, "show or save every number that a run has learned", HELP, options, run)
