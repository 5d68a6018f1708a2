"""What the models share that give a whole text one label: how a labelled line is written and read,
and which answer counts.

What      a label, a tab, a text; the answer after the last word counts
Shapes    as in engine/models/labelling.py
"""

from __future__ import annotations

from typing import TypeVar

from engine.core.trace import FieldSpec, Kind
from engine.models.base import Corpus
from engine.models.labelling import Example, LabellingConfig, LabellingModel, pieces

C = TypeVar("C", bound=LabellingConfig)


class ClassifyingModel(LabellingModel[C]):
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

    @classmethod
    def parse(cls, line: str) -> Example:
        label, tab, text = line.partition("\t")
        words = tuple(pieces(text))
        if not (tab and label.strip() and words):
            raise ValueError("it is not a label, a tab and a text")
        return Example(words, (label.strip(),) * len(words))

    def counts(self, length: int) -> range:
        return range(length - 1, length)
