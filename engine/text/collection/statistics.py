"""Statistics: what a text is made of, for texts of up to 200 MB within seconds.

What      characters by class, lengths of words, sentences and passages, duplicates: of all of it;
          word frequencies: of a sample of a long one; a character is of the class of its letter
Source    as in scan.py, duplicates.py and frequencies.py
Shapes    histograms count the whole numbers 0, 1, 2 ...; the last place holds all that is longer
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from engine.language.message import _
from engine.text.collection.duplicates import Duplicates, duplicates
from engine.text.collection.frequencies import SAMPLE, Frequencies, frequencies
from engine.text.collection.scan import Lengths, characters, scan
from engine.text.paged import Paged
from engine.text.segmentation import unspaced

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
    seen = scan(text, lambda share: progress(0.2 * share, "counting words"))
    each = characters(text, lambda share: progress(0.2 + 0.2 * share, "counting characters"))
    twice = duplicates(text, lambda share: progress(0.4 + 0.3 * share, "looking for duplicates"))
    progress(0.7, "counting words")
    counted = frequencies(text, sample)
    classes: Counter[str] = Counter()
    for character, times in each.items():
        classes[_class(character)] += times
    most = sorted(each.items(), key=lambda pair: (-pair[1], pair[0]))[:COMMONEST]
    notes = list[str]()
    if counted.characters < len(text):
        notes.append(
            _(
                "Words were counted in {characters:,.1f} of {text:,.1f} million characters,"
                " from places evenly spread over the text.",
                characters=counted.characters / 1000000.0,
                text=len(text) / 1000000.0,
            )
        )
    if note := unspaced(text):
        notes.append(note)
    return Statistics(
        each.total(),
        tuple(classes.most_common()),
        tuple(most),
        len(each),
        seen.lengths,
        twice,
        counted,
        tuple(notes),
    )


def _class(character: str) -> str:
    if character == "\n":
        return "line ends"
    kind = unicodedata.category(character[0])
    return "spaces" if character == "\t" else CLASSES.get(kind) or CLASSES[kind[0]]
