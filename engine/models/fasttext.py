"""fastText: skip-gram whose words are made of their character n-grams, so that unseen words and
misspellings have vectors.

What      v(w) = mean of the word's own row and the rows of its n-grams of 3 to 6 characters, < and
          > marking its ends
Source    Bojanowski, Grave, Joulin & Mikolov, Enriching Word Vectors with Subword Information, 2017
Shapes    see models/gramvectors.py
Differs   see models/gramvectors.py and nn/word2vec/bags.py
"""

from __future__ import annotations

from typing import ClassVar, final

from engine.models.base import Card
from engine.models.gramvectors import GramVectors


@final
class FastText(GramVectors):
    card = Card(
        "fasttext",
        "fastText",
        2017,
        "Bojanowski, Grave, Joulin & Mikolov, Enriching Word Vectors with Subword Information,"
        " TACL",
    )
    whole: ClassVar[bool] = True
    unique: ClassVar[bool] = False


MODEL = FastText
