"""A record: each thing that is shown stands in it once, and a state lists what it shows by number."""

from __future__ import annotations

import json
import lzma
import math
from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.record.clocks import masked

Shown = dict[str, Any]  # {"is": its kind, ...}


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
        thing = masked(thing)
        place = self._places.setdefault(_json(thing), len(self.things))
        if place == len(self.things):
            self.things.append(thing)
        return place

    def add(
        self, part: Iterable[str], chosen: Iterable[Iterable[str]], shown: Iterable[int]
    ) -> None:
        pairs = tuple((label, value) for label, value in chosen)
        self.states.append(State(tuple(part), pairs, tuple(shown)))

    def write(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        states = [[state.part, state.chosen, state.shown] for state in self.states]
        found = {"page": self.page, "notes": self.notes, "things": self.things, "states": states}
        path = folder / f"{self.page}.json.xz"
        path.write_bytes(lzma.compress(_json(found).encode(), preset=9))

    @classmethod
    def read(cls, path: Path) -> Record:
        found = json.loads(lzma.decompress(path.read_bytes()))
        made = cls(found["page"], found["things"], [], found["notes"])
        for state in found["states"]:
            made.add(*state)
        return made


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def short(value: Any) -> Any:
    """A number to six digits, a whole one without its point; what is none as it is, or in words."""
    if isinstance(value, float):
        value = float(f"{value:.6g}")
        whole = value.is_integer() and abs(value) < 1e15
        return int(value) if whole else value if math.isfinite(value) else str(value)
    return value if isinstance(value, bool | int) or value is None else str(value)


def leaves(value: Any, beside: Container[str] = ()) -> Iterator[Any]:
    """All that a nest of lists and names holds, in its order; not what stands under some names."""
    if isinstance(value, dict):
        for name in value:
            if name not in beside:
                yield from leaves(value[name], beside)
    elif isinstance(value, list | tuple):
        for one in value:
            yield from leaves(one, beside)
    else:
        yield value
