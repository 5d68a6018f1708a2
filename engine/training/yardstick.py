"""Yardstick: what a text is like, in a few numbers and its commonest words; what a model writes can
then be held against it.

What      {"characters", "spaces": share of the characters, "word_letters": mean, "letters": the
          commonest first, "words": the commonest first, "count_nats": the entropy of its tokens'
          frequencies}, all of the text's beginning
Source    Shannon, A Mathematical Theory of Communication, 1948, sec. 7 (entropy)
Differs   Only the first million characters count: it takes a moment, whatever the text.  A word is
          a run of letters.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

import numpy as np
from msgspec import Struct

from engine.storage import record
from engine.storage.run_folder import Bounded
from engine.text.segmentation import WORDS, clusters, in_word, is_plain
from engine.text.tokenizers.base import passages

SEEN = 1_000_000  # characters
MOST_WORDS, MOST_LETTERS = 5_000, 10
LETTERS = re.compile(r"[^\W\d_]+")


class TextRecord(Struct, frozen=True):
    """What `measure` finds."""

    characters: Bounded
    spaces: Bounded
    word_letters: Bounded
    count_nats: Bounded
    letters: list[str]
    words: list[str]


def measure(text: str, tokenizer: Any) -> dict[str, Any]:
    """Nothing for a text without letters."""
    text = text[:SEEN]
    words = words_of(text)
    if not words:
        return {}
    count_V = np.bincount(tokenizer.stream(passages(text)))
    p_V = count_V[count_V > 0] / count_V.sum()
    return {
        "characters": len(text),
        "spaces": round(spaces(text), 4),
        "word_letters": round(sum(len(clusters(word)) for word in words) / len(words), 3),
        "letters": commonest(Counter(c for word in words for c in clusters(word)), MOST_LETTERS),
        "words": commonest(Counter(words), MOST_WORDS),
        "count_nats": round(float(-(p_V * np.log(p_V)).sum()), 4),
    }


def words_of(text: str) -> list[str]:
    low = text.lower()
    if is_plain(low):
        return LETTERS.findall(low)
    letters = (
        "".join(c if in_word(c) and not c.isdigit() else " " for c in word)
        for word in WORDS.findall(low)
    )
    return [run for words in letters for run in words.split()]


def spaces(text: str) -> float:
    return text.count(" ") / max(1, len(text))


def commonest(counts: Counter[str], most: int) -> list[str]:
    """In the order of the alphabet where two are as frequent."""
    return sorted(counts, key=lambda name: (-counts[name], name))[:most]


def parse(found: Any) -> dict[str, Any]:
    """What `measure` made, read back from a file; nothing where it is something else."""
    try:
        record.convert(found, TextRecord)
    except record.Mismatch:
        return {}
    return dict(found)
