"""Entry: all that decides one cell's part in a contest, and what came out of it.

What      an entry names cell, task, size and training; its key is the digest of all of them; a
          result belongs to one entry
Shapes    a result has per distance the share of right answers, without distractors and with them
Differs   Unlike a recipe of engine/runs/store.py it needs no text: the task makes its own from the seed.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Self

from engine.core import cell_card
from engine.language.message import refusal

VERSION = 1
MATCHES = ("parameters", "units")
DISTURBED = 0.5  # share of distractors in the second test


@dataclass(frozen=True, slots=True)
class Entry:
    """`units` is the width of the LSTM; another cell gets as many parameters, or as many units, as
    `match` says."""

    cell: str
    task: str
    noise: float = 0.0  # share of distractors in training
    match: str = "parameters"
    units: int = 40
    shortest: int = 1  # distance in training
    distance: int = 20  # the longest in training
    steps: int = 600
    seed: int = 0
    forget_bias: float = 1.0
    width: int = 12  # numbers that stand for one token
    batch: int = 64
    rate: float = 5e-3

    def __post_init__(self) -> None:
        bounds: dict[str, tuple[float, float]] = {
            "noise": (0, 1),
            "units": (2, 256),
            "shortest": (1, self.distance),
            "distance": (1, 60),
            "steps": (1, 5000),
            "seed": (0, 2**31),
            "width": (1, 128),
            "batch": (1, 512),
            "rate": (1e-6, 1),
            "forget_bias": (-20, 20),
        }
        for name, (least, most) in bounds.items():
            if not least <= getattr(self, name) <= most:
                raise refusal(
                    "{name} lies from {least} to {most}, not {found!r}", found=getattr(self, name)
                )
        if self.match not in MATCHES:
            raise refusal("match is {ways}, not {self.match!r}", ways=" or ".join(MATCHES))

    @property
    def key(self) -> str:
        return hashlib.sha256(
            json.dumps(
                {
                    "v": VERSION,
                    **asdict(self),
                    "noise": float(self.noise),
                    "forget_bias": float(self.forget_bias),
                },
                sort_keys=True,
            ).encode()
        ).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class Result:
    """What one entry came to.  `clean` and `disturbed`: share of right answers by distance."""

    entry: Entry
    units: int
    parameters: int  # of the cell alone
    seconds: float  # of one processor, for training
    loss_nats: float  # of the last steps
    clean: Mapping[int, float] = field(default_factory=dict)
    disturbed: Mapping[int, float] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, body: Mapping[str, Any]) -> Self:
        """ValueError, KeyError or TypeError when it is not what `as_json` wrote."""
        known: dict[str, Any] = {f.name: body[f.name] for f in fields(cls)} | {
            "entry": Entry(**body["entry"])
        }
        for name in ("clean", "disturbed"):
            known[name] = {int(distance): float(share) for distance, share in body[name].items()}
        return cls(**known)


def _shipped() -> tuple[Entry, ...]:
    """Every cell on every task, without and with distractors in training; and on lag without the
    short distances, also with forget bias 3."""
    parts = (
        ("copy", 0.0, 1),
        ("lag", 0.0, 1),
        ("lag", 0.5, 1),
        ("lag", 0.0, 20),
        ("copy", 0.5, 1),
        ("agreement", 0.0, 1),
        ("brackets", 0.0, 1),
        ("agreement", 0.5, 1),
        ("brackets", 0.5, 1),
    )
    every = [
        Entry(cell, task, noise, shortest=shortest)
        for task, noise, shortest in parts
        for cell in cell_card.listed()
    ]
    return (
        *every,
        *(Entry(cell, "lag", shortest=20, forget_bias=3.0) for cell in cell_card.forgetting()),
    )


SHIPPED = _shipped()
