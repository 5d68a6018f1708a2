"""Part-of-speech tagger: reads word after word and says at each what kind of word it is.  Many in,
as many out, in step.

What      word pieces -> layers of a recurrent cell -> softmax over the tags; the loss is the mean
          over all words
Source    Elman, Finding Structure in Time, 1990 (classes of words from a recurrent net); tags:
          Petrov, Das & McDonald, A Universal Part-of-Speech Tagset, 2012
Shapes    as in engine/models/labelling_recurrent.py
Differs   It reads forwards only: a tag depends on the words up to its own, never on those that
          follow.
"""

from __future__ import annotations

from typing import final

from engine.models.base import Card
from engine.models.tagging import TaggingModel


@final
class Tagger(TaggingModel):
    card = Card(
        "tagger",
        "Part-of-speech tagger",
        1990,
        "Elman, Finding Structure in Time, Cognitive Science 14(2)",
    )


MODEL = Tagger
