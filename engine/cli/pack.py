"""`pack`: a run as one zip, to keep or to take to another machine."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path
from typing import Any

from engine.cli.console import Command, Parser, Wrong, tell

HELP = """\
Write a run as one zip: run.json, weights, history, snapshots, and a list of the SHA-256 digests of
all of them.  On the other machine: python -m engine unpack FILE.zip

--json: {"run", "out", "size_bytes"}
"""


def options(command: Parser) -> None:
    command.takes_run()
    command.add_argument(
        "out",
        type=Path,
        metavar="FILE.zip",
        help="the file to write; one that is there is replaced",
    )


def run(args: Namespace) -> dict[str, Any] | None:
    from engine.runs.archive.pack import pack
    from engine.runs.store import RunStore

    if args.out.is_dir():
        raise Wrong(f"{args.out} is a folder; give a file name, {args.out / 'run.zip'} for one")
    if not args.out.parent.is_dir():
        raise Wrong(f"there is no folder {args.out.parent}; make it first or give another place")
    found = RunStore().find(args.id)
    pack(found, args.out)
    result = {"run": found.id, "out": str(args.out), "size_bytes": args.out.stat().st_size}
    if args.json:
        return result
    tell(f"{found.id}: {result['size_bytes'] / 1e6:,.1f} MB in {args.out}")
    return None


COMMAND = Command(140, "write a run as one zip", HELP, options, run)
