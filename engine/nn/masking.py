"""Masked words and sentence pairs: what an encoder that looks both ways learns from, drawn anew for
each step.

What      share of the words chosen; of these 80 % become [MASK], 10 % another word, 10 % stay; all
          of them are to be guessed.
          two stretches of sentences: half the time the second follows the first, half the time it
          is from another passage
Source    Devlin et al., BERT, 2019, sec. 3.1 and A.1; drawn anew each time: Liu et al., RoBERTa,
          2019, sec. 4.1
Shapes    B = examples, T = tokens of one, S = sentences
Differs   Every third example is one stretch alone, as a person types it.  The examples of a batch
          are of about one length and cut to the shortest, so nothing is padded.  An unknown word is
          never to be guessed.  A second stretch that does not follow never opens its passage, just
          like one that does: or its place would give it away.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

ALONE = 1 / 3
CHOICE = 24  # a batch is this share of examples drawn, those of about one length
IGNORED = -100
FATES = (0.8, 0.1)  # becomes the mask, becomes another word; the rest stays
LENGTHS = np.array([1, 1, 1, 2, 2, 3])  # sentences of a stretch


@dataclass(frozen=True, slots=True)
class Marks:
    start: int
    end: int
    mask: int
    kept: tuple[int, ...]  # these and all ids of marks are never guessed


def masked(
    ids_BT: np.ndarray,
    marks: Marks,
    words: np.ndarray,
    share: float,
    rng: np.random.Generator,
    fates: tuple[float, float] = FATES,
) -> tuple[np.ndarray, np.ndarray]:
    """(what is read, what is to be guessed; -100 elsewhere), at least one word in each row that has
    any.

    words  the ids that may stand in for another word
    """
    free_BT = ~np.isin(ids_BT, (marks.start, marks.end, marks.mask, *marks.kept))
    dice_BT = np.where(free_BT, rng.random(ids_BT.shape), 2.0)
    chosen_BT = (dice_BT < share) | ((dice_BT == dice_BT.min(1, keepdims=True)) & free_BT)
    fate_BT = rng.random(ids_BT.shape)
    read_BT = np.where(chosen_BT & (fate_BT < fates[0]), marks.mask, ids_BT)
    other_BT = chosen_BT & (fate_BT >= fates[0]) & (fate_BT < sum(fates))
    read_BT = np.where(other_BT, rng.choice(words, ids_BT.shape), read_BT)
    return read_BT, np.where(chosen_BT, ids_BT, IGNORED)


class Sentences:
    def __init__(self, passages: Sequence[Sequence[np.ndarray]]) -> None:
        """passages  the ids of each sentence of each passage."""
        flat = [ids for sentences in passages for ids in sentences]
        sizes = np.array([len(sentences) for sentences in passages], np.int64)
        self.ids_N = np.concatenate(flat) if flat else np.zeros(0, np.int64)
        self.start_S = np.concatenate(([0], np.cumsum([len(ids) for ids in flat], dtype=np.int64)))
        self.passage_S = np.repeat(np.arange(len(sizes)), sizes)
        # the sentence behind the last one of the same passage
        self.stop_S = np.repeat(np.cumsum(sizes), sizes)
        # sentences that another one follows
        self.first = np.flatnonzero(np.arange(len(flat)) + 1 < self.stop_S)

    def __len__(self) -> int:
        return len(self.passage_S)

    def draw(
        self, count: int, span: int, marks: Marks, rng: np.random.Generator, pairs: bool = True
    ) -> tuple[np.ndarray, np.ndarray]:
        """Rows of ids (B, T), T at most `span`, and per row 0: follows, 1: does not, -100: there is
        no second stretch."""
        many = CHOICE * count
        pair = (rng.random(many) >= ALONE) & bool(pairs and len(self.first))
        a = np.where(
            pair,
            rng.choice(self.first, many) if len(self.first) else 0,
            rng.integers(0, len(self), many),
        )
        a_stop = np.minimum(a + rng.choice(LENGTHS, many), self.stop_S[a] - pair)
        b = np.where(pair, a_stop, a)
        false = pair & (rng.random(many) < 0.5)
        if false.any():
            b[false] = rng.choice(self.first, int(false.sum())) + 1
        same = self.passage_S[a] == self.passage_S[b]
        label = np.where(~pair | (false & same), IGNORED, false.astype(np.int64))
        b_stop = np.minimum(b + rng.choice(LENGTHS, many), self.stop_S[b])
        size_a = self.start_S[a_stop] - self.start_S[a]
        size_b = np.where(pair, self.start_S[b_stop] - self.start_S[b], 0)
        total = np.minimum(size_a + size_b + 2 + pair, span)
        some = np.argsort(total, kind="stable")[rng.integers(0, CHOICE) * count :][:count]
        t = int(total[some].min())
        rows = [
            self._row(
                t,
                self.start_S[a[i]],
                size_a[i],
                self.start_S[b[i]],
                size_b[i] if pair[i] else None,
                marks,
            )
            for i in some
        ]
        return np.stack(rows), label[some]

    def _row(
        self, t: int, a: int, size_a: int, b: int, size_b: int | None, marks: Marks
    ) -> np.ndarray:
        """[CLS] first [SEP], or [CLS] first [SEP] second [SEP], the longer one cut so that they
        fit."""
        room = t - 2 - (size_b is not None)
        if size_b is None:
            return np.array([marks.start, *self.ids_N[a : a + min(size_a, room)], marks.end])
        size_a = min(size_a, max(room - size_b, (room + 1) // 2))
        return np.array(
            [
                marks.start,
                *self.ids_N[a : a + size_a],
                marks.end,
                *self.ids_N[b : b + min(size_b, room - size_a)],
                marks.end,
            ]
        )
