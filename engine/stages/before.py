"""What stands before the tokens shown: the state from which a model reads on, where a page runs it
anew on the part of a long text that is shown."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.core.cache import Cache
from engine.live.shown import Shown
from engine.models.abilities import able
from engine.models.base import Model
from engine.models.recurrent import RecurrentModel

CARRIED: Cache[Any, dict[str, np.ndarray]] = Cache(
    "states before", lambda found: sum(values.nbytes for values in found.values())
)


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
            shown.text,
            fields=model.carries,
            window=(begin, first),
            tokens=shown.tokens[:first],
        )
        return {name: before.field(name).values for name in model.carries}

    return CARRIED.made(key, read)
