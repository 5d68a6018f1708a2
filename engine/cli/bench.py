"""`bench`: how fast it is here, beside a peer that is measured in the same minute."""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING, Any

from engine.cli.console import Command, Parser, Wrong, print_json, say

if TYPE_CHECKING:
    from engine.bench import Bench, Row

HELP = """\
Measure.  `ratio` is the median divided by the median of the peer, measured in turn with it: below 1
is faster; `p95_ratio` is the same of the times that 95 % do not exceed.

NAME is a bench, or a bench and some of its parts: live:home,lstm measures two pages.

Each row is printed as soon as it is measured.  What can't be measured is a row that says why; the
rest goes on, and the exit status is 2.

--json: {"rows": [{"bench", "what", "size", "median_ms", "p95_ms", "peer", "peer_median_ms",
         "peer_p95_ms", "ratio", "p95_ratio", "problem"}], "failed"}; null where there is no peer or
         no problem; what could not be measured is named in `failed`.
"""
HEAD = ("what", "size", "median", "p95", "ratio to the peer")
WIDTHS = (36, 34, 9, 9, 0)


def options(command: Parser) -> None:
    command.add_argument(
        "names",
        nargs="*",
        metavar="NAME[:PART,...]",
        help="benches to run, of some only these parts; all when none is named",
    )


def run(args: Namespace) -> dict[str, Any] | None:
    from engine.bench import Row, attempt

    asked = _asked(args.names)
    tell = say if args.json else _print
    if not args.json:
        _print(_line(HEAD))
    rows: list[dict[str, Any]] = []
    failed: list[str] = []
    for name, made, parts in asked:
        say(f"measuring {name}")
        found = [made] if isinstance(made, Row) else attempt(name, made.run(parts))
        for row in found:
            tell(_line(_cells(row)))
            rows.append({"bench": name, **row.as_dict()})
            if row.problem:
                failed.append(
                    f"{name} ({row.problem})"
                    if row.what == name
                    else f"{name}: {row.what} ({row.problem})"
                )
    if args.json:
        print_json({"rows": rows, "failed": failed})
    if failed:
        raise Wrong(f"could not be measured: {'; '.join(failed)}")
    return None


def _asked(names: list[str]) -> list[tuple[str, Bench | Row, tuple[str, ...]]]:
    """(name, bench, parts) of each bench asked for; in the place of one that can't be imported, the
    row that says why.  Wrong when one of them is unknown."""
    from engine.bench import Row, benches

    found = benches()
    asked: list[tuple[str, Bench | Row, tuple[str, ...]]] = []
    for whole in names or sorted(found):
        name, colon, after = whole.partition(":")
        if name not in found:
            raise Wrong(f"no bench {name!r}; there are {', '.join(sorted(found))}")
        parts = tuple(filter(None, after.split(",")))
        try:
            bench = found[name].get(name)
        except ImportError as error:
            asked.append((name, Row.failed(name, error), parts))
            continue
        unknown = [part for part in parts if part not in bench.parts]
        if unknown or (colon and not parts):
            there = f"there are {', '.join(bench.parts)}" if bench.parts else "it has none"
            raise Wrong(f"no part {(unknown or [''])[0]!r} in the bench {name}; {there}")
        asked.append((name, bench, parts))
    return asked


def _cells(row: Row) -> tuple[str, ...]:
    if row.problem:
        return (row.what, f"not measured: {row.problem}")
    ratio = "" if row.ratio is None else f"{row.ratio:.3g} x {row.peer}"
    if row.p95_ratio is not None:
        ratio += f" (p95 {row.p95_ratio:.3g} x)"
    return (row.what, row.size, f"{row.median_ms:.3g} ms", f"{row.p95_ms:.3g} ms", ratio)


def _line(cells: tuple[str, ...]) -> str:
    """In columns of one width, since nobody knows what rows are to come."""
    return "  ".join(
        cell.rjust(width) if 2 <= n < 4 else cell.ljust(width)
        for n, (cell, width) in enumerate(zip(cells, WIDTHS, strict=False))
    ).rstrip()


def _print(line: str) -> None:
    print(line, flush=True)


COMMAND = Command(170, "measure speed", HELP, options, run)
