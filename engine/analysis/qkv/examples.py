"""Examples of attention with numbers that can be worked out by hand, and what the course notes
print for them.

What      two or three tokens, exact matrices; `vectors` makes Q, K, V of what is given
Source    course notes on Transformers (two tokens, one matrix for all) and on foundations (three
          tokens, three matrices)
Shapes    N = tokens, D = width, K = width of the head
Differs   Where the notes' numbers are wrong they are kept as `printed`, never used.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

Vectors = tuple[np.ndarray, np.ndarray, np.ndarray]


@dataclass(frozen=True, eq=False)
class Example:
    """`names` of what is given: ("X", "W") one matrix for all, ("X", "W_Q", "W_K", "W_V"), or ("Q",
    "K", "V")."""

    id: str
    title: str
    says: str
    names: tuple[str, ...]
    given: tuple[np.ndarray, ...]
    hides: bool = False
    printed: Mapping[str, np.ndarray] = field(default_factory=dict)
    why: str = ""

    def vectors(self, *given: np.ndarray) -> Vectors:
        if self.names == ("Q", "K", "V"):
            return given[0], given[1], given[2]
        x, w = given[0], given[1:]
        q, k, v = (x @ part for part in (w * 3 if len(w) == 1 else w))
        return q, k, v


def _m(*rows: tuple[float, ...]) -> np.ndarray:
    return np.array(rows, float)


CORNERS = _m((1, 0), (0, 1), (1, 1))
EXAMPLES = (
    Example(
        "projected",
        "Three tokens, three matrices",
        "Three tokens of two numbers. W_Q, W_K and W_V make three vectors of each. Divide by d, as"
        " is printed in places, and the weights come closer to equal; take the softmax of the"
        " columns, and the rows no longer add up to 1.",
        ("X", "W_Q", "W_K", "W_V"),
        (CORNERS, _m((1, 0), (0, 2)), _m((1, 1), (0, 1)), _m((1, -1), (2, 0))),
    ),
    Example(
        "corners",
        "Three tokens, queries equal to keys",
        "The third key points both ways, so the first two tokens like it as much as their own.",
        ("Q", "K", "V"),
        (CORNERS, CORNERS, _m((1, 0), (0, 1), (2, 2))),
    ),
    Example(
        "causal",
        "The same, with the future hidden",
        "The first token sees itself alone, so its weight is 1. The last row is as before: it saw"
        " everything already.",
        ("Q", "K", "V"),
        (CORNERS, CORNERS, _m((1, 0), (0, 1), (2, 2))),
        True,
    ),
    Example(
        "notes",
        "Two tokens as printed, with their errors",
        "One matrix makes queries, keys and values at once. The scores grow so large that the"
        " softmax gives everything to one token.",
        ("X", "W"),
        (_m((1, 2, 3, 4), (5, 6, 7, 8)), _m((0.1, 0.2), (0.3, 0.4), (0.5, 0.6), (0.7, 0.8))),
        printed={
            "Q": _m((5, 6), (13, 15.2)),
            "S": _m((61, 156.2), (156.2, 400.04)),
            r"S / \sqrt{d}": _m((43.14, 110.47), (110.47, 282.91)),
            "A": _m((0.1, 0.9), (0.1, 0.9)),
            "O": _m((12.2, 14.28), (12.2, 14.28)),
        },
        why=(
            "Three errors. The second row of Q, K and V is 5 × 0.1 + 6 × 0.3 + 7 × 0.5 + 8 × 0.7 ="
            " 11.4 and 14, not 13 and 15.2. The weights 0.1 and 0.9 do not follow even from the"
            " printed scores: those give 5.8 · 10⁻³⁰ and 1. And a softmax as full as this one lets"
            " no gradient through: the example shows what dividing by √d is meant to prevent."
        ),
    ),
    Example(
        "pronoun",
        "What does “it” refer to? hungry, delicious",
        "“The bear ate the honey because it was …” Row 1 is “it” before *hungry*, row 2 before"
        " *delicious*; the keys are *bear* and *honey*. A trained model learns such vectors; these"
        " are made up.",
        ("Q", "K", "V"),
        (_m((2, 0), (0, 2)), _m((1, 0), (0, 1)), _m((1, 0), (0, 1))),
    ),
)
