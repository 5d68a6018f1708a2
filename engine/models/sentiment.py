"""Sentiment of a sentence: many words in, one label out, and what the label would be had the
sentence ended earlier.

What      word pieces -> layers of a recurrent cell -> softmax over the labels; row t is the
          read-out after token t
Source    Wang, Liu, Sun, Wang & Wang, Predicting Polarities of Tweets by Composing Word Embeddings
          with Long Short-Term Memory, 2015; a target at each step: Lipton, Kale, Elkan & Wetzel,
          Learning to Diagnose with LSTM Recurrent Neural Networks, 2016
Shapes    as in engine/models/labelling_recurrent.py
Differs   The loss is the mean over the read-outs after all prefixes, not that of the last one
          alone: so each of them is an honest guess from what was read.  Row 0, behind the start
          mark, is the guess from nothing.
"""

from __future__ import annotations

from typing import final

from engine.models.base import Card
from engine.models.classifying import ClassifyingModel
from engine.models.labelling_recurrent import RecurrentLabellingConfig, RecurrentLabellingModel


@final
class Sentiment(RecurrentLabellingModel, ClassifyingModel[RecurrentLabellingConfig]):
    card = Card(
        "sentiment",
        "Sentiment",
        2015,
        "Wang et al., Composing Word Embeddings with Long Short-Term Memory",
    )
    start = True


MODEL = Sentiment
