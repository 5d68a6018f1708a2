"""Results: what five ways to train a shipped run further changed, and what a training from its weights
is ahead of one from random ones; made by build.py."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path

from engine import ROOT
from engine.language.message import refusal
from engine.storage.files import write_bytes

SHIPPED = ROOT / "assets" / "finetuning"
NUMBERS, OLD = "results.json", "old.txt"


@dataclass(frozen=True)
class Way:
    """rows  (step, nats per token on new text, on old text), from before the first step on"""

    name: str
    learned: int
    all: int
    rate: float
    rows: list[tuple[int, float, float]]


@dataclass(frozen=True)
class Amount:
    """Nats per token on unseen text, of the best step."""

    model: str
    characters: int
    scratch: bool
    nats: float
    step: int


@dataclass(frozen=True)
class Results:
    ways: list[Way]
    amounts: list[Amount]

    @property
    def way(self) -> Mapping[str, Way]:
        return {one.name: one for one in self.ways}


def old_text() -> str:
    return (SHIPPED / OLD).read_text(encoding="utf-8")


def file(way: str) -> str:
    return f"{way.replace(' ', '_')}.safetensors"


def write(folder: Path, found: Results) -> None:
    write_bytes(folder / NUMBERS, (json.dumps(asdict(found), indent=1) + "\n").encode())


@lru_cache(1)
def read(folder: Path = SHIPPED) -> Results:
    """ValueError where they are not there."""
    try:
        found = json.loads((folder / NUMBERS).read_text(encoding="utf-8"))
        ways = [
            Way(**{**one, "rows": [(int(s), float(a), float(b)) for s, a, b in one["rows"]]})
            for one in found["ways"]
        ]
        return Results(ways, [Amount(**one) for one in found["amounts"]])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise refusal(
            "the results of this lesson are not there; python -m engine.lessons.finetuning.build makes them"
        ) from error
