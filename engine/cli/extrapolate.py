"""`extrapolate`: how well models with different positions predict beyond the length they were
trained on."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path
from typing import Any

import numpy as np

from engine.cli.console import Command, Parser, Wrong, read_text, say, table

HELP = """\
Measure the mean surprisal at every place of stretches of 256 tokens, by models trained on 64, one
for each kind of position.  The runs are made by `python -m engine zoo transformer_none
transformer_sinusoidal ... --text FILE`; take the same text here:  what is held out of it was not
seen in training.

--json: {"trained", "stretches", "tokens", "steps", "curves": [{"kind", "stretch", "more",
         "parameters", "placed", "bits"}]}
"""


def options(command: Parser) -> None:
    command.takes_texts("the text that the runs were trained on")
    command.add_argument(
        "--runs", type=Path, metavar="DIR", help="the folder of the runs (assets/runs)"
    )
    command.add_argument(
        "--out",
        type=Path,
        metavar="FILE",
        help="write the results to this file too; assets/positions.json is what the page shows",
    )


def run(args: Namespace) -> dict[str, Any] | None:
    from engine.lessons.positions import extrapolate
    from engine.runs.store import SHIPPED

    try:
        found = extrapolate.runs(args.runs or SHIPPED)
    except LookupError as problem:
        raise Wrong(
            f"{problem}; make it with `python -m engine zoo NAME --text FILE --out DIR`"
        ) from problem
    rows, results = [], None
    for curve, results in extrapolate.measure(found, read_text(args.text)):
        say(f"{curve.kind}: measured")
        bits, trained = np.array(curve.bits), results.trained
        parts = [
            bits[: trained // 2],
            bits[trained // 2 : trained],
            bits[trained : 2 * trained],
            bits[2 * trained :],
        ]
        means = [f"{part.mean():.3f}" if len(part) else "no rows" for part in parts]
        rows.append(
            (curve.kind, f"{curve.stretch:g}", curve.more, curve.parameters, curve.placed, *means)
        )
    assert results is not None
    if args.out:
        extrapolate.write(args.out, results)
    if args.json:
        from dataclasses import asdict

        return asdict(results)
    t = results.trained
    head = (
        "position",
        "places times",
        "more steps",
        "parameters",
        "of the position",
        f"bits at 1-{t // 2}",
        f"{t // 2 + 1}-{t}",
        f"{t + 1}-{2 * t}",
        f"{2 * t + 1}-",
    )
    print(table(rows, head, right=range(1, 9)))
    return None


COMMAND = Command(120, "measure positions beyond the trained length", HELP, options, run)
