"""`index`: every run of words of a text, however large, on the disk; and what is found there."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from engine.cli.console import Command, Parser, Wrong, number, progress, read_text, table, tell

PLAIN = (".txt", ".text", "")  # files that are read line by line, whatever their size
HELP = """\
Index a text of any size by suffix arrays on the disk: 6 to 8 bytes a token.  With --find, what is there of some words:
how often they occur, the longest end of them that still occurs, what followed it, and lines with it (infini-gram).

--json: {"folder", "tokens", "vocabulary", "shards"}; with --find also {"words", "count", "context", "times", "next":
        [{"token", "times", "probability"}], "lines"}.
"""


def options(command: Parser) -> None:
    command.add_argument("folder", metavar="FOLDER", help="where the index is, or is to be")
    command.add_argument(
        "--text",
        action="append",
        metavar="FILE",
        help="index this: a file, FILE:COLUMN of a table, or a corpus's id",
    )
    command.add_argument(
        "--vocabulary",
        type=number(int, 16, 1 << 32),
        default=1 << 16,
        help="words that are told apart (65,536; more take 8 bytes a token, not 6)",
    )
    command.add_argument("--lowercase", action="store_true", help="case does not count")
    command.add_argument("--find", metavar="WORDS", help="what the index says of these words")
    command.add_argument("-k", type=number(int, 1, 1000), default=10, help="rows to show (10)")


def run(args: Namespace) -> dict[str, Any] | None:
    from engine.ngram import indexing

    folder = Path(args.folder)
    try:
        if args.text:
            steps = indexing.build(_lines(args.text), folder, args.vocabulary, args.lowercase)
            for _ in progress(steps, None, "step", _note):
                pass
        of, tokenizer = indexing.opened(folder)
    except ValueError as error:
        raise Wrong(str(error)) from error
    found: dict[str, Any] = {
        "folder": str(folder),
        "tokens": len(of),
        "vocabulary": len(tokenizer.vocab),
        "shards": len(of.shards),
    }
    if args.find is not None:
        found |= _found(of, tokenizer, args.find, args.k)
    if args.json:
        return found
    tell(f"{found['tokens']:,} tokens, {found['vocabulary']:,} words, {found['shards']} shards")
    if args.find is not None:
        tell(f"“{args.find}” occurs {found['count']:,} times")
        tell(f"what followed “{found['context']}”, which occurs {found['times']:,} times:")
        rows = [
            (f"{one['times']:,}", f"{one['probability']:.3%}", one["token"])
            for one in found["next"]
        ]
        print(table(rows, ("times", "share", "next"), right=(0, 1)))
        for line in found["lines"]:
            tell(f"· {line}")
    return None


def _note(step: tuple[str, int, int]) -> str:
    what, n, shards = step
    return f"{what} {n:,}" + (f" of {shards} shards" if shards else " tokens")


def _found(of: Any, tokenizer: Any, words: str, most: int) -> dict[str, Any]:
    ids = tokenizer.encode(words).ids.tolist()
    whole, best = of.find(ids), of.longest(ids)
    id_W, count_W = of.following(best, most)
    return {
        "words": words,
        "count": whole.count,
        "context": tokenizer.decode(ids[len(ids) - best.run :]),
        "times": best.count,
        "next": [
            {"token": tokenizer.vocab[id], "times": int(n), "probability": n / best.count}
            for id, n in zip(id_W.tolist(), count_W.tolist(), strict=True)
        ],
        "lines": [
            tokenizer.decode(of.token_N[slice(*of.line(place))].tolist())
            for place in of.places(best, most).tolist()
        ],
    }


def _lines(sources: list[str]) -> Iterator[str]:
    for source in sources:
        path = Path(source)
        if path.is_file() and path.suffix in PLAIN:
            with path.open(encoding="utf-8", errors="replace") as file:
                yield from (line.rstrip("\n") for line in file if line.strip())
        else:
            yield from (line for line in read_text([source]).splitlines() if line.strip())


COMMAND = Command(47, "index a text of any size", HELP, options, run)
