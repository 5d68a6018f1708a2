"""What gradients cost on the way of a key: of every number that a run shows, and of states over many steps.

gradients, MODEL   every gradient field; peer: three times the forward trace with every number in it, which is the
                   bound: a ratio above 1 breaks it
Jacobians, CELL    dh_q/dh_k for all k, of steps that are made linear first; peer: 100 ms, the bound
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import torch

from engine.analysis import jacobians
from engine.bench import Bench, Row, measure
from engine.core.registry import cells, models, tokenizers
from engine.models import gradients

SENTENCE = "The old captain looked at the grey sea and thought of home again "
TOKENS, LONG, UNITS = 64, 512, 128
TIMES, BUDGET_MS = 3.0, 100.0  # the forward trace; the products
ROUNDS = 15


def bench() -> Iterator[Row]:
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        for id in (*cells.ids(), "transformer"):
            yield _fields(id)
        for id in cells.ids():
            yield _products(id)
        yield _products("dual_memory", combine="concat", units=UNITS // 2)  # 128 hidden numbers
    finally:
        torch.set_num_threads(threads)


def make_model(id: str, **options: Any) -> Any:
    """An untrained model of one layer."""
    cls: Any = models.get(id)
    own: dict[str, Any] = (
        {"heads": 4, "context": 2 * TOKENS} if id == "transformer" else {"units": UNITS}
    )
    config = replace(cls.config_type(), tokenizer="chars", width=UNITS, layers=1, **(own | options))
    tokenizer = tokenizers.get("chars").fit([SENTENCE], 100)
    torch.manual_seed(0)
    return cls(config, tokenizer, cls.build(config, len(tokenizer.vocab)))


def _fields(id: str) -> Row:
    model, text = make_model(id), SENTENCE[: TOKENS - 1]
    row = measure(
        f"gradients, {id}",
        f"{UNITS} units, {len(model.tokens(text))} tokens",
        lambda: gradients.trace(model, text),
        f"{TIMES:g} forward traces",
        lambda: model.trace(text),
        rounds=ROUNDS,
    )
    peers = row.peer_median_ms, row.peer_p95_ms
    assert peers[0] is not None and peers[1] is not None
    return replace(row, peer_median_ms=TIMES * peers[0], peer_p95_ms=TIMES * peers[1])


def _products(id: str, **options: Any) -> Row:
    model = make_model(id, **options)
    tokens = model.tokens(SENTENCE * 8)[:LONG]

    def run() -> None:
        for _ in jacobians.spans(model, tokens, 0):
            pass

    row = measure(
        " ".join(["Jacobians,", id, *filter(None, [options.get("combine")])]),
        f"{UNITS} numbers, {LONG} tokens",
        run,
        rounds=5,
    )
    return replace(row, peer="budget", peer_median_ms=BUDGET_MS, peer_p95_ms=BUDGET_MS)


BENCH = Bench(bench)
