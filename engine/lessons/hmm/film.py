"""Learning without tags, as a film: every round of Baum and Welch's method on a short text, begun
several times.

Each word of the text is a line of letters.
Shapes: R = rounds and the start before them, S = states (that of the word end first), V = letters
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from engine.core.registry import tokenizers
from engine.models.hmm import Config, HiddenMarkov

MOST, LONGEST = 400, 40  # letters of the text, and of a word


@dataclass(frozen=True, eq=False)
class Film:
    """bits_R: per letter, the word ends among them; writes_RSV; follows_RSS."""

    seed: int
    letters: tuple[str, ...]
    bits_R: np.ndarray
    writes_RSV: np.ndarray
    follows_RSS: np.ndarray


def words(text: str) -> list[str]:
    """What is learned from: the words, in small letters; a longer one is cut in pieces."""
    return [
        word[at : at + LONGEST]
        for word in text[:MOST].lower().split()
        for at in range(0, len(word), LONGEST)
    ]


def film(lines: list[str], states: int, seed: int, rounds: int) -> Film:
    """ValueError where there is no word."""
    if not lines:
        raise ValueError("there is no word to learn from")
    config = Config(states=states, tokenizer="chars", vocabulary=300, prior=1e-6)
    tokenizer = tokenizers.get("chars").fit(lines, config.vocabulary)
    model = HiddenMarkov.begun(config, tokenizer, tokenizer.ids(lines), seed)
    seen = [np.append(ids, tokenizer.boundary) for ids in tokenizer.ids(lines)]
    count = sum(map(len, seen))
    bits, writes, follows = [], [], []
    for _ in range(rounds + 1):
        writes.append(model.b_SV)
        follows.append(model.a_SS)
        bits.append(model.learn(seen) / count / math.log(2))
    here = sorted({int(i) for ids in seen for i in ids} - {tokenizer.boundary})
    return Film(
        seed,
        tuple(tokenizer.vocab[i] for i in here),
        np.array(bits),
        np.stack(writes)[:, :, here],
        np.stack(follows),
    )
