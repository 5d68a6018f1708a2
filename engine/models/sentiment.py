"""Sentiment of a sentence: many words in, one label out, and what the label would be had the
sentence ended earlier.

What      word pieces -> layers of a recurrent cell -> softmax over the labels; row t is the
          read-out after token t
Source    Wang, Liu, Sun, Wang & Wang, Predicting Polarities of Tweets by Composing Word Embeddings
          with Long Short-Term Memory, 2015; a target at each step: Lipton, Kale, Elkan & Wetzel,
          Learning to Diagnose with LSTM Recurrent Neural Networks, 2016
Shapes    as in engine/models/labelling.py
Differs   The loss is the mean over the read-outs after all prefixes, not that of the last one
          alone: so each of them is an honest guess from what was read.  Row 0, behind the start
          mark, is the guess from nothing.
"""

from __future__ import annotations

from typing import final

from engine.core.trace import FieldSpec, Kind
from engine.models.base import Card, Corpus
from engine.models.labelling import Example, LabellingConfig, LabellingModel, pieces


@final
class Sentiment(LabellingModel[LabellingConfig]):
    card = Card(
        "sentiment",
        "Sentiment",
        2015,
        "Wang et al., Composing Word Embeddings with Long Short-Term Memory",
    )
    corpus = Corpus.LABELLED
    says = FieldSpec(
        "label",
        Kind.PROBABILITY,
        ("token", "label"),
        "Predicted class of the text up to each token.",
        "p_t",
    )
    sample = (
        "good\tthe film was a joy to watch\n"
        "bad\tthe film was a bore and far too long\n"
        "good\twe laughed and we cried\n"
        "bad\tnobody laughed\n"
    )
    start = True

    @classmethod
    def parse(cls, line: str) -> Example:
        label, tab, text = line.partition("\t")
        words = tuple(pieces(text))
        if not (tab and label.strip() and words):
            raise ValueError("it is not a label, a tab and a text")
        return Example(words, (label.strip(),) * len(words))

    def counts(self, length: int) -> range:
        return range(length - 1, length)


MODEL = Sentiment
