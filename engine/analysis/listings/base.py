"""Listing: a short program that does not do what it says, its repair, and what each of them gives.

What      both programs are run on the same made-up data, and what they give is measured in the same
          way; a program that fails gives its error
Differs   The programs are written anew, as short as the mistake allows.  Nothing is left to
          chance: what is drawn is drawn from a seed (seeded.py).
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from typing import Any

from engine.core.registry import listings

Program = Callable[..., Any]
FAILS = (RuntimeError, ArithmeticError, ValueError)


@dataclass(frozen=True, slots=True)
class Listing:
    """happens           what goes wrong and why, in a few sentences
    faulty, repaired  functions of the same arguments, shown without their types
    measured          what one of them gives on the data of this file, by what it is called
    """

    title: str
    happens: str
    faulty: Program
    repaired: Program
    measured: Callable[[Program], Mapping[str, float]]


@dataclass(frozen=True, slots=True)
class Outcome:
    """Numbers by what they are called; where the program failed, none, and its error."""

    numbers: Mapping[str, float] = field(default_factory=dict)
    error: str = ""


def ids_of(lesson: str) -> tuple[str, ...]:
    """Ids of the listings of a lesson; none of their files is imported."""
    return tuple(id for id in listings.ids() if id.partition("_")[0] == lesson)


def run(listing: Listing, program: Program) -> Outcome:
    try:
        return Outcome(listing.measured(program))
    except FAILS as problem:
        return Outcome(error=f"{type(problem).__name__}: {str(problem).split('. ')[0]}")


def code(program: Program) -> str:
    """As it is written, without the types."""
    text = textwrap.dedent(inspect.getsource(program)).rstrip()
    lines = text.splitlines()
    for node in sorted(_types(ast.parse(text)), key=lambda n: (n.lineno, n.col_offset))[::-1]:
        line = lines[node.lineno - 1]
        before = line[: node.col_offset].rstrip(" :->")
        lines[node.lineno - 1] = before + line[node.end_col_offset :]
    return "\n".join(lines)


def _types(tree: ast.AST) -> Iterator[ast.expr]:
    """Each stands on one line."""
    for node in ast.walk(tree):
        match node:
            case (
                ast.arg(annotation=ast.expr() as found)
                | ast.AnnAssign(annotation=found)
                | ast.FunctionDef(returns=ast.expr() as found)
            ):
                yield found


def diff(listing: Listing) -> tuple[str, str]:
    """The code of both programs as a diff reads: `-` before the lines that go, `+` before those
    that come."""
    old, new = (code(p).splitlines() for p in (listing.faulty, listing.repaired))
    old[0] = old[0].replace("faulty", "program", 1)
    new[0] = new[0].replace("repaired", "program", 1)
    sides: tuple[list[str], list[str]] = ([], [])
    for tag, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        marks = "  " if tag == "equal" else "- ", "  " if tag == "equal" else "+ "
        sides[0].extend(marks[0] + line for line in old[a:b])
        sides[1].extend(marks[1] + line for line in new[c:d])
    return "\n".join(sides[0]), "\n".join(sides[1])
