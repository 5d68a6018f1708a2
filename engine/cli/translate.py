"""`translate`: a text line by line, by a run that translates."""

from __future__ import annotations

from argparse import Namespace
from dataclasses import asdict
from typing import Any

from engine.cli.console import Command, Parser, Wrong, open_run, read_text, say

HELP = """\
Translate each line by always taking the likeliest token (`sample RUN "a line\\t" --beams N`
searches for one line).  As many lines come out as go in; an empty one stays empty.

--bleu: each line is a text, a tab and its right translation; behind the translations, on the error
         output, how good they are, as sacrebleu counts by default.

--json: {"run", "model", "lines"}; with --bleu also {"bleu": {"score", "precisions", "brevity",
         "lengths", "interval"}}
"""


def options(command: Parser) -> None:
    command.takes_run()
    command.takes_texts()
    command.add_argument(
        "--bleu", action="store_true", help="compare with the right translation behind a tab"
    )


def run(args: Namespace) -> dict[str, Any] | None:
    from engine.analysis.measures import bleu
    from engine.models.translating import TranslatingModel, pair_of

    run, model = open_run(args.id)
    if not isinstance(model, TranslatingModel):
        raise Wrong(
            f"the run {run.id!r} is a {run.model} model, which does not translate; choose a run of"
            " an encoder-decoder"
        )
    lines = read_text(args.text, test=True).removesuffix("\n").split("\n")
    if not args.bleu:
        made = model.translations(lines)
        return _told(args, {"run": run.id, "model": run.model, "lines": made})
    try:
        pairs = [pair_of(number, line) for number, line in enumerate(lines, 1)]
    except ValueError as problem:
        raise Wrong(f"{problem}; --bleu compares with the right translation") from problem
    made = model.translations([source for source, _ in pairs])
    found = bleu.measure(made, [target for _, target in pairs])
    if not args.json:
        low, high = found.interval
        say(
            f"BLEU {found.score:.1f} on {len(pairs):,} lines ({low:.1f} to {high:.1f} if they are"
            f" drawn again), {found.lengths[0]:,} words for {found.lengths[1]:,}"
        )
    told = {"run": run.id, "model": run.model, "lines": made, "bleu": asdict(found)}
    return _told(args, told)


def _told(args: Namespace, told: dict[str, Any]) -> dict[str, Any] | None:
    if args.json:
        return told
    for line in told["lines"]:
        print(line)
    return None


COMMAND = Command(90, "translate a text", HELP, options, run)
