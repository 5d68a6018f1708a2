"""`score`: how well a run predicts a text."""

from __future__ import annotations

import math
from argparse import Namespace
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from engine.cli.console import Command, Parser, Wrong, demand, open_run, progress, read_text, tell

if TYPE_CHECKING:
    from engine.models.abilities import Fills
    from engine.runs.store import Run

HELP = """\
How well the model predicts a text, line by line; the end of each line is predicted too.  Blank
lines are left out, except by models of white-space tokens, which take a text as it stands.  With
--running the lines are one text: a recurrent model carries its state from line to line, and a model
that sees C tokens at most has at least C / 2 of them before each token.  A corpus of your own is
read as for training: without its test part.  ID:test reads the test part alone.

Of an encoder 15 % of the words of stretches drawn from the lines are masked, and counted is how
often the right one is its first guess; where it learned from pairs of sentences, those too.

--json: {"run", "model", "tokens", "characters", "oov", "bits_per_token", "bits_per_char",
         "perplexity", "perplexity_without_oov", "notes"}; null where there is no finite number, and
         a note says why.  Of an encoder {"run", "model", "masked_words", "accuracy",
         "commonest_word", "nats", "pairs", "pair_accuracy"}; `commonest_word` is how often the
         commonest of the masked words would have been right, and pairs may be missing.
"""


def options(command: Parser) -> None:
    command.takes_run()
    command.takes_texts()
    command.add_argument(
        "--running", action="store_true", help="read the lines as one text, not one by one"
    )


def run(args: Namespace) -> dict[str, Any] | None:
    from engine.analysis.measure import Score, running, scores, sentences
    from engine.models.abilities import Fills

    run, model = open_run(args.id)
    if isinstance(model, Fills):
        return _filled(run, model, args)
    demand(run, model, "probability")
    lines = sentences(model, read_text(args.text, test=True))
    if not lines:
        raise Wrong("there is no line with text to score; give a file with some lines of text")
    parts = list(
        progress(running(model, lines), None, "block")
        if args.running
        else progress(scores(model, lines), len(lines), "line")
    )
    total = Score.total(parts)
    numbers = {name: _finite(value) for name, value in total.as_dict().items()}
    notes = []
    if total.impossible:
        rest = _finite(total.perplexity_of_possible)
        left = f"; the perplexity of the rest is {rest:.4f}" if rest is not None else ""
        some = f"{total.impossible} of {total.tokens} tokens have probability 0"
        notes.append(f"{some}, so no finite perplexity exists{left}")
    if total.oov:
        notes.append(
            f"{total.oov} of {total.tokens} tokens are not in the vocabulary and were read as the"
            " unknown token"
        )
    if total.lost:
        notes.append(
            f"at {total.lost:,} places the text has letters that this model's tokenizer has neither"
            " a piece nor a mark for; they were not read, so the bits per character are too few"
        )
    if not model.normalised:
        notes.append(
            "the rows of this model are scores that do not sum to 1: bits and perplexity cannot be"
            " compared with those of a probability"
        )
    if args.json:
        return {"run": run.id, "model": run.model, **numbers, "notes": notes}
    _print(numbers)
    for note in notes:
        tell(note)
    return None


def _filled(run: Run, model: Fills[Any], args: Namespace) -> dict[str, Any] | None:
    from engine.text.tokenizers.base import passages

    if args.running:
        raise Wrong(f"the run {run.id!r} reads each line alone; leave --running out")
    found = model.judge(passages(read_text(args.text, test=True)))
    if not found:
        raise Wrong(
            f"the run {run.id!r} fills no masks, or knows no word of the text; choose another run or"
            " text"
        )
    if args.json:
        return {"run": run.id, "model": run.model, **found}
    _print(found)
    return None


def _print(numbers: Mapping[str, float | None]) -> None:
    for name, value in numbers.items():
        shown = (
            "not finite"
            if value is None
            else f"{value:,}"
            if isinstance(value, int)
            else f"{value:.4f}"
        )
        tell(f"{name.replace('_', ' '):24}{shown}")


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


COMMAND = Command(70, "measure how well a text is predicted", HELP, options, run)
