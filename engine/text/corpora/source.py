"""This program's own source: Python that anybody who runs it has.

What      the files of the packages that hold the models, one line of code a passage, without blank lines, comments
          that stand alone, and the sentences at the head of a file or function
Differs   The text follows the version of the program; lines lose the blanks before them, as words are all that counts.
"""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

from engine import ROOT

PACKAGES = ("core", "text", "nn", "ngram", "hmm", "vectors", "models")


class Source:
    id = "source"
    title = "Python code: this program"
    says = "The Python files of this program that hold its models, line by line: code to complete."
    licence = "MIT License"

    def text(self) -> str:
        """One line of code a passage."""
        return _text()


@cache
def _text() -> str:
    files = (p for name in PACKAGES for p in sorted((ROOT / "engine" / name).rglob("*.py")))
    return "\n".join(line for path in files for line in code_of(path)) + "\n"


def code_of(path: Path) -> list[str]:
    text = path.read_text(encoding="utf-8")
    said = set[int]()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            said |= {*range(node.lineno, (node.end_lineno or node.lineno) + 1)}
    lines = (line.strip() for n, line in enumerate(text.splitlines(), 1) if n not in said)
    return [line for line in lines if line and not line.startswith("#")]


CORPUS = Source()
