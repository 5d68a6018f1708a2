"""`import`: a pretrained checkpoint or a file of word vectors becomes a run that every page and
command offers."""

from __future__ import annotations

import re
from argparse import Namespace
from pathlib import Path
from typing import Any

from engine.cli import vectorfile
from engine.cli.console import Command, Parser, first_line, number, say, shares, tell
from engine.core.registry import families, quantisations
from engine.pretrained.packaged import PACKAGED

FAMILIES = [re.split("[:,]", first_line(families.file(id)))[0] for id in families.ids()]
METHODS = [re.split("[:,]", first_line(quantisations.file(id)))[0] for id in quantisations.ids()]
HELP = f"""\
Take a checkpoint of the `transformers` library: {", ".join(FAMILIES[:-1])} or {FAMILIES[-1]}, by
its folder or, where there is a network, by its name at the hub; a download that broke off goes on
where it stopped.  Nothing but tensors is read, and no code that comes with it is run.  Before it
becomes a run, two short texts are read by the library's own forward pass too; where the two part it
is refused.  A language model, encoder or translator of any other family that the library knows becomes
a run that is read-only.  Weights in few bits ({", ".join(METHODS)}) are dequantised, and a LoRA beside them is
merged.  Or take a GGUF file of llama.cpp, which is kept as it is; or one of these names, whose file
a package of the Python index holds: {", ".join(PACKAGED)}.  Or take a file of word vectors:
word2vec text or binary, GloVe text, fastText .vec or .bin, a table of commas, semicolons or tabs,
tensors.tsv with metadata.tsv beside it, as they are or packed (.zip, .gz, .bz2, .xz).

--json: {{"run", "folder", "model", "title", "family", "layers", "heads", "numbers", "left_out",
         "notes"}} of a checkpoint; `left_out` are weights that our model has no place for and that
         change nothing of it, `notes` say what was done to it.  {{"run", "folder", "model", "title",
         "format", "words", "width", "composes", "notes"}} of word vectors; `composes` says whether
         unknown words get a vector, `notes` what was left out, or read in another way.
"""


def options(command: Parser) -> None:
    command.add_argument(
        "name",
        metavar="NAME",
        help='a folder, "maker/model" at the hub, a GGUF file, or a file of word vectors',
    )
    command.add_argument(
        "--out", type=Path, metavar="DIR", help="folder to write to (among your own runs)"
    )
    command.add_argument("--title", help="title of the run")
    command.add_argument(
        "--name",
        dest="called",
        metavar="NAME",
        help="name of the run and of its folder, in place of the checkpoint's own",
    )
    command.add_argument(
        "--words",
        type=number(int, 1, 1_000_000),
        default=100_000,
        metavar="N",
        help="read only the first N words of a file of word vectors (100000)",
    )


def run(args: Namespace) -> dict[str, Any] | None:
    from engine.runs.imported import is_gguf, store

    if Path(args.name).is_file() and not is_gguf(args.name):
        return vectorfile.run(args)

    say(f"reading {args.name}")
    with shares() as told:
        made = store(args.name, args.out, args.title, args.called, told)
    about = made.note["checkpoint"]
    if args.json:
        return {
            "run": made.id,
            "folder": made.folder,
            "model": made.model,
            "title": made.title,
            "family": about["kind"],
            "layers": about["layers"],
            "heads": about["heads"],
            "numbers": about["numbers"],
            "left_out": about["left_out"],
            "notes": about["notes"],
        }
    tell(
        f"{made.id}: {made.title}, a {about['kind']} of {about['layers']} layers,"
        f" {about['heads']} heads and {about['numbers']:,} numbers, in {made.folder}"
    )
    for said in about["notes"]:
        tell(said)
    if left := about["left_out"]:
        tell(
            "left out, because this model has no such weights and they change nothing of it:"
            f" {', '.join(left[:8])}{f' and {len(left) - 8} more' if len(left) > 8 else ''}"
        )
    return None


COMMAND = Command(
    130,
    "take a pretrained checkpoint or word vectors",
    HELP,
    options,
    run,
    stopped="; nothing was stored, and a download from the hub goes on with the same command",
)
