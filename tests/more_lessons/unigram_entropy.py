"""Unigram entropy: the bits that a word of a text costs that is foretold by its frequency alone.

What      H = -sum over words of p log2 p, with p a word's share of the text
Source    Shannon, A Mathematical Theory of Communication, 1948
Shapes    V = words of the vocabulary, most frequent first
"""

from __future__ import annotations

from collections import Counter

import numpy as np

from engine import frame as fr
from engine.core.trace import Kind
from engine.course.base import Lesson
from engine.language.message import _

LESSON = Lesson(
    id="unigram_entropy",
    era="Counting",
    title="Entropy of single words",
    question="How many bits does a word cost when only its frequency is known?",
    minutes=5,
    before=("ngrams",),
    model="",
    example="",
    tries=(),
    sources=("Shannon, A Mathematical Theory of Communication, 1948",),
    differs="The notes give the formula; here it is of your text.",
    live=False,
    topics="""
part-bits-of-a-word | Entropy of a unigram model | language_models M48
    Type a text: what each of its words costs, and their mean, weighed by how often they come.
    unigram entropy, Shannon entropy of words, bits for a word
""",
)


def count_words(text: str, least: int) -> tuple[list[str], np.ndarray]:
    """The words that come up at least so often, and how often, most frequent first."""
    counted = [(word, n) for word, n in Counter(text.split()).most_common() if n >= least]
    return [word for word, _n in counted], np.array([n for _w, n in counted], float)


def bits_of(count_V: np.ndarray) -> np.ndarray:
    """-log2 of each word's share."""
    return -np.log2(count_V / count_V.sum())


@fr.part("Bits of a word")
def words_of_a_text(
    text: str = fr.typed("A text", "the cat sat on the mat", 400),
    least: int = fr.slider("Only words that come up so often", 1, 10, 1),
) -> fr.Blocks:
    words, count_V = count_words(text, least)
    if not words:
        raise ValueError("Type some words.")
    bits_V = bits_of(count_V)
    mean = float(count_V @ bits_V / count_V.sum())
    yield _(
        "A word costs **{mean:.3f} bits** on average; {n} {n|word is|words are} counted.",
        mean=mean,
        n=len(words),
    )
    yield fr.Formula(rf"H = -\sum_w p(w) \log_2 p(w) = {mean:.3f}")
    yield fr.bars("bits", "Bits of each word", bits_V, ("word", words), Kind.LOSS)
    heads = ("word", "times", "bits")
    yield fr.table(heads, zip(words, count_V.astype(int), bits_V, strict=True))


PARTS = (words_of_a_text,)
