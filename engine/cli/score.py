"""`score`: how well a run predicts a text."""

from __future__ import annotations

import math
from argparse import Namespace
from dataclasses import astuple
from typing import Any

from engine.cli.console import Wrong, new_command, open_run, progress, read_text

HELP = """\
How well the model predicts a text, line by line; the end of each line is predicted too.

--json: {"run", "model", "tokens", "characters", "oov", "bits_per_token", "bits_per_char", "perplexity",
         "perplexity_without_oov", "notes"}; null where there is no finite number, and a note says why.
"""


def add(commands: Any) -> Any:
    command = new_command(commands, "score", "how well a text is predicted", HELP)
    command.add_argument("id", metavar="RUN", help="a run's id or folder")
    command.add_argument("--text", action="append", required=True, metavar="FILE", help="a text file or a built-in text")
    return command


def run(args: Namespace) -> dict[str, Any] | None:
    from engine.measure import Score, score
    from engine.text.base import passages

    run, model = open_run(args.id, needs="probability")
    lines = passages(read_text(args.text))
    # line by line, for the bar; bits and counts of lines add up
    parts = [astuple(score(model, line)) for line in progress(lines, len(lines), "line")]
    if not parts:
        raise Wrong("there is no line with text to score; give a file with some lines of text")
    total = Score(*(sum(column) for column in zip(*parts, strict=True)))
    names = ("tokens", "characters", "oov", "bits_per_token", "bits_per_char", "perplexity", "perplexity_without_oov")
    numbers = {name: _finite(total, name) for name in names}
    notes = []
    if math.isinf(total.bits):
        notes.append("the model gives probability 0 to something in this text, so no finite perplexity exists")
    if total.oov:
        notes.append(f"{total.oov} of {total.tokens} tokens are not in the vocabulary and were read as the unknown token")
    if args.json:
        return {"run": run.id, "model": run.model, **numbers, "notes": notes}
    for name, value in numbers.items():
        shown = "not finite" if value is None else f"{value:,}" if isinstance(value, int) else f"{value:.4f}"
        print(f"{name.replace('_', ' '):24}{shown}")
    for note in notes:
        print(note)
    return None


def _finite(total: Any, name: str) -> Any:
    value = getattr(total, name)
    return value if math.isfinite(value) else None
