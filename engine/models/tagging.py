"""What the two taggers share: how a tagged line is written and read.

What      word/TAG word/TAG ...: the last slash parts the word from its tag
Shapes    as in engine/models/labelling_recurrent.py
"""

from __future__ import annotations

from engine.core.trace import FieldSpec, Kind
from engine.language.message import refusal
from engine.models.base import Corpus
from engine.models.labelling import Example
from engine.models.labelling_recurrent import RecurrentLabellingModel


class TaggingModel(RecurrentLabellingModel):
    corpus = Corpus.TAGGED
    says = FieldSpec(
        "tag", Kind.PROBABILITY, ("token", "tag"), "Predicted part of speech of each word.", "p_t"
    )
    sample = (
        "the/DET old/ADJ cat/NOUN saw/VERB the/DET dog/NOUN\n"
        "a/DET dog/NOUN ran/VERB to/ADP the/DET sea/NOUN\n"
        "she/PRON read/VERB and/CCONJ he/PRON wrote/VERB\n"
    )

    @classmethod
    def parse(cls, line: str) -> Example:
        pairs = [piece.rpartition("/") for piece in line.split()]
        bad = next(("".join(pair) for pair in pairs if not (pair[0] and pair[2])), None)
        if bad is not None:
            raise refusal("{bad!r} is not a word, a slash and a tag", bad=bad[:40])
        return Example(tuple(word for word, _, _ in pairs), tuple(tag for _, _, tag in pairs))
