"""`unpack`: a run that `pack` wrote becomes one of your own."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path
from typing import Any

from engine.cli.console import Command, Parser, tell

HELP = """\
Take a run from the zip that `pack`, or the page Runs, wrote, and keep it among your own runs.
Every file is checked against its digest, only files that a run has are taken, and nothing in the
zip is ever run.  Where its id is taken by another run, it gets a number behind it; a run that is
here already stays as it is.

--json: {"run", "folder", "model", "title", "new"}; `new` is false where the very same run was here
         already.
"""


def options(command: Parser) -> None:
    command.add_argument("file", type=Path, metavar="FILE.zip", help="what `pack` wrote")


def run(args: Namespace) -> dict[str, Any] | None:
    from engine.runs.archive.unpack import unpack

    arrived = unpack(args.file)
    found = arrived.run
    if args.json:
        return {
            "run": found.id,
            "folder": str(found.folder),
            "model": found.model,
            "title": found.title,
            "new": arrived.new,
        }
    tell(
        f"{found.id}: {found.title}, in {found.folder}"
        if arrived.new
        else f"{found.id} is here already, the very same: {found.folder}"
    )
    return None


COMMAND = Command(150, "take a run from a zip", HELP, options, run)
