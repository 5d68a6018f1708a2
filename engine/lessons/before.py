"""What stands before: the state from which a model reads on, where a page runs it anew on the part of a
long text that is shown; and the steps of a recurrent net that it has read of that part already."""

from __future__ import annotations

from collections.abc import Sequence
from operator import attrgetter
from typing import Any

import numpy as np

from engine.analysis import backpropagation
from engine.core.cache import Cache
from engine.live.shown import Shown
from engine.models.abilities import able
from engine.models.base import Model
from engine.models.neural import NeuralLanguageModel
from engine.models.recurrent import RecurrentModel
from engine.models.walk import Walk, walk

CARRIED: Cache[Any, dict[str, np.ndarray]] = Cache(
    "states before", lambda found: sum(values.nbytes for values in found.values())
)
WALKS: Cache[Any, Walk] = Cache("walks", attrgetter("size_bytes"))


def carried(shown: Shown) -> dict[str, np.ndarray] | None:
    """The model's `carries` fields of the tokens before those shown, of a recurrent net of the last
    one alone; None at the start of the text, and where the model looks back no further than what
    is shown."""
    first, model = shown.window[0], able(shown.reader.model, Model)
    if not first or not model.carries:
        return None
    begin = first - 1
    if not isinstance(model, RecurrentModel):
        begin = 0 if model.context is None else max(0, shown.window[1] - model.context)
        if begin == first:
            return None
    key = (*shown.run.key, begin, shown.tokens.ids[:first].tobytes())

    def read() -> dict[str, np.ndarray]:
        before = model.trace(
            shown.text, fields=model.carries, window=(begin, first), tokens=shown.tokens[:first]
        )
        return {name: before.field(name).values for name in model.carries}

    return CARRIED.made(key, read)


def walked_to(
    shown: Shown, ends: Sequence[int], before: backpropagation.Carried | None
) -> Walk | None:
    """The steps of the part shown up to the last of `ends`, which rise: what stands before one of them, in tokens,
    is kept, as what was read does not change.  None where there are no steps to keep."""
    ids_T, model = shown.part.ids, able(shown.reader.model, NeuralLanguageModel)
    of = (*shown.run.key, shown.tokens.ids[: shown.window[0]].tobytes())
    keys = [(*of, ids_T[:end].tobytes()) for end in ends]
    kept = next((w for key in reversed(keys) if (w := WALKS.get(key)) is not None), None)
    begun = kept.stop if kept is not None else 0
    for end, key in zip(ends, keys, strict=True):
        if end > begun:
            state = None if kept else backpropagation.tensors(model, before)
            kept, begun = walk(model, ids_T[begun:end], state, kept), end
            if kept is None:
                return None
            WALKS.put(key, kept)
    return kept
