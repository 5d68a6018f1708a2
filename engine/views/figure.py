"""Figure: a chart together with the table it was drawn from and the words for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True, eq=False)
class Figure:
    """What a view returns, what the screen shows, what a file holds: the same thing.

    chart  an `altair.Chart` (any top-level kind) or a `plotly.graph_objects.Figure`
    frame  every number in the chart, nothing else
    """

    title: str
    chart: Any
    frame: pd.DataFrame
    alt_text: str  # what a reader who cannot see it should know

    @property
    def is_plotly(self) -> bool:
        return type(self.chart).__module__.startswith("plotly")
