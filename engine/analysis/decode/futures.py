"""Futures: several ways in which a text may go on, drawn side by side, and the tree that they make.

What      N texts of n tokens from the same place; those that begin alike share a branch
Source    Shannon, A Mathematical Theory of Communication, 1948, sec. 3; the tree: Fredkin, Trie
          Memory, 1960
Shapes    V = vocabulary
Differs   Future i has random numbers of its own: it stays the same however many others are drawn.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

import numpy as np

from engine.analysis.decode.choice import Choice, draw
from engine.analysis.decode.place import Place, then
from engine.analysis.decode.rules import Rules, choose
from engine.analysis.decode.temperature import softmax


@dataclass(frozen=True, slots=True)
class Future:
    """ids drawn; chance of each, with which it was drawn; p of each, what the model gave it before
    the rules."""

    ids: tuple[int, ...]
    chance: tuple[float, ...]
    p: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Node:
    """A token of the tree behind node `parent` (-1: behind the text); `count` futures pass through
    it."""

    parent: int
    id: int
    chance: float
    p: float
    count: int


def futures(
    place: Place, rules: Rules, count: int, steps: int, seed: int = 0, ends: Collection[int] = ()
) -> Iterator[Future]:
    """One future after the other; each stops at an id of `ends`.  Where two begin alike, the model
    is asked once."""
    known: dict[tuple[int, ...], tuple[Place, Choice, np.ndarray]] = {}

    def at(ids: tuple[int, ...]) -> tuple[Place, Choice, np.ndarray]:
        if ids not in known:
            here = then(at(ids[:-1])[0], ids[-1]) if ids else place
            known[ids] = here, choose(here.logit_V, rules, here.seen), softmax(here.logit_V)
        return known[ids]

    for number in range(count):
        rng = np.random.default_rng((seed, number))
        ids: tuple[int, ...] = ()
        chances, ps = list[float](), list[float]()
        while len(ids) < steps and not (ids and ids[-1] in ends):
            _, choice, p_V = at(ids)
            id = draw(choice.p_V, rng)
            ids = (*ids, id)
            chances.append(float(choice.p_V[id]))
            ps.append(float(p_V[id]))
        yield Future(ids, tuple(chances), tuple(ps))


def tree(found: Collection[Future]) -> list[Node]:
    """The futures with their common beginnings merged; every node stands behind its parent."""
    nodes: list[Node] = []
    places: dict[tuple[int, ...], int] = {}
    for future in found:
        parent = -1
        for n, (id, chance, p) in enumerate(
            zip(future.ids, future.chance, future.p, strict=True), 1
        ):
            at = places.setdefault(future.ids[:n], len(nodes))
            if at == len(nodes):
                nodes.append(Node(parent, id, chance, p, 0))
            old = nodes[at]
            nodes[at] = Node(old.parent, old.id, old.chance, old.p, old.count + 1)
            parent = at
    return nodes
