"""`import`: a pretrained checkpoint becomes a run that every page and command offers."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path
from typing import Any

from engine.cli.console import new_command, say

HELP = """\
Take a checkpoint of the `transformers` library: BERT, RoBERTa, DistilBERT, GPT-2, Llama or T5, by its folder or, where
there is a network, by its name at the hub.  Only safetensors are read, and no code that comes with it is run.

--json: {"run", "folder", "model", "title", "numbers", "left_out"}; `left_out` are weights that our model has no place for.
"""


def add(commands: Any) -> Any:
    command = new_command(commands, "import", "take a pretrained checkpoint", HELP)
    command.add_argument("name", metavar="FOLDER_OR_NAME", help='its folder, or "maker/model" at the hub')
    command.add_argument("--out", type=Path, metavar="DIR", help="where to keep it; otherwise among your own runs")
    command.add_argument("--title", help="what pages call it")
    return command


def run(args: Namespace) -> dict[str, Any] | None:
    from engine.pretrained.store import store

    say(f"reading {args.name}")
    made = store(args.name, args.out, args.title)
    about = made.note["checkpoint"]
    if args.json:
        return {
            "run": made.id, "folder": made.folder, "model": made.model, "title": made.title, "numbers": about["numbers"],
            "left_out": about["left_out"],
        }  # fmt: skip
    print(f"{made.id}: a {made.model} model of {about['numbers']:,} numbers, in {made.folder}")
    if left := about["left_out"]:
        print(f"left out, as our model has no place for them: {', '.join(left[:8])}{f' and {len(left) - 8} more' if len(left) > 8 else ''}")
    return None
