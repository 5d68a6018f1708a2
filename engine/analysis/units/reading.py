"""Reading: one field of a recurrent model over a sample of a text, every unit at every position.

What      pieces of whole lines from all over the text; the model reads each from its zero state, as
          it read passages
Source    Karpathy, Johnson & Fei-Fei, Visualizing and Understanding Recurrent Networks, 2015
Shapes    L = layers, H = units of a layer, U = L H, N = positions
Differs   The start mark of a piece is not a position: it stands for no character.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.core.trace import FieldSpec

if TYPE_CHECKING:
    from engine.models.base import Model

AXES = ("layer", "token", "unit")
PIECE = 2_048  # characters
SPARE = 1.15  # pieces end with a line, before they are full: so much more is asked for


@dataclass(frozen=True, slots=True, eq=False)
class Reading:
    """Unit h of layer l is row l H + h.

    text      what was read, pieces one after another
    span_N2   characters of each position in `text`
    piece_N   which piece each position is in
    state_UN  the field, float32
    """

    text: str
    labels: tuple[str, ...]
    span_N2: np.ndarray
    piece_N: np.ndarray
    state_UN: np.ndarray
    layers: int

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def units(self) -> int:
        return len(self.state_UN) // max(1, self.layers)

    def place(self, row: int) -> tuple[int, int]:
        """(layer, unit) of a row, both from 0."""
        return divmod(row, max(1, self.units))


def signals(model: Model[Any]) -> list[str]:
    """The fields that have a number for every unit at every token; memories first, as they hold
    what is kept."""
    names = [
        spec.name for spec in model.spec() if isinstance(spec, FieldSpec) and spec.axes == AXES
    ]
    return sorted(names, key=lambda name: (not name.startswith("cell"), name != "hidden"))


def sample(text: str, most: int) -> list[str]:
    """Pieces of whole lines, evenly spread over the text, of about `most` characters together; all
    of it where it is shorter."""
    lines = [line for line in text.split("\n") if line.strip()]
    total = sum(len(line) + 1 for line in lines)
    count = max(1, most // PIECE) if total > most else -(-total // PIECE)
    begin_L = np.concatenate([[0], np.cumsum([len(line) + 1 for line in lines])]).astype(int)
    goal = min(most, total) / max(1, count)
    pieces, line = [], 0
    for n in range(count):
        line = max(line, int(np.searchsorted(begin_L, n * total / count)))
        first = line
        while line < len(lines) and (line == first or begin_L[line + 1] - begin_L[first] <= goal):
            line += 1
        if first < line:
            pieces.append("\n".join(lines[first:line])[: int(max(goal, 1))] + "\n")
    return pieces


def read(model: Model[Any], text: str, field: str, most: int, most_bytes: int = 2**27) -> Reading:
    """At most `most` positions, and fewer where they would take more than `most_bytes`."""
    first = next(iter(sample(text, PIECE)), "")
    per_token = max(1.0, len(first) / max(1, len(model.tokens(first))))
    parts, spans, labels, states = [], [], [], []
    offset = count = layers = 0
    for piece in sample(text, int(SPARE * most * per_token)):
        trace = model.trace(piece, fields=(field,))
        solid_T = np.array([stop > start for start, stop in trace.spans], bool)
        values_LTH = trace.field(field).values[:, solid_T]
        layers, size, width = values_LTH.shape
        room = min(most, most_bytes // max(1, 4 * layers * width)) - count
        values_LTH = values_LTH[:, : max(0, room)]
        kept = np.flatnonzero(solid_T)[: values_LTH.shape[1]]
        parts.append(piece)
        spans.append(np.array(trace.spans, int).reshape(-1, 2)[kept] + offset)
        labels += [trace.tokens[t] for t in kept]
        states.append(np.moveaxis(values_LTH, 1, 2).reshape(layers * width, -1))
        offset, count = offset + len(piece), count + len(kept)
        if len(kept) < size:
            break
    if not count:
        return Reading(
            "", (), np.zeros((0, 2), int), np.zeros(0, int), np.zeros((0, 0), np.float32), 0
        )
    piece_N = np.repeat(np.arange(len(spans)), [len(s) for s in spans])
    state_UN = np.concatenate(states, 1)
    state_UN.setflags(write=False)
    return Reading("".join(parts), tuple(labels), np.concatenate(spans), piece_N, state_UN, layers)
