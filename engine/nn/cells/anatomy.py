"""Anatomy of a cell: what it is besides its memories, for its diagram and its equations."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

PLAIN = (("cell", 1.0),)
RESET = "The candidate reads the states of all units, each through its own gate at the lower left."


@dataclass(frozen=True, slots=True)
class Anatomy:
    """Symbols stand as {$name}, to be put in by the browser.

    shown     what tanh is taken of before the output gate, in symbols; empty where the state is the
              memory itself
    terms     the same as a weighted sum of fields; () where only the output tells it (h = o ·
              tanh(shown))
    squeeze   what makes a state without memory from the sum: "tanh", "max(0, a)"
    looks     whether the gates look at the memory (peepholes)
    coupled   whether the input gate is what the forget gate leaves
    resets    the gate between the old state and the candidate
    note      a sentence for the reader
    """

    shown: str = ""
    terms: tuple[tuple[str, float], ...] = ()
    squeeze: str = "tanh"
    looks: bool = False
    coupled: bool = False
    resets: str = ""
    note: str = ""

    def describe(self) -> dict[str, Any]:
        return asdict(self)
