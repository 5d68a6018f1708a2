"""Least count: words counted less often than that are read as the unknown token, which so gets counts of its own.

What      the vocabulary keeps the words with c(w) >= least; all others of the text become <unk>, and the n-grams are
          counted again: P(<unk> | h) = c(h <unk>) / c(h)
Source    Jurafsky & Martin, Speech and Language Processing, 3rd ed., sec. 3.3.1 (a vocabulary by frequency)
Shapes    L = least counts, from 1 up
Differs   A smaller vocabulary makes every text less surprising, so perplexities of two least counts are not compared.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from engine.analysis.study import Study
from engine.text.tokenizers.words import Words


@dataclass(frozen=True, slots=True)
class Course:
    """Per least count: known_L words of the vocabulary without its marks, and the shares of words that are read as
    unknown in the counted and in the held-out lines; nan where nothing is held out."""

    known_L: np.ndarray
    counted_L: np.ndarray
    held_L: np.ndarray


def word_counts(study: Study) -> np.ndarray:
    """(V,) how often each word was counted; 0 for the marks.  ValueError where the text is not cut into words."""
    if not isinstance(study.tokenizer, Words):
        raise ValueError("only words can be too rare: cut the text into words")
    count_V = np.array(study.raw.orders[0].count_G, np.int64)
    count_V[:3] = 0
    return count_V


def course(study: Study, most: int) -> Course:
    """For the least counts 1 to `most`."""
    count_V = word_counts(study)
    held_N = np.zeros(0, np.int64) if study.held_stream is None else study.held_stream
    held_N = held_N[held_N != study.tokenizer.boundary]
    least_L = np.arange(1, most + 1)[:, None]
    rare_LV = (count_V > 0) & (count_V < least_L)
    total = max(1, int(count_V.sum()))
    return Course(
        ((count_V > 0) & ~rare_LV).sum(1),
        (rare_LV * count_V).sum(1) / total,
        (count_V[held_N] < least_L).mean(1) if len(held_N) else np.full(most, np.nan),
    )


def close(study: Study, least: int) -> Study:
    """The same lines, counted with the words that are frequent enough; the commonest one is kept."""
    count_V = word_counts(study)
    known = int((count_V >= min(max(1, least), count_V.max())).sum())
    again = Study.of(
        "\n".join(study.lines), study.order, "words", vocabulary=3 + known, hold_out=False
    )
    return replace(again, held_out=study.held_out)
