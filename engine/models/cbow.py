"""CBOW, continuous bag of words: the word in the middle is predicted from the mean of the vectors
around it.

What      p(w | window) from h = the mean of the rows of the window's words: their order is lost
Source    Mikolov, Chen, Corrado & Dean, Efficient Estimation of Word Representations in Vector
          Space, 2013, sec. 3.1
Shapes    see models/word2vec.py
Differs   see models/word2vec.py; the gradient of a mean: each of n rows gets 1 / n of it (the
          original program gives each all of it)
"""

from __future__ import annotations

from typing import ClassVar, final

from engine.models.base import Card
from engine.models.word2vec import Word2Vec


@final
class Cbow(Word2Vec):
    card = Card(
        "cbow",
        "CBOW",
        2013,
        "Mikolov, Chen, Corrado & Dean, Efficient Estimation of Word Representations in Vector"
        " Space",
    )
    cbow: ClassVar[bool] = True


MODEL = Cbow
