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
    "ngram": Entry("ngram", "N-gram counts", half=False),
    "lstm": Entry("lstm", "LSTM, character by character"),
    "transformer": Entry("transformer", "Transformer, pieces of words"),
    "skipgram": Entry("skipgram", "Skip-gram word vectors"),
}
