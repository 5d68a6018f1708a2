"""The map of a run's words: principal components of its vectors, fitted once a run and kept."""

from __future__ import annotations

from typing import Any

import numpy as np
import streamlit as st

from engine.registry import projections
from engine.runs import Run
from engine.trace import Axis, Field, FieldSpec, Kind, Trace
from pages.ui import cache

MARKS = 3  # <unk>, <s>, </s> have no place
BACKGROUND = 3000  # commonest words drawn as dots


class WordMap:
    spec = FieldSpec("place", Kind.STATE, ("token", "coordinate"), "Where the word lies on the map.", "z")

    def __init__(self, model: Any) -> None:
        self._model = model
        vectors_VD = model.vectors
        self.pca = projections.get("pca").fit(vectors_VD[MARKS:], 3)
        self.places_V3 = self.pca.transform(vectors_VD)
        self._row = {word: i for i, word in enumerate(model.tokenizer.vocab)}

    def of(self, word: str) -> list[float]:
        return [round(float(x), 4) for x in self.places_V3[self._row[word], :2]]

    def place(self, trace: Trace) -> tuple[Field, ...]:
        values_T2 = self.places_V3[trace.ids, :2]
        return (Field(self.spec, values_T2, (Axis("token", trace.tokens), Axis("coordinate", ("x", "y")))),)

    def share(self, dims: int) -> float:
        return float(np.sum(self.pca.map.explained[:dims]))

    def background(self) -> dict[str, Any]:
        """The commonest words with their places, and how far the map reaches."""
        words = self._model.tokenizer.vocab[MARKS : MARKS + BACKGROUND]
        places = self.places_V3[MARKS : MARKS + BACKGROUND, :2]
        return {
            "words": words, "x": [round(float(x), 3) for x in places[:, 0]], "y": [round(float(y), 3) for y in places[:, 1]],
            "reach": round(float(np.quantile(np.abs(places), 0.999)) * 1.15, 3),
        }  # fmt: skip


@st.cache_resource(max_entries=4, show_spinner="Laying out the map…")
def _word_map(id: str, recipe: str, _run: Run) -> WordMap:
    return WordMap(cache.model(_run))


def word_map(run: Run) -> WordMap:
    return _word_map(str(run.folder), str(run.note.get("recipe")), run)


def in_space(places: WordMap, trace: Trace) -> None:
    """The map in three dimensions, for a settled text."""
