"""Which lessons can show a run: read off the pages themselves, from the models that each offers to
its reader."""

from __future__ import annotations

import ast
import importlib
from functools import cache
from typing import Any

from engine import ROOT
from engine.course.curriculum import LESSONS, Lesson
from engine.runs.store import Run

PAGES = ROOT / "pages"


def lessons(run: Run) -> list[Lesson]:
    return [lesson for lesson in LESSONS if run.model in models_of(lesson)]


@cache
def models_of(lesson: Lesson) -> tuple[str, ...]:
    """The models among whose runs the page lets one choose; none for a page without such a
    choice."""
    tree = ast.parse((PAGES / lesson.page).read_text(encoding="utf-8"))
    for call in (
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "shell.enter"
    ):
        given = [*call.args[1:], *(k.value for k in call.keywords)]
        return (lesson.model, *(id for part in given for id in _ids(part, tree)))
    return ()


def _ids(node: ast.expr, tree: ast.Module) -> tuple[str, ...]:
    """The value of a tuple of ids that is written out, or of a constant or a function that the page
    imports."""
    if isinstance(node, ast.Tuple):
        return tuple(
            id
            for part in node.elts
            for id in _ids(part.value if isinstance(part, ast.Starred) else part, tree)
        )
    if isinstance(node, ast.Constant):
        return (str(node.value),)
    if isinstance(node, ast.Call):  # of a function without arguments
        return tuple(_found(node.func, tree)())
    found = _found(node, tree)
    return tuple(found) if found else ()


def _found(node: ast.expr, tree: ast.Module) -> Any:
    """What a page imports under this name; None where it imports nothing of the kind."""
    first, _, rest = ast.unparse(node).partition(".")
    for imported in (n for n in tree.body if isinstance(n, ast.ImportFrom)):
        for name in imported.names:
            if name.name == first:
                found = getattr(
                    importlib.import_module(str(imported.module)), first, None
                ) or importlib.import_module(f"{imported.module}.{first}")
                return getattr(found, rest) if rest else found
    return None
