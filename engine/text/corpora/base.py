"""Corpus: a text to learn from, with its name and licence; and grammars, which write texts whose
every chance is known.

What      P(text) = sum over derivations of the product of their chances; entropy = sum of chance of
          a draw * its bits
Source    Booth & Thompson, Applying Probability Measures to Abstract Languages, 1973 (probabilistic
          grammars)
Differs   A derivation remembers what it drew, so a later place can copy a word or agree with it;
          that is more than a context-free grammar can do.  In exchange the chances of a draw never
          depend on what was drawn before.
"""

from __future__ import annotations

import math
import random
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol, runtime_checkable


@runtime_checkable
class Corpus(Protocol):
    """`says` is one sentence for the reader; `licence` names under what terms the text may be
    used."""

    id: str
    title: str
    says: str
    licence: str

    def text(self) -> str:
        """One passage a line, the same at every call.  LookupError with a sentence where the text
        can't be had."""
        ...


class Lines(ABC):
    """A text made here: `lines` lines, the same for the same seed on every machine."""

    licence = "CC0 1.0"

    def __init__(self, lines: int = 12_000, seed: int = 0) -> None:
        self.lines, self.seed = lines, seed

    def text(self) -> str:
        return self._text

    @cached_property
    def _text(self) -> str:
        return "\n".join(self.generate(self.lines, self.seed)) + "\n"

    @abstractmethod
    def generate(self, lines: int, seed: int = 0) -> list[str]: ...


Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Fact:
    """Two places of a line that belong together: kind is agreement, brackets, quotation, copy or
    coreference."""

    kind: str
    first: Span
    second: Span
    value: str = ""  # agreement: one or many


Entry = Mapping[str, str]  # forms of one word: {"one": "fox", "many": "foxes"}


# What a grammar is made of.  A sequence is a tuple of nodes, a literal a string.


@dataclass(frozen=True, slots=True)
class Draw:
    """Choose one entry of a list, all with the same chance, but none of those drawn for `unlike`.
    Writes nothing."""

    name: str
    entries: Sequence[Entry]
    unlike: tuple[str, ...] = ()

    def left(self, drawn: Mapping[str, Entry]) -> Sequence[Entry]:
        if not self.unlike:
            return self.entries
        gone = {id(drawn[u]) for u in self.unlike}
        return [e for e in self.entries if id(e) not in gone]


@dataclass(frozen=True, slots=True)
class Say:
    """Write a drawn entry in one of its forms; with `by` the form is that of another entry, its
    number."""

    name: str
    form: str = "one"
    by: str = ""

    def text(self, drawn: Mapping[str, Entry]) -> str:
        return drawn[self.name][drawn[self.by]["number"] if self.by else self.form]


@dataclass(frozen=True, slots=True)
class OneOf:
    options: tuple[tuple[float, Node], ...]


@dataclass(frozen=True, slots=True)
class Part:
    """What is written inside is the first or the second place of a fact."""

    kind: str
    key: str
    second: bool
    node: Node
    by: str = ""


Node = str | Draw | Say | OneOf | Part | tuple["Node", ...]
Drawn = dict[str, Entry]
Mark = tuple[Part, Span, str]


@dataclass(frozen=True, slots=True)
class Path:
    """One way through the grammar: what it wrote, drew and marked, and how improbable that was."""

    text: str
    bits: float
    drawn: Drawn
    marks: tuple[Mark, ...]


def paths(node: Node, line: str | None = None, at: Path | None = None) -> Iterator[Path]:
    """All ways to write `node`: those that agree with `line`, or every one there is when it is
    None."""
    at = at or Path("", 0.0, {}, ())
    match node:
        case str() | Say():
            piece = node if isinstance(node, str) else node.text(at.drawn)
            if line is None or line.startswith(piece, len(at.text)):
                yield Path(at.text + piece, at.bits, at.drawn, at.marks)
        case Draw():
            left = node.left(at.drawn)
            for entry in left:
                yield Path(
                    at.text,
                    at.bits + math.log2(len(left)),
                    {**at.drawn, node.name: entry},
                    at.marks,
                )
        case OneOf():
            for chance, option in node.options:
                yield from paths(
                    option, line, Path(at.text, at.bits - math.log2(chance), at.drawn, at.marks)
                )
        case Part():
            for path in paths(node.node, line, at):
                mark = (
                    node,
                    (len(at.text), len(path.text)),
                    path.drawn[node.by]["number"] if node.by else "",
                )
                yield Path(path.text, path.bits, path.drawn, (*path.marks, mark))
        case ():
            yield at
        case (first, *rest):
            for path in paths(first, line, at):
                yield from paths(tuple(rest), line, path)


def sample(node: Node, rng: random.Random, drawn: Drawn) -> str:
    """One way through the grammar by its chances; `drawn` is added to."""
    match node:
        case str():
            return node
        case tuple():
            return "".join([sample(part, rng, drawn) for part in node])
        case Say():
            return node.text(drawn)
        case Draw():
            left = node.left(drawn)
            drawn[node.name] = left[int(rng.random() * len(left))]
            return ""
        case OneOf():
            u = rng.random()
            for chance, option in node.options:
                u -= chance
                if u < 0:
                    return sample(option, rng, drawn)
            # the chances add up to 1 but for rounding
            return sample(node.options[-1][1], rng, drawn)
        case Part():
            return sample(node.node, rng, drawn)


def entropy(node: Node) -> float:
    """Bits of the draws in `node`.  Chances never depend on what was drawn before, so they add
    up."""
    match node:
        case Draw():
            return math.log2(len(node.entries) - len(node.unlike))
        case OneOf():
            return sum(
                chance * (entropy(option) - math.log2(chance)) for chance, option in node.options
            )
        case Part():
            return entropy(node.node)
        case tuple():
            return sum(entropy(part) for part in node)
        case _:
            return 0.0
