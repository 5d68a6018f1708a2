"""CharNgram: a word is nothing but its character n-grams, the same way for every word, known or
not.

What      v(w) = mean of the rows of the different n-grams of 1 to 4 characters of <w>
Source    Hashimoto, Xiong, Tsuruoka & Socher, A Joint Many-Task Model: Growing a Neural Network for
          Multiple NLP Tasks, 2017
Shapes    see models/gramvectors.py
Differs   Trained by skip-gram with negative sampling as the authors' program does (the notes deny
          it); the marks < and > alone are no n-grams; small letters; rows are found by a hash, so
          n-grams may share one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

from engine.core.setting import setting
from engine.models import gramvectors, word2vec
from engine.models.base import Card
from engine.models.gramvectors import GramVectors


@dataclass(frozen=True, slots=True)
class Config(gramvectors.Config):
    least: int = setting(1, "characters of the shortest n-gram", min=1, max=12)
    most: int = setting(4, "characters of the longest n-gram", min=1, max=12)


@final
class CharNgram(GramVectors):
    card = Card(
        "charngram",
        "CharNgram",
        2017,
        "Hashimoto, Xiong, Tsuruoka & Socher, A Joint Many-Task Model, EMNLP",
    )
    config_type: ClassVar[type[word2vec.Config]] = Config
    whole: ClassVar[bool] = False
    unique: ClassVar[bool] = True


MODEL = CharNgram
