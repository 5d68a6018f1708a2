"""`bench`: how fast it is here, beside a peer that is measured in the same minute."""

from __future__ import annotations

from argparse import Namespace
from typing import Any

from engine.cli.console import Command, Parser, Wrong, say, table

HELP = """\
Measure.  `ratio` is the median divided by the median of the peer, measured in turn with it: below 1
is faster.

--json: {"rows": [{"bench", "what", "size", "median_ms", "p95_ms", "peer", "peer_median_ms",
         "ratio"}], "failed"}; null where there is no peer; a bench that could not be measured is
         named in `failed`.
"""


def options(command: Parser) -> None:
    command.add_argument(
        "names", nargs="*", metavar="NAME", help="benches to run; all when none is named"
    )


def run(args: Namespace) -> dict[str, Any] | None:
    from engine.bench import benches

    found = benches()
    unknown = [name for name in args.names if name not in found]
    if unknown:
        raise Wrong(f"no bench {unknown[0]!r}; there are {', '.join(sorted(found))}")
    rows: list[dict[str, Any]] = []
    failed = []
    for name in args.names or sorted(found):
        say(f"measuring {name}")
        try:
            rows.extend({"bench": name, **row.as_dict()} for row in found[name].get(name)())
        except Exception as error:  # what was measured before is still worth showing
            failed.append(f"{name} ({type(error).__name__}: {error})")
    if failed and not rows:
        raise Wrong(f"could not be measured: {'; '.join(failed)}")
    for name in failed:
        say(f"could not be measured: {name}")
    if args.json:
        return {"rows": rows, "failed": failed}
    cells = [
        (
            row["what"],
            row["size"],
            f"{row['median_ms']:.3g} ms",
            f"{row['p95_ms']:.3g} ms",
            "" if row["ratio"] is None else f"{row['ratio']:.3g} x {row['peer']}",
        )
        for row in rows
    ]
    print(table(cells, ("what", "size", "median", "p95", "ratio to the peer"), right=(2, 3)))
    return None


COMMAND = Command(170, "measure speed", HELP, options, run)
