"""Trie: n-grams as a tree.  A node is a run of tokens, its children are the runs one token longer.

What      the tree of what follows one context, with counts; small enough to be drawn: a node shows
          its most frequent children, the rest is summed in one node
Source    Fredkin, Trie Memory, Communications of the ACM 3, 1960; as the store of a language model:
          Pauls & Klein, Faster and Smaller N-Gram Language Models, ACL 2011, sec. 3
Shapes    C = children of one node; a tree is a list of nodes, the root first, parents before
          children
Differs   Only what follows a context is grown, not the tree of a whole text.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from engine.ngram.counts import Counts


@dataclass(frozen=True, slots=True)
class Node:
    """One run of tokens.

    parent  place of the parent in `Tree.nodes`; -1 for the root
    id      of the last token; -1 for the root and for a node of the rest
    depth   tokens below the root
    count   how often the run was counted; for the root, how often anything followed the context
    kinds   1; for a node of the rest, how many children were summed in it
    """

    parent: int
    id: int
    depth: int
    count: int
    kinds: int = 1

    @property
    def is_rest(self) -> bool:
        return self.kinds > 1 or (self.id < 0 <= self.parent)


@dataclass(frozen=True, slots=True)
class Tree:
    """`context`: the tokens that the root stands for."""

    nodes: tuple[Node, ...]
    context: tuple[int, ...] = ()

    @property
    def edges(self) -> tuple[tuple[int, int], ...]:
        """(parent, child) as places in `nodes`."""
        return tuple((node.parent, at) for at, node in enumerate(self.nodes) if node.parent >= 0)

    def share(self, at: int) -> float:
        """The count of a node as a share of its parent's; 1 for the root."""
        node = self.nodes[at]
        return node.count / max(1, self.nodes[node.parent].count) if node.parent >= 0 else 1.0

    def path(self, at: int) -> tuple[int, ...]:
        """The ids from the root to a node."""
        ids: list[int] = []
        while self.nodes[at].parent >= 0:
            ids.append(self.nodes[at].id)
            at = self.nodes[at].parent
        return tuple(reversed(ids))


def following(counts: Counts, context: Sequence[int], depth: int = 2, most: int = 8) -> Tree:
    """What follows a context, in runs of at most `depth` tokens.

    A context of n or more tokens is cut to its last n - 1, and runs are no longer than what was
    counted with it.
    """
    ids = (
        tuple(int(i) for i in context[-(len(counts.orders) - 1) :])
        if len(counts.orders) > 1
        else ()
    )
    place = int(counts.places(np.array(ids, np.int64))[-1, len(ids)]) if ids else 0
    return Tree(
        _grown(counts, _children(counts, len(ids) + 1, place), len(ids) + 1, depth, most), ids
    )


def _children(counts: Counts, order: int, place: int) -> np.ndarray:
    """(3, C) place, id and count of the n-grams of one order behind a context of the order below;
    none for place -1."""
    grams = counts.orders[order - 1]
    a, b = grams.first_P[place : place + 2].tolist() if place >= 0 else (0, 0)
    rows_3C = np.stack(
        [np.arange(a, b), grams.word_G[a:b].astype(np.int64), grams.count_G[a:b].astype(np.int64)]
    )
    return rows_3C[:, rows_3C[2] > 0]


def _grown(
    counts: Counts,
    first_3C: np.ndarray,
    order: int,
    depth: int,
    most: int,
) -> tuple[Node, ...]:
    """A root over n-grams of an order, and what is below them, level by level."""
    nodes = [Node(-1, -1, 0, int(first_3C[2].sum()))]
    level = _add(nodes, 0, first_3C, most)
    for step in range(1, min(depth, len(counts.orders) - order + 1)):
        deeper = []
        for at, place in level:
            if nodes[at].id != counts.boundary:  # nothing follows </s>
                deeper += _add(nodes, at, _children(counts, order + step, place), most)
        level = deeper
    return tuple(nodes)


def _add(nodes: list[Node], parent: int, rows_3C: np.ndarray, most: int) -> list[tuple[int, int]]:
    """Children, most frequent first, and one for the rest; returns (node, place) of those shown."""
    _, id_C, count_C = rows_3C
    ranked_C = np.lexsort((id_C, -count_C))
    shown_C, rest_C = ranked_C[:most], ranked_C[most:]
    depth, out = nodes[parent].depth + 1, []
    for place, id, count in rows_3C[:, shown_C].T.tolist():
        out.append((len(nodes), place))
        nodes.append(Node(parent, id, depth, count))
    if len(rest_C):
        nodes.append(Node(parent, -1, depth, int(count_C[rest_C].sum()), len(rest_C)))
    return out
