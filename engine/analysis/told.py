"""What a model does with the sentences of engine/course/stories.py: measured, not told."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.analysis.measure import surprisal
from engine.core.trace import Trace
from engine.models.abilities import Labels
from engine.models.base import Model

if TYPE_CHECKING:
    from engine.course.stories import Leftover, Opinion, Readout, Reminder, Valve

FIELDS = ("cell", "gate.output", "hidden")
NEAR, LOUD = 0.05, 0.5  # share of a cell; less in a cell is next to nothing


def bits(model: Model[Any], text: str, word: str) -> float:
    """−log2 P(word | text): the bits that the model needs for `word`, a space and its letters,
    after `text`."""
    whole = model.trace(text + word, fields=("probability",))
    begin = model.trace(text, fields=("probability",))
    return float(np.nansum(surprisal(whole)) - np.nansum(surprisal(begin)))


def reminded(model: Model[Any], story: Reminder) -> tuple[float, float]:
    """(bits of the word after the text, bits that it costs more after the other text): how much of
    the early word is left at the end."""
    first = bits(model, story.text, story.word)
    return first, bits(model, story.other, story.word) - first


def preferred(model: Labels, story: Opinion) -> tuple[float, float]:
    """P(positive) of the text and of the other, 0 to 1."""
    return _positive(model, story.text), _positive(model, story.other)


def _positive(model: Labels, text: str) -> float:
    says = model.trace(text, fields=("label",)).field("label")
    return float(says.values[-1, model.names.index("positive")])


def opened(model: Model[Any], story: Valve) -> tuple[float, float]:
    """Mean over all layers and units of the gate at the tokens of the word, and at all other tokens
    of the text that are not a start mark or a space."""
    trace = model.trace(story.text, fields=(story.gate,))
    mean_T = trace.field(story.gate).values.mean(axis=(0, 2))
    here_T, real_T = _within(trace, story.text.index(story.word), len(story.word)), _real(trace)
    return float(mean_T[here_T].mean()), float(mean_T[real_T & ~here_T].mean())


def left(model: Model[Any], story: Leftover) -> tuple[float, int, int]:
    """(share of what the last letter of the word wrote that is left when the text ends, the mean
    over all units; units that still hold half of it; all units).  The share is the product of the
    forget gates since, as in ledger.py."""
    trace = model.trace(story.text, fields=("gate.forget",))
    here_T = _within(trace, story.text.index(story.word), len(story.word))
    last = int(np.flatnonzero(here_T)[-1])
    keep_LTU = trace.field("gate.forget").values.astype(float)
    left_LU = keep_LTU[:, last + 1 :].prod(axis=1)
    return float(left_LU.mean()), int((left_LU >= 0.5).sum()), left_LU.size


@dataclass(frozen=True, slots=True)
class Told:
    """How alike two texts leave the cell and what is read out of it, as cosines over all units; and
    of the units whose cells differ by at most NEAR, how many there are, and layer, unit (from 0),
    cell, output gate and hidden state (first text, second) of the one read out most differently."""

    cell_alike: float
    hidden_alike: float
    near: int
    layer: int
    unit: int
    cell: tuple[float, float]
    gate: tuple[float, float]
    hidden: tuple[float, float]


def read_out(model: Model[Any], story: Readout) -> Told:
    """Where both texts end.  ValueError where no unit keeps the same."""
    traces = [model.trace(text, fields=FIELDS) for text in (story.text, story.other)]
    cell_2LU, gate_2LU, hidden_2LU = (
        np.array([trace.field(name).values[:, -1] for trace in traces], float) for name in FIELDS
    )
    size_LU = np.abs(cell_2LU).max(axis=0)
    near_LU = (np.abs(cell_2LU[0] - cell_2LU[1]) <= NEAR * size_LU) & (size_LU > LOUD)
    if not near_LU.any():
        raise ValueError("no unit keeps the same at the end of both texts")
    apart_LU = np.where(near_LU, np.abs(hidden_2LU[0] - hidden_2LU[1]), -1)
    layer, unit = map(int, np.unravel_index(apart_LU.argmax(), apart_LU.shape))

    def at(values_2LU: np.ndarray) -> tuple[float, float]:
        first, second = values_2LU[:, layer, unit]
        return float(first), float(second)

    return Told(
        _cosine(*cell_2LU),
        _cosine(*hidden_2LU),
        int(near_LU.sum()),
        layer,
        unit,
        at(cell_2LU),
        at(gate_2LU),
        at(hidden_2LU),
    )


def _cosine(one_LU: np.ndarray, other_LU: np.ndarray) -> float:
    a, b = one_LU.ravel(), other_LU.ravel()
    return float(a @ b / np.linalg.norm(a) / np.linalg.norm(b))


def _within(trace: Trace, start: int, length: int) -> np.ndarray:
    """Which tokens stand in these characters of the text.  Shape (T,), bool."""
    ends: Sequence[tuple[int, int]] = trace.spans
    return np.array([start <= a and b <= start + length and b > a for a, b in ends])


def _real(trace: Trace) -> np.ndarray:
    return np.array([b > a and bool(trace.text[a:b].strip()) for a, b in trace.spans])
