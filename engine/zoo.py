"""Zoo: how each shipped run is made.  `python -m engine zoo` makes them again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Entry:
    """A shipped run; its id is its key in ZOO."""

    model: str
    title: str
    settings: Mapping[str, Any] = field(default_factory=dict)  # what differs from the model's own defaults
    seed: int = 0
    half: bool = True  # store numbers as float16: half the download, and no difference that a picture shows


ZOO: Mapping[str, Entry] = {
    "ngram": Entry("ngram", "N-gram counts", {"vocabulary": 20_000, "min_count": 3, "compact": True}, half=False),
    "lstm": Entry(
        "lstm",
        "LSTM, character by character",
        {"vocabulary": 160, "steps": 10_000, "batch": 32, "span": 128, "rate": 2e-3, "mixed": True},
    ),
    "transformer": Entry(
        "transformer",
        "Transformer, pieces of words",
        {"width": 192, "heads": 6, "steps": 4200, "batch": 16, "span": 256, "rate": 2e-3, "mixed": True},
    ),
    "skipgram": Entry("skipgram", "Skip-gram word vectors"),
}
