"""Exam: how often a net gives the right word, by how many sentences stand between.

What      of every story some are drawn, with sentences between that the planted text does not have; an answer is right
          where it is the likeliest of all words
Shapes    B = lines, T = tokens, V = vocabulary
Differs   A guess is one among the words that can stand in the place of an answer.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import torch

from engine.models.neural import NeuralLanguageModel
from engine.text.corpora import remembered
from engine.text.corpora.remembered import STORIES, TABLES

COUNTS = (0, 1, 2, 4, 6, 8, 12, 16)  # sentences between; the planted text has 8 at most
DRAWS, SEED, BATCH = 3, 5, 32


@dataclass(frozen=True, slots=True)
class Line:
    """`answers`: where in its text each begins, and its word."""

    text: str
    answers: tuple[tuple[int, str], ...]


@lru_cache(maxsize=len(COUNTS))
def lines(between: int, draws: int = DRAWS) -> tuple[Line, ...]:
    """Of every story that has something between its words."""
    rng, found = random.Random(SEED + between), []
    for story in STORIES.values():
        for _ in range(draws if "~" in story.written else 0):
            signed = remembered.written(story, rng, between, unseen=True)
            parts = signed.replace("^", "").split("*")
            begins = np.cumsum([len(part) for part in parts[:-1]])
            words = [re.split(r"[ .,°]", part, maxsplit=1)[0] for part in parts[1:]]
            answers = zip(begins.tolist(), words, strict=True)
            found.append(Line("".join(parts), tuple(answers)))
    return tuple(found)


def guess() -> float:
    """The share that is right by chance: one of the words of an answer's place, over all answers."""
    shares = []
    for story in STORIES.values():
        if "~" in story.written:
            for table, column in re.findall(r"\*{(\w+)\[(\w+)\]}", story.written):
                shares.append(1 / len({row[column] for row in TABLES[table]}))
    return float(np.mean(shares))


@torch.inference_mode()
def right(model: NeuralLanguageModel[Any], asked: Sequence[Line]) -> tuple[float, float]:
    """(share of the answers that are right, tokens that a line has on average)."""
    found, sizes = [], []
    for first in range(0, len(asked), BATCH):
        some = asked[first : first + BATCH]
        read = [model.tokens(line.text) for line in some]
        ids_BT = torch.zeros(len(some), max(map(len, read)), dtype=torch.long)
        for b, tokens in enumerate(read):
            ids_BT[b, : len(tokens)] = torch.from_numpy(tokens.ids)
        top_BT = model.net(ids_BT).argmax(-1)
        for b, (line, tokens) in enumerate(zip(some, read, strict=True)):
            starts = [start for start, _ in tokens.spans]
            sizes.append(len(tokens))
            for at, word in line.answers:
                place = starts.index(at, 1)
                found.append(model.tokenizer.vocab[top_BT[b, place - 1]] == word)
    return float(np.mean(found)), float(np.mean(sizes))
