"""The map of a run's words on the first page: principal components of its vectors, fitted once a run
and kept."""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, Any

import streamlit as st

from engine.core.trace import Axis, Field, FieldSpec, Kind, Trace
from engine.live import cache
from engine.runs.store import Run
from engine.vectors.align import turn

if TYPE_CHECKING:
    from engine.models.wordspace import WordSpace

MARKS = 3  # <unk>, <s>, </s> have no place
BACKGROUND = 500  # commonest words drawn as dots


class WordMap:
    spec = FieldSpec(
        "place", Kind.STATE, ("token", "coordinate"), "Position of the word on the map.", "z"
    )

    def __init__(self, model: WordSpace[Any], end: Any = None) -> None:
        """`end`: the finished model, where `model` is what it was at a step: its words are turned
        onto those, and seen from the same side."""
        from engine.analysis.projection.pca import PCA

        # not the model: a map that is kept would keep its vectors, which no cache counts
        self.vocab, pca = model.vocab, PCA.fit((end or model).vectors[MARKS:])
        vectors_VD = model.vectors
        if end:
            turn_DD = turn(vectors_VD[MARKS:], end.vectors[MARKS:])
            vectors_VD = vectors_VD @ turn_DD.astype(vectors_VD.dtype)
        self.places_V2 = pca.transform(vectors_VD)
        self._row = {word: i for i, word in enumerate(model.vocab)}
        self.flat = f"{100 * pca.seen(vectors_VD[MARKS:]).map.shares.sum():.0f} %"

    def of(self, word: str) -> list[float]:
        return [round(float(x), 4) for x in self.places_V2[self._row[word]]]

    def place(self, trace: Trace) -> tuple[Field, ...]:
        axes = Axis("token", trace.tokens), Axis("coordinate", ("x", "y"))
        return (Field(self.spec, self.places_V2[trace.ids], axes),)

    def background(self) -> dict[str, Any]:
        """The commonest words with their places."""
        shown = slice(MARKS, MARKS + BACKGROUND)
        x, y = ([round(float(v), 3) for v in column] for column in self.places_V2[shown].T)
        return {"words": self.vocab[shown], "x": x, "y": y}


@st.cache_resource(max_entries=4, show_spinner=False, hash_funcs={Run: attrgetter("key")})
def word_map(run: Run) -> WordMap:
    from engine.models.wordspace import WordSpace

    end = None if run.step is None else cache.model(run.at(None), WordSpace)
    return WordMap(cache.model(run, WordSpace), end)
