"""Retrieval: which passages of a text go into the prompt of a question, and what is written with them.

What      passages by their cosine with the question (engine/analysis/tfidf.py); the best stand before it
Source    Lewis et al., Retrieval-Augmented Generation for Knowledge-Intensive NLP Tasks, 2020
Differs   Passages are ranked by words, as search engines do, and not by learned vectors.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from engine.analysis import decode
from engine.models.base import Model

END = re.compile(r"\n|<\|")  # of the line, or a mark of a conversation
TEXT = "Question: {}\nAnswer:"
WRITTEN = 16  # tokens of an answer


def prompt(passages: Sequence[str], question: str) -> str:
    asked = TEXT.format(question)
    return "\n".join([*passages, "", asked]) if passages else asked


def answer(model: Model[Any], text: str) -> Iterator[str]:
    """What it writes behind a prompt, piece by piece: always the likeliest token, to the end of the line."""
    for piece in decode.sample(model, text, steps=WRITTEN, temperature=0.0):
        before, *after = END.split(piece, maxsplit=1)
        yield before
        if after:
            return
