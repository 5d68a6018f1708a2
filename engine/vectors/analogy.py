"""Analogy: a is to b as c is to what?  The offset from a to b, laid at c.

What      target = b - a + c on unit vectors; the answers are the words with the largest cosine with
          it (3CosAdd)
Source    Mikolov, Yih & Zweig, Linguistic Regularities in Continuous Space Word Representations,
          2013, sec. 4;
          that b or c itself wins unless the question's words are left out: Linzen, Issues in
          Evaluating Semantic Spaces Using Word Analogies, 2016
Shapes    V = words, D = dimensions, K = answers, P = points drawn
Differs   Both rankings are given: with the three words of the question left out, as is usual, and
          with nothing left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from engine.language.message import refusal
from engine.vectors.base import Vectors, top

Ranking = tuple[tuple[str, float], ...]


@dataclass(frozen=True, eq=False)
class Answer:
    """
    target   (D,) b - a + c of the unit vectors
    usual    the nearest words with their cosine, the words of the question left out
    honest   the same with nothing left out
    asked    the three words as they stand in the table
    """

    target: np.ndarray
    usual: Ranking
    honest: Ranking
    asked: tuple[str, str, str]

    @property
    def differ(self) -> bool:
        """Whether leaving out the question's words changed the winner."""
        return bool(self.usual and self.honest) and self.usual[0][0] != self.honest[0][0]


def solve(space: Vectors, a: str, b: str, c: str, most: int = 6) -> Answer:
    """a : b = c : ?  LookupError with a sentence when a word has no vector."""
    rows = [space.row(word) for word in (a, b, c)]
    if missing := [word for word, row in zip((a, b, c), rows, strict=True) if row is None]:
        raise refusal(
            "no vector for {words}",
            LookupError,
            words=(f"“{word}”" for word in dict.fromkeys(missing)),
        )
    kept = [row for row in rows if row is not None]
    unit_3D = space.unit[kept]
    target_D = unit_3D[1] - unit_3D[0] + unit_3D[2]
    cosine_V = space.cosines(target_D)[0]
    honest = _ranking(space, cosine_V, most)
    cosine_V[kept] = -np.inf
    x, y, z = (space.words[row] for row in kept)
    return Answer(target_D, _ranking(space, cosine_V, most), honest, (x, y, z))


def _ranking(space: Vectors, cosine_V: np.ndarray, most: int) -> Ranking:
    return tuple(
        (space.words[i], float(cosine_V[i]))
        for i in top(cosine_V, most)
        if np.isfinite(cosine_V[i])
    )


def plane(space: Vectors, answer: Answer, words: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
    """The plane through a, b and c: places (P, 2) of a, b, c, the target and `words`, and how far
    (P,) each lies off it.

    a is the origin and c lies on the first axis.  The first four points lie in the plane, so their
    parallelogram is drawn in true lengths; the others are seen from straight above it.
    """
    known = [row for word in (*answer.asked, *words) if (row := space.row(word)) is not None]
    point_PD = np.insert(space.unit[known].astype(np.float64), 3, answer.target, axis=0)
    point_PD -= point_PD[0]
    basis_D2 = _basis(point_PD[2], point_PD[1])
    place_P2 = point_PD @ basis_D2
    off_P = np.linalg.norm(point_PD - place_P2 @ basis_D2.T, axis=1)
    return place_P2, off_P


def _basis(first_D: np.ndarray, second_D: np.ndarray) -> np.ndarray:
    """Two directions (D, 2) at right angles that hold both vectors; zeros where these are one
    direction or none."""
    found_D2 = np.zeros((len(first_D), 2))
    for k, vector_D in enumerate((first_D, second_D)):
        rest_D = vector_D - found_D2 @ (found_D2.T @ vector_D)
        length = float(np.linalg.norm(rest_D))
        found_D2[:, k] = rest_D / length if length > 1e-6 else 0
    return found_D2
