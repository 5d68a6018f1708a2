"""Words that go together: which of the commonest words of a text stand in one sentence.

What      a pattern is a sentence, and a visible unit a word: on where the sentence has it
Source    Salakhutdinov & Hinton, Replicated Softmax, 2009, counts words; here a word is there or not
Shapes    N = sentences with at least two of the words, V = words, S = states of the hidden units
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np
from scipy.special import logsumexp

from engine.lessons.boltzmann.machine import Machine
from engine.text.preparation import sentences
from engine.text.preparation.base import words as words_of
from engine.text.preparation.stopwords import stop_words

MOST, FEWEST = 24, 4  # words; the fewest sentences
TEXT = (
    "The captain and the sailor looked at the sea. The ship left the harbour in the storm. The sailor saw a ship far"
    " out on the sea. In the storm the captain held the wheel of the ship. The harbour is calm, and the sea is calm."
    " The cook put bread and butter on the table. There was soup in the pot, and bread on the table. The cook put salt"
    " into the soup. Butter and salt are in the kitchen, and the pot is, too. The cook washed the pot in the kitchen."
    " A bird sang in the garden. The roses in the garden need rain. After the rain the bird sat in the tree. The tree"
    " stands in the garden behind the roses. In spring the tree is full of bird song, and rain falls on the roses."
    " The captain had soup in the harbour. The sailor left the ship in the storm. The cook has roses in the garden."
    " A storm brings rain to the sea. The bird took bread from the table."
)


@dataclass(frozen=True, eq=False)
class Sentences:
    """The words, and which of them each sentence has (N, V)."""

    words: tuple[str, ...]
    has_NV: np.ndarray


def read(text: str) -> Sentences:
    """The commonest words of a text that are no stop words.  ValueError: too few sentences."""
    stops = stop_words("sklearn")
    ends = [(start, stop) for start, stop, now, _ in sentences.edit(text, "rules") if now == "\n"]
    cut = [
        {word for found in words_of(text[start:stop]) if (word := found[0].lower()) not in stops}
        for start, stop in zip(
            (0, *(stop for _, stop in ends)), (*(start for start, _ in ends), None), strict=True
        )
    ]
    counts = Counter(word for words in cut for word in sorted(words))
    chosen = tuple(word for word, count in counts.most_common(MOST) if count > 1)
    kept = [words for words in cut if len(words.intersection(chosen)) > 1]
    # a word whose every sentence has it alone among the chosen ones stands beside none
    chosen = tuple(word for word in chosen if any(word in words for words in kept))
    rows = [[float(word in words) for word in chosen] for words in kept]
    if len(rows) < FEWEST:
        raise ValueError(
            "Type more sentences: at least four of them have to share some words that are no stop words."
        )
    return Sentences(chosen, np.array(rows))


def together(machine: Machine) -> np.ndarray:
    """P(word of the column | word of the row), exact (V, V)."""
    h_SH, log_S = machine.states()
    share_S = np.exp(log_S - logsumexp(log_S))
    on_SV = machine.visible(h_SH)
    both_VV = (on_SV * share_S[:, None]).T @ on_SV
    found: np.ndarray = both_VV / (share_S @ on_SV)[:, None]
    return found


def counted(has_NV: np.ndarray) -> np.ndarray:
    """The same of the sentences themselves (V, V)."""
    found: np.ndarray = (has_NV.T @ has_NV) / has_NV.sum(0)[:, None]
    return found
