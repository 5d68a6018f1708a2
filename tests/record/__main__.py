"""The three commands: see `tests.record`."""

from __future__ import annotations

import argparse
import json
import multiprocessing
import sys
from pathlib import Path


def names(ids: list[str]) -> dict[str, str]:
    """{id: the script of its page}, home among them."""
    from engine.course.curriculum import LESSONS

    every = {"home": "app.py"} | {item.id: f"pages/{item.page}" for item in LESSONS}
    if unknown := set(ids) - set(every):
        sys.exit(f"no page {', '.join(sorted(unknown))}; there are {', '.join(every)}")
    return {id: every[id] for id in ids or every}


def differences(asked: argparse.Namespace) -> int:
    from tests.record.compare import compare, read, report

    moved = json.loads(asked.moved.read_text(encoding="utf-8")) if asked.moved else {}
    old = read(asked.old, asked.ids)
    new = read(
        asked.new,
        [*{moved.get(id, id) for id in old}, *{to.partition("/")[0] for to in moved.values()}],
    )
    found = compare(old, new, moved)
    print(report(found, len(old), asked.json))
    return bool(found)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.record")
    commands = parser.add_subparsers(dest="command", required=True)
    for name in ("pages", "live"):
        one = commands.add_parser(name)
        one.add_argument("out", type=Path)
        one.add_argument("ids", nargs="*")
    two = commands.add_parser("compare")
    two.add_argument("old", type=Path)
    two.add_argument("new", type=Path)
    two.add_argument("ids", nargs="*")
    two.add_argument("--moved", type=Path, help='JSON: {"old page/part": "new page/part"}')
    two.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    if asked.command == "compare":
        sys.exit(differences(asked))
    every = names(asked.ids)
    if asked.command == "live":
        from tests.record import live

        live.record(every, asked.out)
    if asked.command == "pages":
        from tests.record.walk import record

        context = multiprocessing.get_context("spawn")
        for id, script in every.items():
            work = context.Process(target=record, args=(id, script, asked.out))
            work.start()
            work.join()
            if work.exitcode:
                print(f"{id}: not recorded, {work.exitcode}", flush=True)


if __name__ == "__main__":
    main()
