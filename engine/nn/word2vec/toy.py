"""word2vec on a text of a few words, one centre after the other, so that every number can be read.

What      update n takes word (first + n) mod T of the text as centre with all words of its window,
          asks, and moves the rows by - rate * gradient
Source    Mikolov, Chen, Corrado & Dean, Efficient Estimation of Word Representations in Vector
          Space, 2013
Shapes    T = words of the text, V = different words in the order of their first place, D = width
Differs   The window has its full reach at every centre, no word is thinned out, the rate stays.
          Both tables begin with random numbers (the original program begins the output table with
          zeros, and then the input rows do not move in the first update).
          A noise word that is the target itself is drawn again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from engine.nn.word2vec.chances import noise_probability
from engine.nn.word2vec.huffman import Tree, tree
from engine.nn.word2vec.single import Ask, update

MOST = 3_000  # updates

WORKED = {  # the worked example: a word's row in the input and in the output table
    "cat": ((0.5, 0.4), (0.2, 0.1)),
    "dog": ((-0.2, 0.6), (-0.3, 0.5)),
    "sat": ((0.1, -0.5), (0.4, -0.1)),
    "mat": ((0.3, 0.2), (0.1, 0.3)),
}

Tables = tuple[np.ndarray, np.ndarray]


@dataclass(frozen=True)
class Setting:
    """`window` words on each side; `negatives` noise words for each target; `first` word of the
    text that is a centre;
    `worked`: begin with the tables of WORKED, for texts of its words.
    """

    cbow: bool = False
    output: str = "softmax"
    window: int = 2
    negatives: int = 2
    width: int = 2
    rate: float = 0.1
    seed: int = 0
    first: int = 0
    worked: bool = False

    def centre(self, n: int, around: int) -> int:
        """The position of the centre of update n in a text of `around` words."""
        return (self.first + n) % around


@dataclass(frozen=True)
class Text:
    """Lines of words; windows do not cross the end of a line."""

    lines: tuple[tuple[str, ...], ...]

    @cached_property
    def words(self) -> tuple[str, ...]:
        """V different words, first come first."""
        return tuple(dict.fromkeys(word for line in self.lines for word in line))

    @cached_property
    def at(self) -> tuple[tuple[int, int], ...]:
        """Line and place of each of the T words."""
        return tuple((i, j) for i, line in enumerate(self.lines) for j in range(len(line)))

    @cached_property
    def ids(self) -> tuple[int, ...]:
        number = {word: i for i, word in enumerate(self.words)}
        return tuple(number[self.lines[i][j]] for i, j in self.at)

    @cached_property
    def counts(self) -> np.ndarray:
        return np.bincount(self.ids, minlength=len(self.words))

    @cached_property
    def tree(self) -> Tree | None:
        return tree(self.counts) if len(self.words) > 1 else None

    @cached_property
    def edges_VV(self) -> np.ndarray:
        """For each target the cumulative chances of the noise words, itself left out."""
        raw_VV = noise_probability(self.counts)[None] * (1 - np.eye(len(self.words)))
        sum_VV = np.cumsum(raw_VV, axis=1)
        return np.asarray(sum_VV / sum_VV[:, -1:])

    def near(self, t: int, window: int) -> list[int]:
        """Positions in the text of the words around word t."""
        line = self.at[t][0]
        return [
            s
            for s in range(max(0, t - window), min(len(self.at), t + window + 1))
            if s != t and self.at[s][0] == line
        ]

    def pairs(self, window: int) -> list[tuple[int, int]]:
        """(centre, context) as positions, from left to right."""
        return [(t, s) for t in range(len(self.at)) for s in self.near(t, window)]


def chances(out_VD: np.ndarray, h_D: np.ndarray, setting: Setting, text: Text) -> np.ndarray:
    """What the output layer gives to each word (V,): p with a softmax or a tree, with negative
    sampling the sigmoid of each alone."""
    score_V = out_VD @ h_D
    if setting.output == "softmax":
        raw_V = np.exp(score_V - score_V.max())
        return np.asarray(raw_V / raw_V.sum())
    left_V = 1 / (1 + np.exp(-score_V))
    if setting.output == "negative" or text.tree is None:
        return np.asarray(left_V)
    paths = zip(text.tree.node_VL, text.tree.turn_VL, text.tree.length_V, strict=True)
    return np.array(
        [
            np.prod(np.where(turn[:n] == 1, 1 - left_V[node[:n]], left_V[node[:n]]))
            for node, turn, n in paths
        ]
    )


def start(text: Text, setting: Setting) -> Tables:
    """KeyError for a `worked` start of other words."""
    if setting.worked:
        in_VD, out_VD = (np.array([WORKED[word][side] for word in text.words]) for side in (0, 1))
        return in_VD, out_VD
    rng = np.random.default_rng(setting.seed)
    shape = (len(text.words), setting.width)
    return rng.uniform(-0.5, 0.5, shape), rng.uniform(-0.5, 0.5, shape)


def ask(text: Text, setting: Setting, t: int, n: int) -> Ask | None:
    """What update n asks at centre t; None where the word stands alone.  Noise depends on (seed, n)
    only."""
    near = [text.ids[s] for s in text.near(t, setting.window)]
    if not near or len(text.words) < 2:
        return None
    inputs, targets = (
        (tuple(near), (text.ids[t],)) if setting.cbow else ((text.ids[t],), tuple(near))
    )
    noise = _noise(text, setting, targets, n) if setting.output == "negative" else ()
    return Ask(inputs, targets, setting.output, noise, text.tree)


def _noise(
    text: Text, setting: Setting, targets: Sequence[int], n: int
) -> tuple[tuple[int, ...], ...]:
    rng = np.random.default_rng((setting.seed, n))
    return tuple(
        tuple(text.edges_VV[target].searchsorted(rng.random(setting.negatives), "right").tolist())
        for target in targets
    )


def updates(
    text: Text, setting: Setting, tables: Tables, count: int, first: int = 0
) -> tuple[Tables, list[float]]:
    """Both tables after updates `first` .. `first` + count - 1, and the mean loss of a target
    before each; nothing given is changed."""
    in_VD, out_VD = (table_VD.copy() for table_VD in tables)
    losses: list[float] = []
    for n in range(first, first + count):
        asked = ask(text, setting, setting.centre(n, len(text.at)), n)
        if asked is None:
            losses.append(float("nan"))
            continue
        done = update(in_VD, out_VD, asked)
        in_VD -= setting.rate * done.in_VD
        out_VD -= setting.rate * done.out_VD
        losses.append(done.loss / len(asked.targets))
    return (in_VD, out_VD), losses
