"""A record: each thing that is shown stands in it once, and a state lists what it shows by number."""

from __future__ import annotations

import json
import lzma
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

Shown = dict[str, Any]  # {"is": its kind, ...}
DIGITS = 6
LONGEST = (
    400  # numbers of one picture or table that are kept; of more, as many and what tells the rest
)


@dataclass(frozen=True)
class State:
    part: tuple[str, ...]
    chosen: tuple[tuple[str, str], ...]  # (label of a control, its value), where not the first
    shown: tuple[int, ...]


@dataclass
class Record:
    """Of one page."""

    page: str
    things: list[Shown] = field(default_factory=list)
    states: list[State] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)  # what did not go as it should
    _places: dict[str, int] = field(default_factory=dict)

    def number(self, thing: Shown) -> int:
        written = json.dumps(thing, ensure_ascii=False, sort_keys=True)
        if written not in self._places:
            self._places[written] = len(self.things)
            self.things.append(thing)
        return self._places[written]

    def add(
        self, part: Iterable[str], chosen: Iterable[tuple[str, str]], shown: Iterable[int]
    ) -> None:
        self.states.append(State(tuple(part), tuple(chosen), tuple(shown)))

    def write(self, folder: Path) -> Path:
        folder.mkdir(parents=True, exist_ok=True)
        states = [[state.part, state.chosen, state.shown] for state in self.states]
        found = {"page": self.page, "notes": self.notes, "things": self.things, "states": states}
        path = folder / f"{self.page}.json.xz"
        data = json.dumps(found, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
        path.write_bytes(lzma.compress(data.encode(), preset=9))
        return path

    @classmethod
    def read(cls, path: Path) -> Record:
        found = json.loads(lzma.decompress(path.read_bytes()))
        made = cls(found["page"], found["things"], [], found["notes"])
        for part, chosen, shown in found["states"]:
            made.add(part, (tuple(one) for one in chosen), shown)
        return made


def short(value: Any) -> Any:
    """A value as it is kept: numbers to six digits, pictures by their sum of bytes."""
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, int):
        return value
    if isinstance(value, float):
        found = float(f"{value:.{DIGITS}g}")
        return (
            int(found)
            if found.is_integer() and abs(found) < 1e15
            else str(found)
            if found != found or abs(found) == float("inf")
            else found
        )
    return str(value)


def leaves(value: Any) -> Iterator[Any]:
    """All that a nest of lists and names holds, in its order."""
    if isinstance(value, dict):
        for name in value:
            yield from leaves(value[name])
    elif isinstance(value, list | tuple):
        for one in value:
            yield from leaves(one)
    else:
        yield value
