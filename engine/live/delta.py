"""Delta: what the browser has already of what is shown, field by field.

What      a reply holds what the new text does not share with the text on the screen.  The first
          `count_same` tokens of both are the same; a causal field has the same numbers there, so the
          browser keeps them, and any other is sent whole.  That makes a reply as small for the
          hundredth character as for the first
Shapes    T = tokens
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from engine.core.trace import FieldSpec
from engine.live.reader import Reader
from engine.live.window import Window

if TYPE_CHECKING:
    from engine.live.shown import Shown


def count_same(shown: Shown) -> int:
    """How many leading tokens of the part shown stand at the same places on the screen before."""
    before, context = shown.before, shown.reader.model.context
    if before is None or before.window[0] != shown.window[0]:
        return 0
    if context is not None and (
        max(0, before.window[1] - context) != max(0, shown.window[1] - context)
    ):
        return 0  # the run begins elsewhere: every place has another number
    old, new = before.part, shown.part
    count = min(len(old), len(new))
    differs = np.flatnonzero(old.ids[:count] != new.ids[:count])
    count = int(differs[0]) if len(differs) else count
    # a blank typed between words moves the characters of those behind it
    for was, now in ((old.labels, new.labels), (old.spans, new.spans)):
        if was[:count] != now[:count]:
            count = next(i for i in range(count) if was[i] != now[i])
    return count


def unmoved(shown: Shown) -> bool:
    """Whether the ids are those of the text on the screen before, of both texts where there are two: a
    word that the model does not know, typed on.  All its numbers are on the screen then."""
    before = shown.before
    if before is None or not shown.reader.model.by_id:
        return False
    if shown.window != before.window or shown.window[0]:
        return False
    now, then = shown.tokens, before.tokens
    if (now.source is None) != (then.source is None):
        return False
    pairs = [(now.ids, then.ids)]
    if now.source is not None and then.source is not None:
        pairs.append((now.source.ids, then.source.ids))
    return all(np.array_equal(a, b) for a, b in pairs)


def count_kept(shown: Shown, spec: FieldSpec) -> int:
    """How many leading positions of a field the browser keeps.  What a page derives lasts no
    longer than all that it may be derived from."""
    reader = shown.reader
    changes = spec.name in reader.changing if spec.name in reader.needs else reader.changing
    return shown.same if spec.causal and not changes else 0


def is_lasting(reader: Reader) -> bool:
    """Whether nothing typed later changes what is listed for each token: its bits, made of
    `probability`, and what is expected after it."""
    return reader.changing.isdisjoint(("probability", *reader.top_of))


def find_fresh(shown: Shown) -> Window | None:
    """The tokens that a reply needs numbers of; None where the model has to be asked for all that
    is shown: its numbers depend on everything before, or on what follows."""
    reader, (first, stop) = shown.reader, shown.window
    if shown.same < 2 or not reader.model.forgets or reader.changing:
        return None
    if "probability" in reader.needs:
        return first + shown.same - 1, stop  # the one before the first new one foretells it
    return min(first + shown.same, stop - 1), stop
