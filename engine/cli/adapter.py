"""`adapter`: a LoRA that was trained here as a file of the `peft` library, and one of its files as a
run."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path
from typing import Any

from engine.cli.console import Command, Parser, Wrong, tell

HELP = """\
Write the LoRA of a run as the peft library keeps it, or make a run of such files.

`adapter RUN --out DIR` writes adapter_config.json and adapter_model.safetensors into a folder.
`adapter RUN --take DIR --out NEW` reads them from DIR: the run NEW is RUN with that adapter.

--json: {"run", "folder", "rank", "parameters"}
"""


def options(command: Parser) -> None:
    command.add_argument("run", metavar="RUN", help="a run's id or folder")
    command.add_argument("--out", type=Path, required=True, metavar="DIR", help="a new folder")
    command.add_argument("--take", type=Path, metavar="DIR", help="a folder that peft wrote")


def run(args: Namespace) -> dict[str, Any] | None:
    from engine.runs import adapters
    from engine.runs.store import RunStore

    if args.out.exists() and (not args.out.is_dir() or any(args.out.iterdir())):
        raise Wrong(f"{args.out} is not empty; choose a new folder as --out")
    found = RunStore().find(args.run)
    made = (
        adapters.take(found, args.take, args.out) if args.take else adapters.write(found, args.out)
    )
    said = {"run": found.id, "folder": str(args.out.resolve()), **made}
    if args.json:
        return said
    tell(f"LoRA of rank {made['rank']}, {made['parameters']:,} parameters: {said['folder']}")
    return None


COMMAND = Command(35, "write or read a LoRA as peft keeps it", HELP, options, run)
