"""`translate`: a text line by line, by a run that translates."""

from __future__ import annotations

from argparse import Namespace
from typing import Any

from engine.cli.console import Wrong, new_command, open_run, read_text

HELP = """\
Translate each line by always taking the likeliest token (`sample RUN "a line\\t" --beams N`
searches for one line).  As many lines come out as go in; an empty one stays empty.

--json: {"run", "model", "lines"}
"""


def add(commands: Any) -> Any:
    command = new_command(commands, "translate", "translate a text", HELP)
    command.add_argument("id", metavar="RUN", help="a run's id or folder")
    command.add_argument(
        "--text",
        action="append",
        required=True,
        metavar="FILE",
        help="a file, FILE:COLUMN of a table, or a corpus's id",
    )
    return command


def run(args: Namespace) -> dict[str, Any] | None:
    from engine.models.translating import TranslatingModel

    run, model = open_run(args.id)
    if not isinstance(model, TranslatingModel):
        raise Wrong(
            f"the run {run.id!r} is a {run.model} model, which does not translate; choose a run of"
            " an encoder-decoder"
        )
    made = model.translations(read_text(args.text, test=True).removesuffix("\n").split("\n"))
    if args.json:
        return {"run": run.id, "model": run.model, "lines": made}
    for line in made:
        print(line)
    return None
