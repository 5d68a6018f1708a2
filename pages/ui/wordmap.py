"""The map of a run's words: principal components of its vectors, fitted once a run and kept."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import streamlit as st

from engine.core.trace import Axis, Field, FieldSpec, Kind, Table, Trace
from engine.lessons.vectors.typed import nearest
from engine.live import cache
from engine.live.drawing import Drawing, with_entries
from engine.runs.store import Run
from engine.vectors.align import turn
from pages.ui import kept, show

if TYPE_CHECKING:
    from engine.models.wordspace import WordSpace

MARKS = 3  # <unk>, <s>, </s> have no place
BACKGROUND = 3000  # commonest words drawn as dots
NEAR = 10


class WordMap:
    spec = FieldSpec(
        "place", Kind.STATE, ("token", "coordinate"), "Position of the word on the map.", "z"
    )

    def __init__(self, model: WordSpace[Any], end: Any = None) -> None:
        """`end`: the finished model, where `model` is what it was at a step: its words are turned
        onto those, and seen from the same side."""
        from engine.analysis.projection.pca import PCA

        # not the model: a map that is kept would keep its vectors, which no cache counts
        self.vocab, self.counts = model.vocab, model.counts
        self.pca = PCA.fit((end or model).vectors[MARKS:], 3)
        vectors_VD = model.vectors
        if end:
            turn_DD = turn(vectors_VD[MARKS:], end.vectors[MARKS:])
            vectors_VD = vectors_VD @ turn_DD.astype(np.float32)
        self.places_V3 = self.pca.transform(vectors_VD)
        self._row = {word: i for i, word in enumerate(model.vocab)}
        share_3 = self.pca.seen(vectors_VD[MARKS:]).map.shares
        self.flat, self.solid = f"{100 * share_3[:2].sum():.0f} %", f"{100 * share_3.sum():.0f} %"
        shown_V2 = self.pca.transform((end or model).vectors)[MARKS : MARKS + BACKGROUND, :2]
        self.reach = round(float(np.quantile(np.abs(shown_V2), 0.999)) * 1.1, 3)
        self.turned = (
            " The words of this step are rotated onto those of the finished run and shown from"
            " the same side."
            if end
            else ""
        )

    def of(self, word: str) -> list[float]:
        return [round(float(x), 4) for x in self.places_V3[self._row[word], :2]]

    def place(self, trace: Trace) -> tuple[Field, ...]:
        axes = Axis("token", trace.tokens), Axis("coordinate", ("x", "y"))
        return (Field(self.spec, self.places_V3[trace.ids, :2], axes),)

    def background(self) -> dict[str, Any]:
        """The commonest words with their places, and how far the map reaches."""
        places = self.places_V3[MARKS : MARKS + BACKGROUND, :2]
        return {
            "words": self.vocab[MARKS : MARKS + BACKGROUND],
            "x": [round(float(x), 3) for x in places[:, 0]],
            "y": [round(float(y), 3) for y in places[:, 1]],
            "reach": self.reach,
        }

    def table(self, trace: Trace, look: Mapping[str, Any], name: str, axes: str) -> Table:
        """Words with places along `axes` ("xy" or "xyz"); group 0 common, 1 neighbour of the one
        looked at, 2 typed."""
        words = nearest(trace, _looked_at(trace, look)).columns["neighbour"]
        near = [self._row[word] for word in words[:NEAR]]
        typed = [int(i) for i in dict.fromkeys(trace.ids.tolist()) if i >= MARKS]
        common = range(MARKS, min(MARKS + BACKGROUND, len(self._row)))
        group = {i: 0 for i in common if i not in {*near, *typed}}
        group |= {i: 1 for i in near if i not in typed} | dict.fromkeys(typed, 2)
        ids = list(group)
        columns = {
            "word": [self.vocab[i] for i in ids],
            **dict(zip(axes, self.places_V3[ids].T, strict=False)),
            "group": group.values(),
            "frequency": self.counts[ids],
        }
        share = self.flat if axes == "xy" else self.solid
        says = (
            f"Word vectors on {len(axes)} principal components, which show {share} of the"
            f" variance.{self.turned}"
        )
        return Table.of(name, says, columns)

    def flat_map(self, traces: Mapping[str, Trace], look: Mapping[str, Any]) -> Drawing:
        trace = traces["skipgram"]
        drawn = with_entries(trace, self.table(trace, look, "map", "xy"))
        return Drawing("skipgram", "scatter", drawn, ("map",))

    def neighbours(self, traces: Mapping[str, Trace], look: Mapping[str, Any]) -> Drawing:
        trace = traces["skipgram"]
        at = _looked_at(trace, look)
        table = nearest(trace, at)
        return Drawing("skipgram", "neighbours", with_entries(trace, table), ("nearest",))

    def in_space(self, run: Run, traces: Mapping[str, Trace], look: Mapping[str, Any]) -> None:
        """The settled figure below: the same map in three dimensions, to be turned by hand."""
        trace = traces["skipgram"]
        # Only when asked for: a browser without a graphics card draws it slowly, and typing would
        # wait for it.
        if st.toggle("Show the map in three dimensions", key="space", bind="query-params") and len(
            trace
        ):
            drawn = with_entries(trace, self.table(trace, look, "space", "xyz"))
            show.drawing(Drawing("skipgram", "scatter3d", drawn, ("space",)), run, "space")


def _looked_at(trace: Trace, look: Mapping[str, Any]) -> int:
    """Position in the window of the word looked at, or of the last one before it that has a
    vector."""
    at = min(max(0, int(look.get("token", 10**9)) - trace.offset), len(trace.tokens) - 1)
    while at > 0 and trace.ids[at] < MARKS:
        at -= 1
    return at


@kept.resource(max_entries=4)
def word_map(run: Run) -> WordMap:
    from engine.models.wordspace import WordSpace

    end = None if run.step is None else cache.model(run.at(None), WordSpace)
    return WordMap(cache.model(run, WordSpace), end)
