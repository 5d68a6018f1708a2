"""Augment: more lines from few, each with the label of the one that it is made of, or a mixture of two.

What      synonyms  some words become the word whose vector is nearest
          delete    some words go; swap  two words change places, again and again
          back      the line is translated and back, each token drawn (engine/analysis/back_translation.py)
          mixup     x = lambda x_i + (1 - lambda) x_j of two vectors, and so of their labels
Source    Wei & Zou, EDA: Easy Data Augmentation Techniques for Boosting Performance on Text Classification Tasks,
          2019, sec. 2; Zhang et al., mixup: Beyond Empirical Risk Minimization, 2018, sec. 2
Shapes    N = lines, D = width, M = lines that are made
Differs   A nearest vector is no synonym for certain: opposites are near each other, too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from engine.lessons.tasks.own import FOLDS
from engine.vectors.base import Vectors

WAYS = ("synonyms", "delete", "swap")  # of changing words
BACK, MIXUP = "back", "mixup"
DRAWS = 5  # of lines, and of the folds that judge them
COMMON, LEAST = 150, 0.45  # so many of the commonest words stay; the least cosine of a nearest word
ALPHA = 0.4  # of the beta distribution that lambda is drawn from


def synonyms(
    words: Sequence[str], space: Vectors, share: float, rng: np.random.Generator
) -> list[str]:
    found = list(words)
    for n, word in enumerate(words):
        row = space.row(word.strip(".,!?;:").lower())
        if rng.random() < share and row is not None and row >= COMMON:
            ((other, cosine), *_rest) = space.nearest(space.values[row], 1, {space.words[row]})
            if cosine >= LEAST:
                found[n] = other
    return found


def delete(words: Sequence[str], share: float, rng: np.random.Generator) -> list[str]:
    found = [word for word in words if rng.random() >= share]
    return found or [words[int(rng.integers(len(words)))]]


def swap(words: Sequence[str], share: float, rng: np.random.Generator) -> list[str]:
    found = list(words)
    for _ in range(max(1, round(share * len(words))) if len(words) > 1 else 0):
        a, b = rng.choice(len(words), 2, replace=False).tolist()
        found[a], found[b] = found[b], found[a]
    return found


def change(way: str, text: str, space: Vectors, share: float, rng: np.random.Generator) -> str:
    words = text.split()
    if way == "synonyms":
        return " ".join(synonyms(words, space, share, rng))
    return " ".join((delete if way == "delete" else swap)(words, share, rng))


def mix(one: np.ndarray, other: np.ndarray, share: float | np.ndarray) -> np.ndarray:
    """lambda x_i + (1 - lambda) x_j."""
    found: np.ndarray = share * np.asarray(one) + (1 - share) * np.asarray(other)
    return found


@dataclass(frozen=True)
class More:
    """Lines that were made: their vectors, and of each the lines that it is made of, with their shares."""

    x_MD: np.ndarray
    of_M2: np.ndarray
    share_M2: np.ndarray


def mixed(x_ND: np.ndarray, copies: int, rng: np.random.Generator) -> More:
    """Of each line, with others drawn by chance."""
    count = len(x_ND)
    first_M = np.tile(np.arange(count), copies)
    second_M = rng.integers(count, size=len(first_M))
    share_M = rng.beta(ALPHA, ALPHA, len(first_M))
    x_MD = mix(x_ND[first_M], x_ND[second_M], share_M[:, None])
    return More(x_MD, np.stack([first_M, second_M], 1), np.stack([share_M, 1 - share_M], 1))


def changed(x_MD: np.ndarray, of_M: Sequence[int]) -> More:
    """Of one line each."""
    of_M2 = np.repeat(np.array(of_M)[:, None], 2, 1)
    return More(x_MD, of_M2, np.tile([1.0, 0.0], (len(x_MD), 1)))


def judge(x_ND: np.ndarray, labels: Sequence[str], more: More | None, seed: int = 0) -> float:
    """The share of lines that is right, each by a head that has seen neither it nor a line that was made of it;
    `seed` deals the lines into folds."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.preprocessing import StandardScaler

    y_N, right = np.array(labels), 0
    for learn, test in _folds(y_N, seed):
        x, y, weight = x_ND[learn], y_N[learn], np.ones(len(learn))
        if more is not None:
            kept = np.isin(more.of_M2, learn).all(1)
            x = np.concatenate([x, *[more.x_MD[kept]] * 2])
            y = np.concatenate([y, *(y_N[more.of_M2[kept, side]] for side in (0, 1))])
            weight = np.concatenate([weight, *more.share_M2[kept].T])
        scale = StandardScaler().fit(x_ND[learn])
        head = LogisticRegression(C=0.1, max_iter=500)
        head.fit(scale.transform(x[weight > 0]), y[weight > 0], weight[weight > 0])
        right += int((head.predict(scale.transform(x_ND[test])) == y_N[test]).sum())
    return right / len(y_N)


def _folds(y_N: np.ndarray, seed: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    from sklearn.model_selection import StratifiedKFold

    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=seed)
    yield from folds.split(np.zeros(len(y_N)), y_N)
