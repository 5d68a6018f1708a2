"""Where the numbers of word vectors come from: drawn at random, counted, or learned with a task.

What      random: each number from a normal distribution, as an embedding layer begins
          counted: PPMI of the counts in a window, its largest singular directions
          trained: an embedding layer learns with a net that foretells a word from the two before it;
                   it begins with the random ones
          measured: how often the nearest other word is of the word's own class, where classes are known
Source    Levy & Goldberg, Neural Word Embedding as Implicit Matrix Factorization, 2014 (counted);
          Bengio et al., A Neural Probabilistic Language Model, 2003 (trained)
Shapes    M = words of the text, V = different ones, D = width, T = steps of the training
Differs   The toy text is drawn from a grammar of five classes; a text of one's own has no classes.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

from engine.text.segmentation import WORDS
from engine.vectors import cooccurrence, ppmi

GRAMMAR = {
    "animal": "cat dog cow horse goat",
    "person": "girl boy king woman man",
    "food": "bread fish rice meat soup",
    "place": "garden house forest river town",
    "verb": "sees likes finds wants takes",
}
LINES = (
    "the {person} {verb} the {animal}",
    "the {person} eats {food} in the {place}",
    "the {animal} runs to the {place}",
    "a {animal} sleeps near the {place}",
    "the {person} cooks {food} for the {person}",
    "the {person} {verb} some {food}",
)
WINDOW, START, RATE, EVERY, STEPS = 2, 0.1, 0.02, 5, 100


def toy(count: int = 400, seed: int = 0) -> str:
    """So many lines of the grammar."""
    draw = np.random.default_rng(seed)
    words = {name: some.split() for name, some in GRAMMAR.items()}
    lines = []
    for _ in range(count):
        line = LINES[draw.integers(len(LINES))]
        filled = re.sub(r"{(\w+)}", lambda m: str(draw.choice(words[m[1]])), line)
        lines.append(filled)
    return "\n".join(lines)


@dataclass(frozen=True, eq=False)
class Text:
    """Its different words, commonest first, and word and line of each place."""

    words: tuple[str, ...]
    word_M: np.ndarray
    line_M: np.ndarray

    @classmethod
    def of(cls, text: str) -> Text:
        said = [
            (word, n)
            for n, line in enumerate(text.casefold().split("\n"))
            for word in WORDS.findall(line)
        ]
        times: dict[str, int] = {}
        for word, _ in said:
            times[word] = times.get(word, 0) + 1
        words = tuple(sorted(times, key=lambda word: -times[word]))
        row = {word: i for i, word in enumerate(words)}
        return cls(
            words,
            np.array([row[word] for word, _ in said], np.int64),
            np.array([n for _, n in said], np.int64),
        )


def random(text: Text, width: int, seed: int) -> np.ndarray:
    """(V, D) float32."""
    draw = torch.Generator().manual_seed(seed)
    return START * torch.randn(len(text.words), width, generator=draw).numpy()


def counted(text: Text, width: int) -> np.ndarray:
    """(V, D) float32; D is V where that is less."""
    count_VV = cooccurrence.count(text.word_M, text.line_M, len(text.words), WINDOW)
    u_VD, s_D, _ = ppmi.svd(ppmi.ppmi(count_VV), width)
    return ppmi.vectors(u_VD, s_D)


@dataclass(frozen=True, eq=False)
class Trained:
    """The vectors (T, V, D) at each of `steps`, and the loss before every step."""

    steps: tuple[int, ...]
    vector_TVD: np.ndarray
    loss_N: np.ndarray


def trained(text: Text, width: int, seed: int) -> Trained:
    """In about a second.  ValueError where no line has three words."""
    start, line_M = np.flatnonzero(text.line_M[2:] == text.line_M[:-2]), text.word_M
    if not len(start):
        raise ValueError("Type a line of at least three words")
    context_N2 = torch.from_numpy(np.stack((line_M[start], line_M[start + 1]), 1))
    next_N = torch.from_numpy(line_M[start + 2])
    embed = nn.Embedding.from_pretrained(torch.from_numpy(random(text, width, seed)), freeze=False)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        output = nn.Linear(2 * width, len(text.words))
    optimiser = torch.optim.Adam([*embed.parameters(), *output.parameters()], lr=RATE)
    found, losses = [], []
    for step in range(STEPS + 1):
        if step % EVERY == 0:
            found.append(embed.weight.detach().numpy().copy())
        loss = F.cross_entropy(output(embed(context_N2).flatten(1)), next_N)
        losses.append(float(loss.detach()))
        optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        optimiser.step()
    return Trained(tuple(range(0, STEPS + 1, EVERY)), np.stack(found), np.array(losses))


def cosines(vector_VD: np.ndarray) -> np.ndarray:
    """(V, V) float32; NaN for a row of zeros."""
    length_V1 = np.linalg.norm(vector_VD.astype(float), axis=1, keepdims=True)
    with np.errstate(invalid="ignore"):
        unit_VD = vector_VD / length_V1
    found: np.ndarray = np.clip(unit_VD @ unit_VD.T, -1, 1).astype(np.float32)
    return found


def nearest(vector_VD: np.ndarray, most: int) -> np.ndarray:
    """(V, most): of each word the others with the largest cosine, those without a vector last."""
    cosine_VV = np.nan_to_num(cosines(vector_VD), nan=-2.0)
    np.fill_diagonal(cosine_VV, -3.0)
    return np.argsort(-cosine_VV, axis=1, kind="stable")[:, :most]


def together(words: Sequence[str], vector_VD: np.ndarray) -> float | None:
    """The share of words with a class whose nearest other word with a class is of the same; None where
    fewer than two have one."""
    kind = {word: name for name, some in GRAMMAR.items() for word in some.split()}
    rows = [i for i, word in enumerate(words) if word in kind]
    if len(rows) < 2:
        return None
    of = [kind[words[i]] for i in rows]
    next_V = nearest(vector_VD[rows], 1)[:, 0]
    return float(np.mean([of[i] == of[j] for i, j in enumerate(next_V)]))
