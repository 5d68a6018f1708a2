"""`list`: what there is.  Names and first lines are read from the files; no model is imported."""

from __future__ import annotations

from argparse import Namespace
from dataclasses import asdict
from typing import Any

from engine.cli.console import Command, Parser, first_line, table

HELP = """\
List models, views, lessons and runs; all four when none is named.  `list topics` lists what the
course shows and where, `list cost` the lines of each lesson that stands in a room of its own.

--json: {"models": [{"id", "says"}], "views": [{"id", "says"}], "lessons": [{"id", ...}], "runs":
         [{"id", "model", "title", "folder", "shipped", "steps", "held_out"}]}, the part that was
         asked for.
cost --json: {"cost": [{"id", "words", "pictures", "parts", "sums", "lines", "price"}]}: lines by kind,
         and what a lesson with so many pictures and parts may have without its sums.
topics --json: {"topics": [{"id", "spec", "title", "state", "page", "anchor"}]}, one entry for each
         row of the specification: `spec` names the row ("rnn.md A1"), `state` is "works" or "part",
         `page` the address of the page, and `anchor` the panel on it: PAGE?panel=ANCHOR opens it.
"""
SHOWN = {
    "runs": ("id", "model", "title", "folder"),
    "lessons": ("id", "era", "title", "question"),
    "topics": ("title", "page", "anchor", "spec"),
    "cost": ("id", "words", "pictures", "parts", "sums", "lines", "price"),
}


def options(command: Parser) -> None:
    command.add_argument(
        "what", nargs="?", choices=("models", "views", "lessons", "runs", "topics", "cost")
    )


def run(args: Namespace) -> dict[str, Any] | None:
    from engine.core.registry import models, views

    parts = {
        "models": lambda: [{"id": id, "says": first_line(models.file(id))} for id in models.ids()],
        "views": lambda: [{"id": id, "says": first_line(views.file(id))} for id in views.ids()],
        "lessons": _lessons,
        "runs": _runs,
    }
    if args.what == "topics":
        parts = {"topics": _topics}
    if args.what == "cost":
        parts = {"cost": _costs}
    found = {name: make() for name, make in parts.items() if args.what in (None, name)}
    if args.json:
        return found
    print("\n\n".join(_block(name, rows) for name, rows in found.items()))
    return None


def _block(name: str, rows: list[dict[str, Any]]) -> str:
    shown = SHOWN.get(name, ("id", "says"))
    if not rows:
        return f"{name}: none yet"
    return f"{name}\n" + table([[row.get(column, "") for column in shown] for row in rows], shown)


def _lessons() -> list[dict[str, Any]]:
    try:
        from engine.course.curriculum import LESSONS
    except ModuleNotFoundError:
        return []
    return [asdict(lesson) for lesson in LESSONS]


def _topics() -> list[dict[str, Any]]:
    from engine.course.topics import TOPICS

    return [
        {
            "id": f"{topic.id}/{file}.{row}",
            "spec": f"{file}.md {row}",
            "title": topic.title,
            "state": state,
            "page": topic.lesson,
            "anchor": topic.anchor,
        }
        for topic in TOPICS
        for file, row, state in topic.rows()
    ]


def _costs() -> list[dict[str, Any]]:
    from engine.course.cost import costs

    return [asdict(cost) | {"lines": cost.lines, "price": cost.price} for cost in costs()]


def _runs() -> list[dict[str, Any]]:
    from engine.runs.store import SHIPPED, RunStore

    return [
        {
            "id": run.id,
            "model": run.model,
            "title": run.title,
            "folder": str(run.folder),
            "shipped": run.folder.parent == SHIPPED,
            "steps": run.note.get("steps"),
            "held_out": run.note.get("held_out", {}),
        }
        for run in RunStore().all()
    ]


COMMAND = Command(10, "list models, views, lessons and runs", HELP, options, run)
