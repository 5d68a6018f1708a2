"""Probes: how often a few words stand near a few others in the whole text of a run, kept in its
run.json for the page Co-occurrence.

What      counts X_wk of word w and probe k, and totals X_w = sum over all words k of X_wk, as GloVe
          counts them
Source    the words ice, steam, solid, gas, water and fashion: Pennington, Socher & Manning, GloVe,
          2014, table 1; the others ours
Shapes    W = words, K = probes
Differs   The part of the text that the run held out is not counted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from engine.text.tokenizers.base import passages, split
from engine.vectors import cooccurrence

if TYPE_CHECKING:
    from engine.models.wordspace import WordSpace

WORDS = (
    "ice",
    "steam",
    "king",
    "queen",
    "man",
    "woman",
    "sun",
    "moon",
    "paris",
    "london",
    "cat",
    "dog",
)
PROBES = (
    "solid",
    "gas",
    "water",
    "fashion",
    "cold",
    "hot",
    "engine",
    "cream",
    "snow",
    "train",
    "the",
    "he",
    "she",
    "his",
    "her",
    "crown",
    "castle",
    "army",
    "husband",
    "wife",
    "beard",
    "pregnant",
    "young",
    "orbit",
    "light",
    "night",
    "planet",
    "earth",
    "landing",
    "france",
    "england",
    "city",
    "seine",
    "thames",
    "mouse",
    "bark",
    "fur",
    "animal",
    "breed",
)


def count_probes(model: WordSpace[Any], text: str, seed: int) -> dict[str, Any]:
    """{"words", "probes", "counts" (W, K), "totals" (W,)} for a GloVe model of this text; a word
    that it does not know is left out."""
    lines, _ = split(passages(text), seed)
    tokenizer, config = model.tokenizer, model.config
    row = {word: i for i, word in enumerate(tokenizer.vocab)}
    words, probes = ([word for word in some if word in row] for some in (WORDS, PROBES))
    word_M, line_M = cooccurrence.lines_of(
        tokenizer.stream(lines).astype(np.int32), tokenizer.boundary, tokenizer.unknown
    )
    found_WV = cooccurrence.count(word_M, line_M, len(row), config.window, weighting="distance")[
        [row[word] for word in words]
    ]
    counts_WK = found_WV[:, [row[word] for word in probes]].toarray()
    return {
        "words": words,
        "probes": probes,
        "counts": np.round(counts_WK, 3).tolist(),
        "totals": np.round(found_WV.sum(1), 2).tolist(),
    }
