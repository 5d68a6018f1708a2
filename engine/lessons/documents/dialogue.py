"""Dialogue: what a language model still sees of a conversation when its window moves on.

What      after each turn: P(word | the last n tokens of the turns so far, and the beginning of the next turn), beside
          P(word | all of them), and beside a window whose first tokens are a turn that fell out and is put there again
Source    Vaswani et al., 2017 (what is out of the window has no weight); Lewis et al., Retrieval-Augmented Generation,
          2020, for the turn that fits the question best
Shapes    N = turns
Differs   A turn that is put back takes its tokens from the window: what the model sees stays as long.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from engine.lessons.documents import centrality, ranking
from engine.lessons.prompting import examples as ex
from engine.models.base import Model

MOST = 40  # turns
KEEPS = {
    "none": "nothing",
    "fits": "the best fitting turn (BM25)",
    "central": "the most central turn",
}


@dataclass(frozen=True, slots=True)
class Seen:
    """`text`: what the model reads; `out`: how many characters of all turns fell out of the window; `back`: the turn
    that is put before it, -1 for none; p: the probability of the word behind it."""

    text: str
    out: int
    back: int
    p: float


def turns_of(text: str) -> list[str]:
    """ValueError where there is none, or too many."""
    found = [line.strip() for line in text.splitlines() if line.strip()]
    if len(found) < 2:
        raise ValueError("Type at least two turns, a line each.")
    if len(found) > MOST:
        raise ValueError("At most 40 turns fit.")
    return found


def cut(model: Model[Any], text: str, most: int) -> int:
    """The first character of the last `most` tokens."""
    spans = model.tokens(text).spans
    own = [span for span in spans if span[1] > span[0]]
    return own[-most][0] if 0 < most < len(own) else 0


def put_back(turns: Sequence[str], gone: int, way: str) -> int:
    """Which of the first `gone` turns goes before the window; -1: none."""
    if way == "none" or not gone:
        return -1
    if way == "fits":
        score_N = ranking.bm25(turns[-1], turns[:gone])
    else:
        score_N = centrality.degree(centrality.similarity(ranking.vectors("tfidf", turns[:gone])))
    return int(np.argmax(score_N)) if score_N.max(initial=0.0) > 0 else -1


def see(model: Model[Any], turns: Sequence[str], word: str, most: int, way: str) -> Seen:
    """Of turns of which the last is open: the word would go on with it."""
    whole = "\n".join(turns)
    out = cut(model, whole, most)
    ends = np.cumsum([len(turn) + 1 for turn in turns])
    # a turn of which a part is gone has fallen out
    starts = ends - [len(turn) + 1 for turn in turns]
    gone = int((starts < out).sum())
    back = put_back(turns, min(gone, len(turns) - 1), way) if out else -1
    text = whole[out:]
    if back >= 0:
        told = f"{turns[back]}\n"
        out = cut(model, whole, max(1, most - len(model.tokens(told))))
        text = told + whole[out:]
    return Seen(text, out, back, ex.ask(model, text, (word,)).p_A[0])


def along(
    model: Model[Any], turns: Sequence[str], word: str, most: int, way: str
) -> Callable[[int], Seen]:
    """What is seen after each number of turns, with the last turn behind them."""
    return lambda count: see(model, [*turns[:count], turns[-1]], word, most, way)
