"""Skip-gram: a word is known by the words around it; its vector is learned by predicting each of
them.

What      p(o | w) from h = the row of the centre w, one distribution for every place in the window:
          the same whatever the distance
Source    Mikolov, Sutskever, Chen, Corrado & Dean, Distributed Representations of Words and
          Phrases, 2013
Shapes    see models/word2vec.py
Differs   see models/word2vec.py
"""

from __future__ import annotations

from typing import ClassVar, final

from engine.models.base import Card
from engine.models.word2vec import Word2Vec


@final
class Skipgram(Word2Vec):
    card = Card(
        "skipgram",
        "Skip-gram",
        2013,
        "Mikolov, Sutskever, Chen, Corrado & Dean, Distributed Representations of Words and"
        " Phrases, NeurIPS",
    )
    cbow: ClassVar[bool] = False


MODEL = Skipgram
