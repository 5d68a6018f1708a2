"""Part-of-speech tagger in both directions: at each word it knows the words before and the words
that follow.

What      as engine/models/tagger.py, with a second stack that reads from the end; h_t =
          [forwards_t, backwards_t]
Source    Schuster & Paliwal, Bidirectional Recurrent Neural Networks, 1997; as a tagger: Graves &
          Schmidhuber, Framewise Phoneme Classification with Bidirectional LSTM, 2005
Shapes    as in engine/models/labelling_recurrent.py; layer 2 l reads forwards, layer 2 l + 1 backwards
Differs   Not causal: a word typed at the end may change every tag before it.
"""

from __future__ import annotations

from typing import final

from engine.models.base import Card
from engine.models.tagging import TaggingModel


@final
class TaggerBoth(TaggingModel):
    card = Card(
        "tagger_both",
        "Part-of-speech tagger, both ways",
        1997,
        "Schuster & Paliwal, Bidirectional Recurrent Neural Networks",
    )
    both_ways = True
    forwards = False


MODEL = TaggerBoth
