"""`measure`: BLEU, chrF, TER, ROUGE, METEOR, exact match, F1 and error rates of a file."""

from __future__ import annotations

from argparse import Namespace
from typing import Any

from engine.cli.console import Command, Parser, Wrong, progress, tell

HELP = """\
How near the lines of a file are to the right ones: BLEU, chrF, chrF++, ROUGE-1/2/L, METEOR, exact match, F1 of words,
TER, word and character error rate, each with the interval that holds 95 of 100 scores of lines drawn again.  --also
compares a second system: the difference, and how likely one so large is by chance, by paired bootstrap and by
approximate randomisation.  A line of one file belongs to the same line of the others.

--json: {"lines", "measures": [{"id", "title", "errors", "score", "interval"}]}; with --also each has also {"also",
         "also_interval", "difference", "difference_interval", "p_bootstrap", "p_randomisation"}.
"""


def options(command: Parser) -> None:
    command.add_argument(
        "--ref",
        required=True,
        metavar="FILE",
        action="append",
        help="the right lines; given again, more references of each",
    )
    command.add_argument("--hyp", required=True, metavar="FILE", help="what the system said")
    command.add_argument("--also", metavar="FILE", help="what a second system said")
    command.add_argument(
        "--measures",
        metavar="IDS",
        default="",
        help="only these, with commas between: bleu,chrf,ter ...",
    )
    command.add_argument("--draws", type=int, default=1000, help="how often lines are drawn (1000)")


def run(args: Namespace) -> dict[str, Any] | None:
    import numpy as np

    from engine.analysis.measures import resampling
    from engine.analysis.measures.table import BY_ID, MEASURES

    asked = [one for one in args.measures.split(",") if one]
    if unknown := [one for one in asked if one not in BY_ID]:
        raise Wrong(f"there is no measure {unknown[0]!r}; there are {', '.join(BY_ID)}")
    if not 1 <= args.draws <= 100_000:
        raise Wrong("--draws is a number from 1 to 100,000")
    measures = [BY_ID[one] for one in asked] or [*MEASURES]
    references = [*zip(*_even([*args.ref]), strict=True)]
    files = _even([args.ref[0], *(name for name in (args.hyp, args.also) if name)])[1:]
    rows = []
    for said in files:
        lines = progress(zip(said, references, strict=True), len(said), "line")
        rows.append(
            np.array([[x for one in measures for x in one.row(*pair)] for pair in lines], float)
        )
    found = []
    drawn = [resampling.bootstrap(measures, row_LK, args.draws) for row_LK in rows]
    score = [resampling.scores(measures, row_LK.sum(0, keepdims=True))[0] for row_LK in rows]
    paired = resampling.compare(measures, rows[0], rows[1], drawn) if args.also else []
    for m, one in enumerate(measures):
        said_of: dict[str, Any] = {
            "id": one.id,
            "title": one.title,
            "errors": one.errors,
            "score": float(score[0][m]),
            "interval": resampling.interval(drawn[0][:, m]),
        }
        if paired:
            said_of |= {
                "also": float(score[1][m]),
                "also_interval": resampling.interval(drawn[1][:, m]),
                "difference": paired[m].difference,
                "difference_interval": paired[m].interval,
                "p_bootstrap": paired[m].bootstrap,
                "p_randomisation": paired[m].randomisation,
            }
        found.append(said_of)
    if args.json:
        return {"lines": len(references), "measures": found}
    _print(found)
    return None


def _even(names: list[str]) -> list[list[str]]:
    """The lines of files of one length."""
    found = list[list[str]]()
    for name in names:
        try:
            with open(name, encoding="utf-8-sig", newline="\n") as file:
                text = file.read()
        except UnicodeDecodeError:
            raise Wrong(f"{name} is not UTF-8 text") from None
        except OSError as problem:
            raise Wrong(f"{name} cannot be read: {problem.strerror}") from None
        lines = [line.removesuffix("\r") for line in text.removesuffix("\n").split("\n")]
        if not text:
            raise Wrong(f"{name} is empty")
        if found and len(lines) != len(found[0]):
            raise Wrong(
                f"{name} has {len(lines):,} lines, and {names[0]} has {len(found[0]):,};"
                " line by line they have to belong together"
            )
        found.append(lines)
    return found


def _print(found: list[dict[str, Any]]) -> None:
    for one in found:
        low, high = one["interval"]
        line = f"{one['title']:12}{one['score']:8.2f}  ({low:.2f} to {high:.2f})"
        if "also" in one:
            low, high = one["also_interval"]
            line += (
                f"{one['also']:9.2f}  ({low:.2f} to {high:.2f})  {one['difference']:+.2f}"
                f"  p {one['p_bootstrap']:.4f} bootstrap, {one['p_randomisation']:.4f} randomisation"
            )
        tell(line)


COMMAND = Command(
    72, "compare lines with the right ones: BLEU, chrF, TER, ROUGE ...", HELP, options, run
)
