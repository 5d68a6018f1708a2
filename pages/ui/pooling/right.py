"""How often nets are right while they learn: the one curve of all parts that train some here."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from pages.ui import plate


def curves(
    id: str,
    says: str,
    steps: Sequence[int],
    right: Iterable[tuple[str, np.ndarray]],
    source: str,
    of: str,
) -> plate.Plate:
    """right: the name of each net, and its shares (S,) after `steps`."""
    series = [(name, steps, right_S) for name, right_S in right]
    return plate.lines(
        id,
        says,
        series,
        source,
        of,
        x="step",
        y="share right",
        of_series="",
        low=0,
        high=1,
        tight=True,
        fluid=True,
    )
