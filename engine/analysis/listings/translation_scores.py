"""A decoder that reads its own scores in place of the word it wrote."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import torch
from torch import Tensor

from engine.analysis.listings.base import Listing, Program
from engine.analysis.listings.seeded import noise

BEGIN, END, VOCABULARY, MOST = 0, 4, 5, 12  # 1, 2 and 3 are the words, in this order
Step = Callable[[Tensor], Tensor]
Embed = Callable[[int], Tensor]


def faulty(step: Step, embed: Embed, begin: int, end: int, most: int) -> Sequence[int]:
    read, written = embed(begin), []
    for _ in range(most):
        score = step(read)
        written.append(int(score.argmax()))
        read = score
    return written


def repaired(step: Step, embed: Embed, begin: int, end: int, most: int) -> Sequence[int]:
    read, written = embed(begin), []
    for _ in range(most):
        score = step(read)
        written.append(int(score.argmax()))
        if written[-1] == end:
            break
        read = embed(written[-1])
    return written


def table() -> Tensor:
    """Row: the scores after a token; the next one has the highest by far."""
    return noise(VOCABULARY, VOCABULARY) / 2 + 3 * torch.eye(VOCABULARY).roll(1, 1)


def measured(program: Program) -> Mapping[str, float]:
    after, one_hot = table(), torch.eye(VOCABULARY)
    largest = 0.0

    def step(read: Tensor) -> Tensor:
        nonlocal largest
        largest = max(largest, read.abs().max().item())
        return read @ after

    written = program(step, one_hot.__getitem__, BEGIN, END, MOST)
    return {
        "tokens written, where the sentence has 3 and a stop mark": len(written),
        "largest number that the decoder reads": largest,
    }


LISTING = Listing(
    "Scores read in place of a word",
    "The scores of all words go back into the decoder, where the word that was chosen should. It"
    " then reads a vector that belongs to no word, so it can't be handed the right word in training"
    " either; it has no start mark and no stop mark, and writes as many words as the loop has turns."
    " A layer of weights between the two mends none of this.",
    faulty,
    repaired,
    measured,
)
