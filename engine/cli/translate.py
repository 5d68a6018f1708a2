"""`translate`: a text line by line, by a run that translates."""

from __future__ import annotations

from argparse import Namespace
from typing import Any

from engine.cli.console import Command, Parser, Wrong, open_run, read_text

HELP = """\
Translate each line by always taking the likeliest token (`sample RUN "a line\\t" --beams N`
searches for one line).  As many lines come out as go in; an empty one stays empty.

--json: {"run", "model", "lines"}
"""


def options(command: Parser) -> None:
    command.takes_run()
    command.takes_texts()


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


COMMAND = Command(90, "translate a text", HELP, options, run)
