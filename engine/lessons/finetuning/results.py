"""Results: what five ways to train a shipped run further changed, and what a training from its weights
is ahead of one from random ones; made by build.py."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from pathlib import Path

from engine import ROOT
from engine.language.message import refusal
from engine.storage.files import write_bytes

SHIPPED = ROOT / "assets" / "finetuning"
NUMBERS, LABELS, OLD = "results.json", "labels.json", "old.txt"
WORDS = "counted words"


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
class Labelled:
    """shares  of unseen sentences that are right, one for each drawing of those learned from."""

    model: str
    labels: int
    scratch: bool
    shares: list[float]
    unseen: int

    @property
    def mean(self) -> float:
        return sum(self.shares) / len(self.shares)


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


def write_labelled(folder: Path, found: list[Labelled]) -> None:
    rounded = [replace(one, shares=[round(share, 4) for share in one.shares]) for one in found]
    lines = ",\n".join(f" {json.dumps(asdict(one))}" for one in rounded)
    write_bytes(folder / LABELS, f"[\n{lines}\n]\n".encode())


def read_labelled() -> list[Labelled]:
    return [Labelled(**one) for one in json.loads((SHIPPED / LABELS).read_text(encoding="utf-8"))]


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
