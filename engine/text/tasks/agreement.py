"""Agreement: one key or many keys; is it "is" or "are", so many words later?

What      "the", a noun, distance - 1 words, then the verb of that noun is asked for: "is" or "are"
Source    Elman, Distributed Representations, Simple Recurrent Networks, and Grammatical Structure,
          1991; with attractors:
          Linzen, Dupoux & Goldberg, Assessing the Ability of LSTMs to Learn Syntax-Sensitive
          Dependencies, 2016
Shapes    T = distance + 1
Differs   A grammar of 30 words.  Words between say nothing of the number; distractors are phrases
          of three words with another noun, of either number.  The distance counts from the noun to
          where the verb stands.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import final

import numpy as np

from engine.text.tasks.base import SILENT, Streams, Task

ONE = ("key", "dog", "ship", "book")
MANY = ("keys", "dogs", "ships", "books")
NEAR = ("near", "behind", "under", "beside")
BETWEEN = ("here", "now", "again", "today", "often", "quietly", "perhaps", "indeed")
VERBS = ("is", "are")


@final
class Agreement(Task):
    title = "Agreement: is or are?"
    rank = 40
    says = (
        "The subject is singular or plural. k words later the verb has to be predicted: is or"
        " are. Distractors are other nouns, such as “near the ships”."
    )
    labels = ("the", *ONE, *MANY, *NEAR, *BETWEEN, *VERBS)
    answers = VERBS
    spaced = True

    def make(self, n: int, distance: int, seed: int | Sequence[int], noise: float = 0.0) -> Streams:
        self.check(distance, noise)
        rng = np.random.default_rng(seed)
        room = distance - 1
        phrases = min(round(noise * room / 3), room // 3)
        near, nouns, between = (np.array(self.ids(words)) for words in (NEAR, ONE + MANY, BETWEEN))
        verb_N = rng.integers(2, size=n)
        subject_N = nouns[verb_N * len(ONE) + rng.integers(len(ONE), size=n)]
        the = self.labels.index("the")
        ids_NT = np.full((n, distance + 1), the, np.int64)
        ids_NT[:, 1] = subject_N
        for row in ids_NT:
            pieces = [
                [near[i], the, nouns[j]]
                for i, j in zip(
                    rng.integers(len(near), size=phrases), rng.integers(len(nouns), size=phrases)
                )
            ]
            pieces += [[word] for word in rng.choice(between, room - 3 * phrases)]
            row[2:] = [word for i in rng.permutation(len(pieces)) for word in pieces[i]]
        targets_NT = np.full_like(ids_NT, SILENT)
        targets_NT[:, -1] = np.array(self.ids(VERBS))[verb_N]
        return ids_NT, targets_NT


TASK = Agreement
