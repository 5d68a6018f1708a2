"""Images: handwritten digits of 8 x 8 cells, those to learn from and those held out.

What      a cell counts the inked dots of 4 x 4 in a scan of 32 x 32, so it holds 0 to 16
Source    Alpaydin & Kaynak, Optical Recognition of Handwritten Digits, UCI Machine Learning
          Repository, 1998: the 1,797 images that scikit-learn brings along
Shapes    N = images
Differs   UCI names these 1,797 its test part, by writers of their own; here a quarter of each digit
          is held out of them, so that writers are in both parts.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import numpy as np

SIDE, FULL = 8, 16  # cells of a row; the most that a cell holds
SIGNS = "0123456789abcdefg"  # of a cell, where an image is written as text
SPLIT = 0  # seed


@dataclass(frozen=True)
class Images:
    """`cells` (N, 8, 8) whole numbers from 0 to 16, `digit` (N,) from 0 to 9."""

    cells: np.ndarray
    digit: np.ndarray

    def __len__(self) -> int:
        return len(self.digit)

    @property
    def ink(self) -> np.ndarray:
        """What a network reads (N, 8, 8): shares from 0 to 1."""
        return self.cells / FULL


def split(seed: int = SPLIT) -> tuple[Images, Images]:
    """(to learn from, held out): a quarter of each digit is held out, drawn by the seed."""
    found = find_spec("sklearn")  # not imported: it takes 45 MB
    assert found and found.origin
    listed = Path(found.origin).parent / "datasets" / "data" / "digits.csv.gz"
    rows = np.loadtxt(listed, delimiter=",").astype(np.int64)
    cells, digit = rows[:, :-1].reshape(-1, SIDE, SIDE), rows[:, -1]
    rng = np.random.default_rng(seed)
    held = np.zeros(len(digit), bool)
    for one in range(10):
        which = rng.permutation(np.flatnonzero(digit == one))
        held[which[: len(which) // 4]] = True
    return Images(cells[~held], digit[~held]), Images(cells[held], digit[held])


def written(cells: np.ndarray) -> str:
    """An image (8, 8) as 64 signs, row after row."""
    return "".join(SIGNS[int(value)] for value in np.ravel(cells))


def read(signs: str) -> np.ndarray | None:
    """The image (8, 8) that was written so; None where it is none."""
    if len(signs) != SIDE * SIDE or set(signs) - set(SIGNS):
        return None
    return np.array([SIGNS.index(sign) for sign in signs]).reshape(SIDE, SIDE)


def moved(cells: np.ndarray, down: int, right: int) -> np.ndarray:
    """Images (..., 8, 8) moved by whole cells; what leaves the square is lost, and zeros come in."""
    found = np.zeros_like(cells)
    rows, columns = (slice(max(0, n), SIDE + min(0, n)) for n in (down, right))
    from_rows, from_columns = (slice(max(0, -n), SIDE + min(0, -n)) for n in (down, right))
    found[..., rows, columns] = cells[..., from_rows, from_columns]
    return found
