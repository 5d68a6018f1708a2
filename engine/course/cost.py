"""Cost: how many lines each lesson that has a room takes, by kind, beside its price.

What      words  LESSON and what else is data with a sentence in it
          pictures, parts  what declares the live pictures, and the functions marked @part
          sums   all other functions, classes and constants: what only this lesson computes
          The price is WORDS + PICTURE for each live picture + PART for each part; sums stand besides.
Differs   Lines are counted as they stand in the files, with blank lines and docstrings; imports and what is
          said at the head of a file count to none.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from pathlib import Path

from engine.course import rooms

WORDS, PICTURE, PART = 100, 20, 60
SENTENCE = re.compile(r"[^\W\d_]+ [^\W\d_]+ [^\W\d_]+")


@dataclass(frozen=True, slots=True)
class Cost:
    """Lines by kind, and how many pictures and parts there are."""

    id: str
    words: int
    pictures: int
    parts: int
    sums: int
    of_pictures: int
    of_parts: int

    @property
    def lines(self) -> int:
        return self.words + self.pictures + self.parts

    @property
    def price(self) -> int:
        return WORDS + PICTURE * self.of_pictures + PART * self.of_parts


def costs() -> list[Cost]:
    return [cost(lesson.id) for lesson in rooms.lessons()]


def cost(id: str) -> Cost:
    lines = dict.fromkeys(("words", "pictures", "parts", "sums"), 0)
    declared = parts = 0
    for file in _files(id):
        tree = ast.parse(file.read_text(encoding="utf-8"))
        for node in tree.body:
            if isinstance(node, ast.Import | ast.ImportFrom | ast.Expr):
                continue
            kind = _kind(node)
            lines[kind] += (node.end_lineno or node.lineno) - _begin(node) + 1
            parts += kind == "parts"
        declared += sum(_calls(node, ("Picture",)) for node in ast.walk(tree))
    return Cost(id, **lines, of_pictures=declared, of_parts=parts)


def _files(id: str) -> list[Path]:
    folder = rooms.FOLDER / id
    return sorted(folder.glob("*.py")) if folder.is_dir() else [rooms.FOLDER / f"{id}.py"]


def _begin(node: ast.stmt) -> int:
    marks = getattr(node, "decorator_list", ())
    return min([node.lineno, *(mark.lineno for mark in marks)])


def _kind(node: ast.stmt) -> str:
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return "parts" if any(_calls(mark, ("part",)) for mark in node.decorator_list) else "sums"
    inside = list(ast.walk(node))
    if any(_calls(inner, ("Picture",)) for inner in inside):
        return "pictures"
    return "words" if any(_is_sentence(inner) for inner in inside) else "sums"


def _is_sentence(node: ast.AST) -> bool:
    """A text with three words in a row: a name, a label or code is none."""
    return isinstance(node, ast.Constant) and bool(SENTENCE.search(str(node.value)))


def _calls(node: ast.AST, names: tuple[str, ...]) -> bool:
    if not isinstance(node, ast.Call):
        return False
    called = node.func  # part(...), or fr.part(...)
    name = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
    return name in names
