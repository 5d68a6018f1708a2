"""Lemma: the dictionary form of a word, looked up.

What      mice -> mouse, was -> be; a word that the list does not have stays, or loses a regular
          ending
Source    Barbaresi, Simplemma: a simple multilingual lemmatizer for Python, 2021 on
Shapes    a change is a word from its first letter that differs
Differs   It looks at one word, never at the sentence: it can't know the part of speech.  As an
          adjective "worse" belongs to bad (the notes' answer); the list says wrong.  The notes take
          democratize for the lemma of democratization: a noun's lemma is the noun itself, only a
          stemmer leaves it.  That lemmas are always valid words holds for words in the list.
"""

from __future__ import annotations

from functools import lru_cache

from engine.text.preparation.base import Preparation, each_word
from engine.text.preparation.porter import LONGEST

LANGUAGES = {
    "en": "English",
    "de": "German",
    "fr": "French",
    "es": "Spanish",
    "it": "Italian",
    "nl": "Dutch",
    "pt": "Portuguese",
    "sv": "Swedish",
}
BY_PART = (  # word, part of speech, lemma, an example
    ("better", "adjective", "good", "a better film"),
    ("better", "adverb", "well", "she sings better"),
    ("running", "verb", "run", "he was running"),
    ("running", "noun", "running", "running is healthy"),
    ("worse", "adjective", "bad", "a worse film"),
    ("worse", "adverb", "badly", "he sings worse"),
    ("saw", "verb", "see", "she saw it"),
    ("saw", "noun", "saw", "a sharp saw"),
    ("leaves", "verb", "leave", "he leaves home"),
    ("leaves", "noun", "leaf", "green leaves"),
    ("meeting", "verb", "meet", "we are meeting them"),
    ("meeting", "noun", "meeting", "a long meeting"),
)


@lru_cache(65536)
def lemma(word: str, language: str = "en") -> str:
    from simplemma import lemmatize

    return str(lemmatize(word, lang=language, low_memory=True)) if len(word) <= LONGEST else word


PREPARATION = Preparation(
    "Lemma",
    "The dictionary form, from a list of words. The list sees only one word, so it cannot tell"
    " the noun “saw” from the verb.",
    each_word(lemma, lambda was, now, _: f"{was} → {now}"),
    LANGUAGES,
    trim=True,
)
