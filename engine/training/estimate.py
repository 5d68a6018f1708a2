"""Estimate: what a training will be of, before it begins: tokens, parameters, memory, disk.

What      the class of the model says what it makes of a text (`Model.cut`) and what learning from
          that takes (`Model.cost`); to that come the program and the text itself
          disk         weights 4 P, the best model 4 P, a checkpoint 4 P (1 + optimiser), and 4 P
                       for each snapshot
Source    a vocabulary grows as a power of its text: Heaps, Information Retrieval, 1978
Shapes    P = parameters
Differs   Of a text longer than SAMPLE the beginning is cut into tokens; the rest is taken to go on
          as its second half does.  A training that goes on from a run keeps what it learns
          alone, and holds the weights of that run as well.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.core.registry import models
from engine.models.cost import Cost, Cut
from engine.text.tokenizers.base import passages, split

if TYPE_CHECKING:
    from engine.models.base import Model
    from engine.training.going_on import Start

SAMPLE = 300_000  # characters
HELD_OUT, MOST_HELD_OUT = 0.05, 400_000
# bytes of a process that has opened torch and trained next to nothing; measured 330 to 360 MB
PROGRAM = 340_000_000
PER_TOKEN, PER_CHARACTER = 24, 3  # bytes of a text in memory: as ids, as lines


@dataclass(frozen=True, slots=True)
class Estimate:
    """`parameters` is 0 for a model that counts; memory and disk in bytes, memory empty where only
    measuring can tell."""

    cut: Cut
    characters: int
    parameters: int = 0
    memory: Mapping[str, int] = field(default_factory=dict)
    disk: Mapping[str, int] = field(default_factory=dict)

    @property
    def memory_bytes(self) -> int:
        return sum(self.memory.values())

    @property
    def disk_bytes(self) -> int:
        return sum(self.disk.values())


def estimate(model_id: str, config: Any, text: str, snapshots: int = 0) -> Estimate:
    """ValueError with a sentence for the reader where this can't be trained."""
    model = models.get(model_id)
    if not passages(text[:SAMPLE]):
        raise ValueError("there is nothing to learn from: the text has no line that is not blank")
    found = cut(model, config, text)
    cost = model.cost(config, found)
    return _of(cost, found, text, cost.parameters, snapshots)


def estimate_start(
    start: Start, config: Any, text: str, learned: int, snapshots: int = 0
) -> Estimate:
    """Of a training that goes on from a run and changes so many of its numbers.  ValueError where it
    can't."""
    from engine.training.going_on import check_text

    check_text(start, text)
    sample = text[: text.rfind("\n", 0, SAMPLE) + 1] or text[:SAMPLE]
    sample = text if len(text) <= SAMPLE else sample
    tokens = len(start.model.tokens("\n".join(split(passages(sample))[0])))
    found = Cut(
        round(tokens * len(text) / len(sample)),
        len(start.model.tokenizer.vocab),
        whole=len(text) <= SAMPLE,
    )
    cost = type(start.model).cost(config, found)
    if cost.memory:
        cost = replace(cost, memory={**cost.memory, "start": 4 * cost.parameters})
    return _of(cost, found, text, learned, snapshots)


def _of(cost: Cost, found: Cut, text: str, learned: int, snapshots: int) -> Estimate:
    memory = {
        "program": PROGRAM,
        "text": PER_TOKEN * found.tokens + PER_CHARACTER * len(text),
        **cost.memory,
    }
    size = 4 * learned
    way = {"best": size, "checkpoint": size * (1 + cost.kept), "snapshots": size * snapshots}
    disk = {"weights": size, **(way if cost.stepwise else {})}
    return Estimate(
        found,
        len(text),
        learned,
        memory if cost.memory else {},
        disk if cost.parameters else {},
    )


def cut(model: type[Model[Any]], config: Any, text: str) -> Cut:
    """Tokens and vocabulary of the part of a text that is learned from."""
    if len(text) <= SAMPLE:
        return _cut(model, config, split(passages(text))[0])
    sample = text[: text.rfind("\n", 0, SAMPLE) + 1] or text[:SAMPLE]
    lines = passages(sample)
    half = lines[: len(lines) // 2]
    size, part = len(sample), sum(map(len, half)) + len(half)
    if not half:  # one passage: its halves are as good as any
        half, part = [sample[: size // 2]], size // 2
    first, last = (_cut(model, config, some) for some in (half, lines))

    def carried(a: int, b: int, most: float = math.inf) -> int:
        power = math.log(b / a) / math.log(size / part) if 0 < a < b else 0.0
        return int(min(most, b * (len(text) / size) ** min(1.0, power)))

    held_out = min(HELD_OUT * len(text), MOST_HELD_OUT)  # as `split` does
    tokens = int(last.tokens * (len(text) - held_out) / size)
    most = asdict(config).get("vocabulary", math.inf)
    return Cut(
        tokens,
        carried(first.vocabulary, last.vocabulary, most),
        last.labels,
        tuple(carried(a, b, tokens) for a, b in zip(first.ngrams, last.ngrams, strict=True)),
        carried(first.learned, last.learned),
        whole=False,
    )


def _cut(model: type[Model[Any]], config: Any, lines: list[str]) -> Cut:
    if not lines:
        raise ValueError("there is nothing to learn from: the text is too short to hold out a line")
    return model.cut(lines, config)


def room(folder: Path) -> tuple[int, int]:
    """Bytes of memory, and on the disk of a folder, that are free now."""
    import psutil

    there = next(place for place in (folder, *folder.resolve().parents) if place.exists())
    return int(psutil.virtual_memory().available), int(psutil.disk_usage(str(there)).free)


def whole_memory() -> int:
    """Bytes of memory of this computer."""
    import psutil

    return int(psutil.virtual_memory().total)
