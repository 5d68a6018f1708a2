"""The map that is chosen in the head of the page: its kind, how many words, how they are drawn from all,
and what the map kept of each.

What      by frequency: bands of counts 1-9, 10-99, 100-999 ..., each gives the same number of words
          while it has some, the rest goes to the bands that have more
Source    Cochran, Sampling Techniques, 1977, chapters 2 and 5
Shapes    V = words of the model, S = words of the map, D = their dimensions, K = 2 of the map,
          N = neighbours
Differs   Never the first ones of the list: a list in order of frequency would show the commonest
          words only and hide it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any

import numpy as np

from engine import frame as fr
from engine.analysis.projection import apart, quality
from engine.analysis.projection.axes import total
from engine.analysis.projection.base import Projection
from engine.analysis.projection.between import between
from engine.core.cache import Cache
from engine.core.registry import projections
from engine.language.message import _
from engine.runs.store import Run
from engine.vectors import align
from engine.vectors.base import Vectors

NEAR, SEED = 10, 0
SIZES = (500, 1_000, 2_000, 5_000, 10_000)
ENDS = ("map_left", "map_right", "map_low", "map_high")
_made: Cache[Any, Made] = Cache("maps", lambda made: made.size_bytes, most=32_000_000)


@dataclass(frozen=True, eq=False)
class Made:
    """rows (S,) of the space; turn (D, D): how the vectors of a step were turned onto those of the
    finished run."""

    kind: type[Projection]
    rows: np.ndarray
    drawn: str
    given: Mapping[str, np.ndarray]
    fitted: Projection
    ends: tuple[tuple[str, str], ...] = ()
    turn: np.ndarray | None = None
    onto_KK: np.ndarray = field(default_factory=lambda: np.eye(0))

    @property
    def places(self) -> np.ndarray:
        """From the side of the finished run."""
        place_SK = self.fitted.map.positions
        return (place_SK @ self.onto_KK).astype(np.float32) if len(self.onto_KK) else place_SK

    @cached_property
    def quality(self) -> quality.Quality | None:
        k = min(NEAR, (len(self.rows) - 1) // 2)
        return quality.measure(self.given["points"], self.places, k) if k else None

    @property
    def size_bytes(self) -> int:
        return self.given["points"].nbytes

    def place(self, point_QD: np.ndarray) -> np.ndarray:
        """(Q, K) of any vectors."""
        if self.turn is not None:
            point_QD = point_QD @ self.turn
        if self.kind.exact:
            return self.fitted.transform(point_QD)
        return between(point_QD, self.given["points"], self.places)


@fr.head("Drawing the map")
def made(
    run: Run,
    open_run: Callable[[Run], Any],
    *,
    map_kind: str = fr.pick(
        "Map", lambda given: {id: projections.get(id).title for id in projections.listed()}
    ),
    map_size: int = fr.pick("Words", {n: f"{n:,}" for n in SIZES}),
    map_left: str = fr.typed("Left end", "man", 80, width=170),
    map_right: str = fr.typed("Right end", "woman", 80, width=170),
    map_low: str = fr.typed("Lower end", "small", 80, width=170),
    map_high: str = fr.typed("Upper end", "large", 80, width=170),
) -> fr.Choosing[Made]:
    own = map_kind == "axes"
    yield fr.Behind("Map settings", [fr.Controls(["map_kind", "map_size"], down=True), KINDS])
    ends: tuple[tuple[str, str], ...] = ()
    if own:
        yield fr.Controls(ENDS)
        yield fr.Note("Each end is a word, or a sum of words such as “king - man + woman”.")
        ends = (map_left, map_right), (map_low, map_high)
    key = run.key, map_kind, map_size, ends
    if (found := _made.get(key)) is None:
        end = None if run.step is None else open_run(run.at(None)).space
        space = open_run(run).space
        found = draw(map_kind, map_size, space, ends, end)
        _made.put(key, found)
    return found


KINDS = (
    "- **Principal components** show the words from the direction in which they differ most."
    " Straight lines stay straight, and the same words always give the same map, but most of a"
    " hundred dimensions is lost.\n"
    "- **t-SNE** keeps near words near. Distances between groups, the size of a group and the empty"
    " space between groups mean little.\n"
    "- **UMAP** keeps near words near, too, and more of how groups lie to each other. It takes a few"
    " seconds longer.\n"
    "- **Axes of your own** ask one question each: is a word nearer to one end or to the other?"
)


def draw(
    id: str,
    size: int,
    space: Vectors,
    ends: tuple[tuple[str, str], ...] = (),
    end: Vectors | None = None,
) -> Made:
    """`end`: the finished run's words, where `space` is what they were at a step: the map is then
    seen from the same side as its map.  ValueError where an end of an axis is no word of the model."""
    kind, (rows, said) = projections.get(id), sample(len(space), size, space.counts)
    point_SD = np.array(space.unit[rows])
    if ends:

        def vector(word: str) -> np.ndarray | None:
            return None if (row := space.row(word)) is None else space.unit[row]

        axes = np.array([[total(one, vector) for one in axis] for axis in ends], np.float32)
        given = {"points": point_SD, "ends": axes}
        return Made(kind, rows, said, given, kind.drawn(given), ends=ends)
    given, turn, onto_KK = {"points": point_SD}, None, np.eye(0)
    if end is not None:
        turn = align.find_rotation(space.unit, end.unit)
        onto_SD = np.array(end.unit[rows])
        given = {"points": (point_SD @ turn).astype(np.float32), "onto": onto_SD}
    far = len(point_SD) >= kind.apart_from
    drawn = partial(apart.draw, id) if far else kind.drawn
    fitted = drawn(given)
    if end is not None and not kind.exact:
        onto_KK = turned(fitted.map.positions, drawn({"points": given["onto"]}).map.positions)
    return Made(kind, rows, said, given, fitted, turn=turn, onto_KK=onto_KK)


def turned(place_SK: np.ndarray, target_SK: np.ndarray) -> np.ndarray:
    """(K, K) that turns or mirrors a map so that its words lie nearest to those of another one."""
    here, there = (np.asarray(one, np.float64) for one in (place_SK, target_SK))
    return align.procrustes(here - here.mean(0), there - there.mean(0))


def sample(v: int, size: int, counts_V: np.ndarray | None) -> tuple[np.ndarray, str]:
    """Which of V words, and how they were drawn: by frequency where there are counts."""
    if size >= v:
        return np.arange(v), _("All {v:,} words.", v=v)
    rng = np.random.default_rng(SEED)
    if counts_V is None:
        rows = np.sort(rng.choice(v, size, replace=False))
        return rows, _(
            "{size:,} of {v:,} words, drawn at random with seed {seed}.", size=size, v=v, seed=SEED
        )
    band_V = np.floor(np.log10(np.maximum(np.asarray(counts_V, np.float64), 1))).astype(int)
    bands = [np.flatnonzero(band_V == b) for b in np.unique(band_V)]
    taken = shares([len(rows) for rows in bands], size)
    drawn = zip(bands, taken, strict=True)
    rows = np.sort(np.concatenate([rng.choice(rows, n, replace=False) for rows, n in drawn]))
    each = _(", ").join(
        _("{n:,} with {b:,} to {b_2:,}", n=n, b=10**b, b_2=10 ** (b + 1) - 1)
        for b, n in zip(np.unique(band_V), taken, strict=True)
    )
    said = _(
        "{size:,} of {v:,} words, drawn by frequency with seed {seed}: {each} occurrences.",
        size=size,
        v=v,
        seed=SEED,
        each=each,
    )
    return rows, said


def shares(sizes: list[int], total: int) -> list[int]:
    """How many of each group make `total` together, as alike as the groups allow; the smallest
    groups give all first."""
    left, found = total, [0] * len(sizes)
    for done, group in enumerate(sorted(range(len(sizes)), key=lambda g: sizes[g])):
        found[group] = min(sizes[group], left // (len(sizes) - done))
        left -= found[group]
    return found


HEAD = made
