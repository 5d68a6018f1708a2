"""Game: words of a text are replaced by a generator, and reader and discriminator say which.

What      some words are masked; the generator draws one for each from what it expects there; the discriminator says
          of each token how likely it is that it was replaced
Source    Clark, Luong, Le & Manning, ELECTRA, 2020, section 2
Differs   The generator is the shipped BERT, as large as the discriminator; in the paper it is a quarter to a half as
          wide, for a generator that is too good leaves nothing to find.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from engine.analysis import task_heads as store
from engine.lessons.bert.masked_prediction import fit, words
from engine.lessons.tasks import reading
from engine.lessons.tasks.examples import choose, compare, replace_words
from engine.models.bert import Bert
from engine.text.tokenizers.base import Tokens


@dataclass(frozen=True)
class Game:
    """
    before, after  labels of all tokens
    asked          places that hold a word, those that are numbered
    touched        of these, where the generator drew
    replaced       of these, where it drew another word
    suspected      (T,) the probability by the tuned body
    """

    before: tuple[str, ...]
    after: tuple[str, ...]
    asked: tuple[int, ...]
    touched: frozenset[int]
    replaced: frozenset[int]
    suspected_T: np.ndarray

    def score(self, chosen: Sequence[int]) -> tuple[int, int]:
        """Hits and false alarms."""
        return len(self.replaced & {*chosen}), len({*chosen} - self.replaced)

    @property
    def guess(self) -> list[int]:
        """As many tokens as were replaced, those that the discriminator suspects most."""
        order = sorted(self.asked, key=lambda t: -float(self.suspected_T[t]))
        return sorted(order[: len(self.replaced)])


def play(model: Bert, text: str, share: float, seed: int) -> Game:
    """ValueError where there is no word to replace."""
    tokens = fit(model, model.tokens(text))
    asked = words(model, tokens)
    if len(asked) < 3:
        raise ValueError("Type at least three words.")
    rng = np.random.default_rng(seed)
    at: list[int] = []
    for _try in range(20):
        at = choose(model, tokens.ids, rng, share) or [int(rng.choice(asked))]
        (drawn_T,) = replace_words(model, [tokens.ids], [at], rng)
        target_T = compare(model, tokens.ids, drawn_T)
        if (target_T == 1).any():
            break
    suspected_T = suspect(model, drawn_T)
    return Game(
        tokens.labels,
        tuple(model.tokenizer.vocab[id] for id in drawn_T),
        tuple(asked),
        frozenset(at),
        frozenset(np.flatnonzero(target_T == 1).tolist()),
        suspected_T,
    )


def suspect(model: Bert, ids_T: np.ndarray) -> np.ndarray:
    """(T,): how likely each token was replaced, by the tuned body."""
    t = model.tokenizer
    labels = tuple(t.vocab[id] for id in ids_T)
    tokens = Tokens(ids_T, labels, ((0, 0),) * len(ids_T))
    trace = model.trace("", fields=("residual",), tokens=tokens)
    __, x_TD = reading.read_bodies(model, trace.field("residual").values)
    found: np.ndarray = store.softmax(
        store.of_tokens(store.shipped(), store.BODIES[-1], "replaced", x_TD)
    )[:, 1]
    return found
