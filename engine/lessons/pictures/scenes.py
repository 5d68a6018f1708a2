"""Scenes: small pictures in colour, made with a caption each by one grammar.

What      a thing at a place; two to four things alike; one thing beside another.  UNSEEN combinations of a colour and
          a shape come in no picture and no caption to learn from, though each colour and each shape does
Source    Johnson et al., CLEVR: A Diagnostic Dataset for Compositional Language and Elementary Visual Reasoning, 2017
          (made scenes with held-out combinations)
Shapes    S = 24 cells a side
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

S = 24
COLOURS = {
    "red": (0.9, 0.15, 0.15),
    "green": (0.1, 0.7, 0.25),
    "blue": (0.15, 0.35, 0.95),
    "yellow": (0.95, 0.8, 0.1),
}
SHAPES = ("circle", "square", "triangle", "cross")
PLACES = {
    "top left": (5, 5),
    "top right": (5, 18),
    "bottom left": (18, 5),
    "bottom right": (18, 18),
}
PLACES["middle"] = 12, 12
COUNTS = {"two": 2, "three": 3, "four": 4}
RELATIONS = {"left of": (0, 1), "right of": (0, -1), "above": (1, 0), "below": (-1, 0)}
UNSEEN = ("red triangle", "blue cross")
PAPER = 0.96
THINGS = tuple(f"{colour} {shape}" for colour in COLOURS for shape in SHAPES)
SEEN = tuple(thing for thing in THINGS if thing not in UNSEEN)


@dataclass(frozen=True)
class Scene:
    """`kind`: place, count or relation; `how` which one; `other`: the second thing of a relation."""

    kind: str
    thing: str
    how: str
    other: str = ""

    @property
    def caption(self) -> str:
        if self.kind == "place":
            where = "in" if self.how == "middle" else "at"
            return " ".join(("a", self.thing, where, "the", self.how))
        if self.kind == "count":
            return f"{self.how} {self.thing}{'es' if self.thing.endswith('s') else 's'}"
        return " ".join(("a", self.thing, self.how, "a", self.other))


def every(things: tuple[str, ...] = SEEN) -> tuple[Scene, ...]:
    """All scenes of these things."""
    found = [Scene("place", a, how) for a in things for how in PLACES]
    found += [Scene("count", a, how) for a in things for how in COUNTS]
    found += [
        Scene("relation", a, r, b) for a in things for b in things if a != b for r in RELATIONS
    ]
    return tuple(found)


def mask(shape: str, radius: float) -> np.ndarray:
    """Which cells of a square around (0, 0) a shape covers."""
    reach = int(radius) + 1
    row, column = np.mgrid[-reach : reach + 1, -reach : reach + 1]
    if shape == "circle":
        found = row**2 + column**2 <= radius**2
    elif shape == "square":
        found = np.maximum(abs(row), abs(column)) <= 0.85 * radius
    elif shape == "triangle":
        found = (row <= 0.8 * radius) & (2 * abs(column) <= row + radius)
    else:
        found = (np.minimum(abs(row), abs(column)) <= 0.35 * radius) & (
            np.maximum(abs(row), abs(column)) <= radius
        )
    return np.asarray(found)


def put(picture: np.ndarray, thing: str, row: int, column: int, radius: float) -> None:
    colour, shape = thing.split()
    covers = mask(shape, radius)
    reach = len(covers) // 2
    row, column = (int(np.clip(n, reach, S - 1 - reach)) for n in (row, column))
    into = picture[row - reach : row + reach + 1, column - reach : column + reach + 1]
    into[covers] = COLOURS[colour]


def draw(scene: Scene, rng: np.random.Generator) -> np.ndarray:
    """A picture (S, S, 3) from 0 to 1: places, sizes and a little noise by chance."""
    picture = np.full((S, S, 3), PAPER)
    if scene.kind == "place":
        at = [(scene.thing, *PLACES[scene.how])]
    elif scene.kind == "count":
        cells = rng.permutation(9)[: COUNTS[scene.how]]
        at = [(scene.thing, 4 + 8 * int(n // 3), 4 + 8 * int(n % 3)) for n in cells]
    else:
        down, right = RELATIONS[scene.how]
        far = int(rng.integers(4, 7))
        row, column = 12 + rng.integers(-3, 4, 2) * (down == 0, right == 0)
        at = [
            (scene.thing, row - far * down, column - far * right),
            (scene.other, row + far * down, column + far * right),
        ]
    for thing, row, column in at:
        jitter = rng.integers(-1, 2, 2)
        most = 3.2 if scene.kind == "count" else 4.2
        put(
            picture,
            thing,
            row + jitter[0],
            column + jitter[1],
            float(rng.uniform(most - 0.9, most)),
        )
    return np.clip(picture + rng.normal(0, 0.03, picture.shape), 0, 1)
