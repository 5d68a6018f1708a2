"""Lessons on words as places in space."""

from __future__ import annotations

from engine.lessons.base import Lesson, Try

MEANING = (
    Lesson(
        "embeddings", "04_embeddings.py", "Meaning as place", "Embeddings", "Which words live near each other?", "skipgram",
        "In April the king and the queen walked through Paris",
        (
            Try("January March July October", "Months stand together: look at the neighbours and their cosines."),
            Try("France Paris Germany Berlin Italy Rome", "Countries and capitals: do the pairs lie in the same direction?"),
            Try("king queen man woman dog cat", "Families of words: click each and compare true neighbours with the map."),
        ),
        (
            "Mikolov et al., Distributed Representations of Words and Phrases and their Compositionality, 2013",
            "Pearson, On Lines and Planes of Closest Fit to Systems of Points in Space, 1901 (principal components)",
        ),
        "A flat map can't hold a hundred dimensions: neighbours on the map may be far apart. The list beside it is computed in "
        "all dimensions, and the map says how much of the variance it shows.",
        ("ngrams",),
    ),
)  # fmt: skip
