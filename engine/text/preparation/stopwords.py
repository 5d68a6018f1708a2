"""Stop words: frequent words are taken out.

What      a word goes, with the space behind it, when the list has it, whatever its case
Source    Luhn, The Automatic Creation of Literature Abstracts, 1958; scikit-learn's list of 318
          English words
Shapes    a change is one word and its space
Differs   The notes say that "not" is in no typical list: it is in scikit-learn's, as "very" is.
          The list that the notes print
          has neither "while" nor "from", which their example takes out.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from runpy import run_path

from engine.text.preparation.base import Edit, Preparation, words

NOTES = frozenset("a an the in on at with and but or i you he she they am is are was were".split())
NEGATIONS = frozenset(
    "no not nor never neither none nobody nothing nowhere cannot cant couldnt hasnt without".split()
)
CHOICES = {
    "sklearn": "scikit-learn's 318",
    "negations": "negations kept",
    "notes": "20 words",
    "more": "20 words, while, from",
}


@cache
def stop_words(choice: str) -> frozenset[str]:
    if choice in ("notes", "more"):
        return NOTES if choice == "notes" else NOTES | {"while", "from"}
    return _sklearn() - NEGATIONS if choice == "negations" else _sklearn()


@cache
def _sklearn() -> frozenset[str]:
    """`sklearn.feature_extraction.text.ENGLISH_STOP_WORDS` from the file that holds nothing else: the
    package takes 45 MB."""
    found = find_spec("sklearn")
    assert found and found.origin
    listed = Path(found.origin).parent / "feature_extraction" / "_stop_words.py"
    return frozenset(run_path(str(listed))["ENGLISH_STOP_WORDS"])


def edit(text: str, choice: str) -> Iterator[Edit]:
    stops, done = stop_words(choice), 0
    for word in words(text):
        if word[0].lower() not in stops:
            continue
        start, stop = word.span()
        while stop < len(text) and text[stop] == " ":
            stop += 1
        if stop == len(text):
            while start > done and text[start - 1] == " ":
                start -= 1
        yield start, stop, "", f"“{word[0].lower()}” is on the list"
        done = stop


PREPARATION = Preparation(
    "Stop words",
    "Frequent words are removed, and the text gets shorter. “Not” is on the usual lists: “not"
    " good” becomes “good”.",
    edit,
    CHOICES,
)
