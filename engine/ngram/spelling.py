"""Spelling: the word that was meant, from words one slip of the pen away and what stands around
them.

What      noisy channel: P(w | typed, context) in proportion to P(typed | w) P(w | context)
          (fill.py).  Candidates: the
          words of the vocabulary that one insertion, deletion, exchange or swap of neighbours makes
          of what was typed,
          and the word itself, if it is one.
Source    Kernighan, Church & Gale, A Spelling Correction Program Based on a Noisy Channel Model,
          COLING 1990;
          Mays, Damerau & Mercer, Context Based Spelling Correction, 1991; the four edits: Damerau,
          CACM 7, 1964
Shapes    K = candidates
Differs   Every slip is as likely as any other, unless `channel_K` says otherwise.  A letter with its
          marks is one letter, and each mark is one, too.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engine.ngram.fill import Filled, fill
from engine.ngram.smoothed import Smoothed
from engine.text.segmentation import clusters, is_plain


def is_one_edit(a: str, b: str) -> bool:
    """Whether one edit, or none, makes one word of the other."""
    if _one_edit(a, b):
        return True
    return not (is_plain(a) and is_plain(b)) and _one_edit(clusters(a), clusters(b))


def _one_edit(a: Sequence[str], b: Sequence[str]) -> bool:
    if abs(len(a) - len(b)) > 1:
        return False
    start = next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))
    a, b = a[start:], b[start:]
    if a[1:] == b[1:] or a[1:] == b or a == b[1:]:
        return True
    return len(a) == len(b) and a[:2] == b[1::-1] and a[2:] == b[2:]


def candidates(
    typed: str, vocabulary: Sequence[str], besides: Sequence[str] = ("<unk>", "<s>", "</s>")
) -> list[int]:
    """Ids of the words that may have been meant, in the order of the ids; `besides` are marks,
    never meant."""
    return [
        id for id, word in enumerate(vocabulary) if is_one_edit(typed, word) and word not in besides
    ]


def correct(
    model: Smoothed,
    left: Sequence[int],
    ids: Sequence[int],
    right: Sequence[int] = (),
    channel_K: np.ndarray | None = None,
) -> Filled:
    """Of candidates behind a context (and before one): `channel_K` is P(typed | w) of each, without
    it alike for all."""
    return fill(model, left, right, ids, channel_K)
