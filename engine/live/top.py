"""Top: what a reader expects after each token, the likeliest first.

Shapes    T = tokens, V = vocabulary, K = words of a list, M = n-gram orders, N = orders but the
          uniform one
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from engine.core.trace import Table, Trace
from engine.live.reader import Reader

Rows = list[list[list[Any]]]
"""Per token a list of [label, number, ...]; what follows the number is said in reply.py."""


def top(reader: Reader, trace: Trace, first: int) -> Rows:
    """The list of each token from position `first` of the trace on."""
    match reader.top:
        case "ladder":
            return _ladder(trace, first, reader.most)
        case "neighbours":
            return _neighbours(trace, first, reader.place_of)
        case name if name:
            field = trace.field(name)
            return best(field.rows(first), field.axes[-1].labels, reader.most)
    return [[] for _ in trace.tokens[first:]]


def best(p_TV: np.ndarray, labels: Sequence[str], most: int) -> Rows:
    """Per row its `most` largest: [[label, p], ...], largest first."""
    most = min(most, p_TV.shape[-1])
    rows_T1 = np.arange(len(p_TV))[:, None]  # `take_along_axis` takes longer to index than to take
    some_TK = np.argpartition(p_TV, -most, axis=-1)[:, -most:]
    order_TK = some_TK[rows_T1, np.argsort(-p_TV[rows_T1, some_TK], -1, kind="stable")]
    p_TK = p_TV[rows_T1, order_TK]
    return [
        [[labels[i], float(f"{p:.6g}")] for i, p in zip(ids, row, strict=True)]
        for ids, row in zip(order_TK.tolist(), p_TK.tolist(), strict=True)
    ]


def _ladder(trace: Trace, first: int, most: int) -> Rows:
    table = trace["ladder"]
    assert isinstance(table, Table)
    c = table.columns
    orders = sum(name.startswith("part_") for name in c)
    wanted = np.flatnonzero((c["position"] >= first) & (c["rank"] <= most))
    parts = np.stack([c[f"part_{m}"][wanted] for m in range(orders)], 1)
    counted = {
        name: np.stack([c[f"{name}_{m}"][wanted] for m in range(1, orders)], 1)
        for name in ("count", "total", "discount")
    }
    rows: Rows = [[] for _ in trace.tokens[first:]]
    for i, step in zip(wanted.tolist(), steps(parts, **counted), strict=True):
        rows[int(c["position"][i]) - first].append(
            [str(c["next"][i]), float(f"{c['probability'][i]:.6g}"), step]
        )
    return rows


def steps(
    part_KM: np.ndarray, count: np.ndarray, total: np.ndarray, discount: np.ndarray
) -> list[list[list[float]]]:
    """Per word, from the shortest order (uniform) up: [what it adds to the probability, count, of
    how many, discount]; counts (K, N)."""
    uniform = np.zeros((len(part_KM), 1))
    columns = (part_KM, *(np.hstack([uniform, x_KN]) for x_KN in (count, total, discount)))
    return [
        [
            [float(f"{p:.5g}"), int(n), int(a), float(f"{d:.5g}")]
            for p, n, a, d in zip(*rows, strict=True)
        ]
        for rows in zip(*(x.tolist() for x in columns), strict=True)
    ]


def _neighbours(trace: Trace, first: int, place_of: Callable[[str], list[float]] | None) -> Rows:
    table = trace["neighbours"]
    assert isinstance(table, Table)
    c, place = table.columns, place_of or (lambda word: [])
    wanted = c["position"] >= first
    rows: Rows = [[] for _ in trace.tokens[first:]]
    for position, word, cosine in zip(
        c["position"][wanted].tolist(),
        c["word"][wanted].tolist(),
        c["cosine"][wanted].tolist(),
        strict=True,
    ):
        rows[int(position) - first].append([word, round(cosine, 4), *place(word)])
    return rows
