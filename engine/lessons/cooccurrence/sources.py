"""Where the numbers of word vectors come from: drawn at random, counted, or learned with a task, on a toy
text of five classes of words.

What      random: each number from a normal distribution, as an embedding layer begins
          counted: PPMI of the counts in a window, its largest singular directions
          trained: an embedding layer learns with a net that foretells a word from the two before it;
                   it begins with the random ones
          measured: how often the nearest other word is of the word's own class
Source    Levy & Goldberg, Neural Word Embedding as Implicit Matrix Factorization, 2014 (counted);
          Bengio et al., A Neural Probabilistic Language Model, 2003 (trained)
Shapes    M = words of the text, V = different ones, D = width, T = steps of the training
"""

from __future__ import annotations

import re
from collections import Counter

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

from engine.frame.part import once
from engine.lessons.cooccurrence.counts import cosines
from engine.vectors import cooccurrence, ppmi

GRAMMAR = {
    "animal": "cat dog cow horse goat",
    "person": "girl boy king woman man",
    "food": "bread fish rice meat soup",
    "place": "garden house forest river town",
    "verb": "sees likes finds wants takes",
}
CLASS = {word: name for name, some in GRAMMAR.items() for word in some.split()}
LINES = (
    "the {person} {verb} the {animal}",
    "the {person} eats {food} in the {place}",
    "the {animal} runs to the {place}",
    "a {animal} sleeps near the {place}",
    "the {person} cooks {food} for the {person}",
    "the {person} {verb} some {food}",
)
COUNT, SEED, WINDOW, START, RATE, EVERY, STEPS = 400, 1, 2, 0.1, 0.02, 5, 100


@once
def toy() -> tuple[tuple[str, ...], np.ndarray, np.ndarray]:
    """Lines of the grammar: the different words, commonest first, and word and line of each place."""
    draw = np.random.default_rng(0)
    words = {name: some.split() for name, some in GRAMMAR.items()}
    said = []
    for n in range(COUNT):
        line = LINES[draw.integers(len(LINES))]
        filled = re.sub(r"{(\w+)}", lambda m: str(draw.choice(words[m[1]])), line)
        said += [(word, n) for word in filled.split()]
    commonest = [word for word, _ in Counter(word for word, _ in said).most_common()]
    row = {word: i for i, word in enumerate(commonest)}
    word_M, line_M = np.array([(row[word], n) for word, n in said], np.int64).T
    return tuple(commonest), word_M, line_M


def random(width: int) -> np.ndarray:
    """(V, D) float32."""
    draw = torch.Generator().manual_seed(SEED)
    return START * torch.randn(len(toy()[0]), width, generator=draw).numpy()


def count_vectors(width: int) -> np.ndarray:
    """(V, D) float32; D is V where that is less."""
    words, word_M, line_M = toy()
    count_VV = cooccurrence.count(word_M, line_M, len(words), WINDOW)
    u_VD, s_D, _ = ppmi.svd(ppmi.ppmi(count_VV), width)
    return ppmi.vectors(u_VD, s_D)


@once
def trained(width: int) -> tuple[np.ndarray, np.ndarray]:
    """The vectors (T, V, D) every few steps, and the loss before every step; in about a second."""
    words, word_M, line_M = toy()
    start = np.flatnonzero(line_M[2:] == line_M[:-2])
    context_N2 = torch.from_numpy(np.stack((word_M[start], word_M[start + 1]), 1))
    next_N = torch.from_numpy(word_M[start + 2])
    embed = nn.Embedding.from_pretrained(torch.from_numpy(random(width)), freeze=False)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(SEED)
        output = nn.Linear(2 * width, len(words))
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
    return np.stack(found), np.array(losses)


def nearest(vector_VD: np.ndarray, most: int) -> np.ndarray:
    """(V, most): of each word the others with the largest cosine, those without a vector last."""
    cosine_VV = np.nan_to_num(cosines(vector_VD), nan=-2.0)
    np.fill_diagonal(cosine_VV, -3.0)
    return np.argsort(-cosine_VV, axis=1, kind="stable")[:, :most]


def measure_classes(words: tuple[str, ...], vector_VD: np.ndarray) -> float:
    """The share of words with a class whose nearest other word with a class is of the same."""
    rows = [i for i, word in enumerate(words) if word in CLASS]
    of = [CLASS[words[i]] for i in rows]
    next_V = nearest(vector_VD[rows], 1)[:, 0]
    return float(np.mean([of[i] == of[j] for i, j in enumerate(next_V)]))
