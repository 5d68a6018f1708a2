"""Card of a cell: what lists, formulas and menus say of it, read from its file without importing
torch.

What      each file of engine/nn/cells that defines CELL also says `CARD = Card(...)`, written with plain
          values; `get` reads that call from the text of the file
Shapes    H = units
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from functools import cache

from engine.core.registry import cells
from engine.language.message import refusal


@dataclass(frozen=True, slots=True)
class Card:
    """
    title, year, source   of the cell and of the language model around it
    blocks                how many times it has H (D + H) weights and H biases
    per_unit              numbers that it learns besides, for each unit
    short                 a shorter title, for charts and tables
    torch                 the layer of torch with the same equations, such as "nn.LSTM"
    forgets               whether it has one forget gate, whose bias can be set before training
    order                 its place in lists; equal ones stand by name
    """

    title: str
    year: int
    source: str
    blocks: int
    per_unit: int = 0
    short: str = ""
    torch: str = ""
    forgets: bool = False
    order: int = 100

    @property
    def name(self) -> str:
        return self.short or self.title


@cache
def get(id: str) -> Card:
    """KeyError for a cell that does not exist; ValueError where its file has no such card."""
    file = cells.file(id)
    for node in ast.parse(file.read_text(encoding="utf-8")).body:
        match node:
            case ast.Assign([ast.Name("CARD")], ast.Call(ast.Name("Card"), [], keywords)):
                try:
                    card = {str(one.arg): ast.literal_eval(one.value) for one in keywords}
                    return Card(**card)
                except (TypeError, ValueError) as problem:
                    raise refusal("the card of {file.name}: {said}", said=problem) from None
    raise refusal("{file.name} needs a card: CARD = Card(title=..., year=..., ...)")


def listed() -> tuple[str, ...]:
    """All cells, in the order of lists."""
    return tuple(sorted(cells.ids(), key=lambda id: (get(id).order, id)))


def forgetting() -> tuple[str, ...]:
    """The cells whose forget bias can be set."""
    return tuple(id for id in listed() if get(id).forgets)
