"""Which models the page shows: two to five that say what comes next, or texts that are counted on the spot."""

from __future__ import annotations

from engine import frame as fr
from engine.lessons.compare import counted
from engine.live.compared import speaks

TWO_TEXTS = ("counted.stories", "counted.python_docs")
SHOWN = fr.Compared(
    ("lstm", "transformer", "ngram"),
    speaks,
    {
        "Letters, pieces and words": ("lstm", "transformer", "ngram"),
        "Two texts, one kind of model": TWO_TEXTS,
    },
    counted.runs,
)
