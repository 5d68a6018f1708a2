"""Statistics: what a text is made of, for texts of up to 200 MB within seconds.

What      characters by class, lengths of words, sentences and passages, duplicates: of all of it;
          word frequencies: of a sample of a long one
Source    as in scan.py, duplicates.py and frequencies.py
Shapes    histograms count the whole numbers 0, 1, 2 ...; the last place holds all that is longer
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from engine.text.collection.duplicates import Duplicates, duplicates
from engine.text.collection.frequencies import SAMPLE, Frequencies, frequencies
from engine.text.collection.scan import Lengths, scan
from engine.text.paged import Paged

COMMONEST = 40
CLASSES = {
    "Lu": "capital letters",
    "Ll": "small letters",
    "Lt": "capital letters",
    "Lm": "other letters",
    "Lo": "other letters",
    "M": "marks on letters",
    "N": "digits and numbers",
    "P": "punctuation",
    "S": "signs",
    "Z": "spaces",
    "C": "control signs",
}


@dataclass(frozen=True, slots=True)
class Statistics:
    """classes, commonest: (what, how often), most first; lengths: "word" in characters, "sentence"
    and "passage" in words.

    notes: what a reader has to know of how this was counted
    """

    characters: int
    classes: tuple[tuple[str, int], ...]
    commonest: tuple[tuple[str, int], ...]
    alphabet: int  # different characters
    lengths: dict[str, Lengths]
    duplicates: Duplicates
    frequencies: Frequencies
    notes: tuple[str, ...]


def measure(
    text: str | Paged,
    progress: Callable[[float, str], None] = lambda share, what: None,
    sample: int = SAMPLE,
) -> Statistics:
    """Of a text with at least one character."""
    seen = scan(text, lambda share: progress(0.4 * share, "counting characters"))
    twice = duplicates(text, lambda share: progress(0.4 + 0.3 * share, "looking for duplicates"))
    progress(0.7, "counting words")
    counted = frequencies(text, sample)
    codes = np.flatnonzero(seen.codes)
    classes: Counter[str] = Counter()
    for code in codes.tolist():
        classes[_class(chr(code))] += int(seen.codes[code])
    most = codes[np.argsort(-seen.codes[codes], kind="stable")[:COMMONEST]]
    notes = []
    if counted.characters < len(text):
        notes.append(
            f"Words were counted in {counted.characters / 1e6:,.1f} of {len(text) / 1e6:,.1f}"
            " million characters, from places evenly spread over the text."
        )
    if counted.types and counted.tokens and seen.words and seen.lengths["word"].mean > 12:
        notes.append(
            "Its words are not separated by spaces, so a word here is a run of characters"
            " between spaces or punctuation."
        )
    return Statistics(
        len(text),
        tuple(classes.most_common()),
        tuple((chr(c), int(seen.codes[c])) for c in most),
        len(codes),
        seen.lengths,
        twice,
        counted,
        tuple(notes),
    )


def _class(char: str) -> str:
    if char == "\n":
        return "line ends"
    kind = unicodedata.category(char)
    return "spaces" if char == "\t" else CLASSES.get(kind) or CLASSES[kind[0]]
