"""Contractions: don't becomes do not.

What      a table for the irregular ones (won't, can't), endings for the others (n't, 'm, 're, 've,
          'll, 'd)
Source    the course notes' table, and the usual endings of English
Shapes    a change is one word
Differs   's is written out as "is" only behind a pronoun, and let's as let us; elsewhere it may be
          a possessive and is left alone, with the reason.  'd may be had or would: "would" is
          taken.  Curly apostrophes are read as straight ones.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from engine.language.message import _
from engine.text.preparation.base import Edit, Preparation, words

IRREGULAR = {
    "won't": "will not",
    "can't": "cannot",
    "shan't": "shall not",
    "ain't": "is not",
    "let's": "let us",
    "y'all": "you all",
    "o'clock": "o'clock",
    "ma'am": "madam",
}
ENDINGS = {
    "n't": " not",
    "'m": " am",
    "'re": " are",
    "'ve": " have",
    "'ll": " will",
    "'d": " would",
}
PRONOUNS = frozenset("it he she that this what who where when why how there here".split())
CURLY = re.compile("[’ʼ＇]")


def expand(word: str) -> tuple[str, str]:
    """(written out, why).  The word itself where it is no contraction; why is empty then, or says
    the reason to leave it."""
    plain = CURLY.sub("'", word)
    low = plain.lower()
    if "'" not in low:
        return word, ""
    if low in IRREGULAR:
        return _cased(IRREGULAR[low], plain), "irregular: from the table"
    for ending, full in ENDINGS.items():
        if low.endswith(ending) and len(low) > len(ending):
            stem = plain[: -len(ending)]
            why = (
                "’d may be would or had; here it is read as would"
                if ending == "'d"
                else _("ending {ending}", ending=ending)
            )
            return stem + (full.upper() if stem.isupper() and len(stem) > 1 else full), why
    if low.endswith("'s"):
        stem = plain[:-2]
        if low[:-2] in PRONOUNS:
            return (
                f"{stem} {'IS' if stem.isupper() and len(stem) > 1 else 'is'}",
                "’s after a pronoun is read as “is”",
            )
        return word, "’s may be a possessive, so it is left alone"
    return word, ""


def _cased(full: str, like: str) -> str:
    if like.isupper():
        return full.upper()
    return full[:1].upper() + full[1:] if like[:1].isupper() else full


def edit(text: str, _: str) -> Iterator[Edit]:
    for word in words(text):
        now, why = expand(word[0])
        if why:
            yield word.start(), word.end(), now, why


PREPARATION = Preparation(
    "Contractions",
    "Contractions are written out, so that “don’t” and “do not” become the same words. This"
    " step needs the apostrophe: strip punctuation later.",
    edit,
)
