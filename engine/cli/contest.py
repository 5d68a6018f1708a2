"""`contest`: train recurrent cells on tasks with known answers and measure how far back they
remember."""

from __future__ import annotations

from argparse import Namespace
from dataclasses import fields
from pathlib import Path
from typing import Any

from engine.cli.console import Command, Parser, Wrong, number, progress, say, table

HELP = """\
Train cells on tasks with known answers, and measure accuracy by distance.  Cells already trained
are not trained again.

--out FILE: also write all results to this file, beside those that are in it; assets/contest.json is
         what the page shows at once.
Without a cell or a task: everything that is shipped.

--json: {"results": [{"entry", "units", "parameters", "seconds", "loss_nats", "clean",
         "disturbed"}]}
"""


def options(command: Parser) -> None:
    command.add_argument(
        "cells", nargs="*", metavar="CELL", help="cells to train; all when none is named"
    )
    command.add_argument("--task", action="append", metavar="TASK", help="a task; may be repeated")
    command.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="noise, match, units, shortest, distance, steps, seed ...",
    )
    command.add_argument(
        "--out", type=Path, metavar="FILE", help="write the results to this file too"
    )
    command.add_argument("--threads", type=number(int, 1, 64), default=1)


def run(args: Namespace) -> dict[str, Any] | None:
    from engine.analysis.contest import results
    from engine.analysis.contest.entry import Result

    entries = _entries(args)
    kept = dict(results.shipped_in(args.out)) if args.out else {}
    made: list[Result] = []
    for entry in entries:
        found = kept.get(entry) or results.find(entry) or _train(entry, args.threads)
        made.append(found)
        kept[entry] = found
        if args.out:
            results.write(args.out, kept.values())
    if args.json:
        return {"results": [result.as_json() for result in made]}
    rows = []
    for result in made:
        mean = [sum(part.values()) / len(part) for part in (result.clean, result.disturbed)]
        entry = result.entry
        rows.append(
            (
                entry.cell,
                entry.task,
                f"{entry.noise:.0%}",
                result.units,
                result.parameters,
                *(f"{m:.1%}" for m in mean),
                f"{result.seconds:.0f} s",
            )
        )
    print(
        table(
            rows,
            ("cell", "task", "noise", "units", "parameters", "right", "with distractors", "time"),
            right=range(2, 8),
        )
    )
    return None


def _entries(args: Namespace) -> list[Any]:
    from engine.analysis.contest.entry import SHIPPED, Entry
    from engine.core.registry import cells, tasks

    for asked, there in ((args.cells, cells), (args.task or [], tasks)):
        for id in asked:
            if id not in there.ids():
                raise Wrong(f"no {id!r}; there are {', '.join(there.ids())}")
    if not args.set and not args.task:
        return [entry for entry in SHIPPED if not args.cells or entry.cell in args.cells]
    kinds: dict[str, Any] = {
        f.name: type(f.default) for f in fields(Entry) if f.name not in ("cell", "task")
    }
    settings: dict[str, Any] = {}
    for pair in args.set:
        name, _, value = pair.partition("=")
        if name not in kinds:
            raise Wrong(f"no setting {name!r}; there are {', '.join(kinds)}")
        try:
            settings[name] = kinds[name](value)
        except ValueError:
            raise Wrong(f"{name} is a number, not {value!r}") from None
    return [
        Entry(cell, task, **settings)
        for task in args.task or tasks.ids()
        for cell in args.cells or cells.ids()
    ]


def _train(entry: Any, threads: int) -> Any:
    import torch

    from engine.analysis.contest import results
    from engine.analysis.contest.train import REPORTS, train

    torch.set_num_threads(threads)
    say(
        f"{entry.cell}, {entry.task}, {entry.noise:.0%} distractors, distances {entry.shortest} to"
        f" {entry.distance}"
    )
    found = None
    for report in progress(train(entry), REPORTS, "report", lambda r: f"{r.loss_nats:.3f} nats"):
        found = report.result
    assert found is not None
    results.keep_result(found)
    return found


COMMAND = Command(110, "measure how far back each cell remembers", HELP, options, run)
