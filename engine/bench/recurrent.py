"""What it costs to see every gate, to edit one, and to train.  Peers: torch's own layers, which
show nothing.

Learning needs a text: UNROLLED_BENCH_TEXT names a file of about a million characters; the built-in
stories stand in
for it otherwise, and their figure is not comparable with others.
"""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import torch
from torch import nn
from torch.nn import functional as F

from engine.bench import Bench, Row, measure
from engine.core.registry import cells, corpora, models
from engine.core.tap import Edit, How, Recorder
from engine.nn.cells.lstm import LSTM
from engine.nn.stack import Stack, to_torch

SIZES = (128, 256, 512)
TOKENS = (128, 512)
ROUNDS = 15
BATCH, SPAN, WIDTH, VOCABULARY = 32, 64, 64, 65
RECIPE = {
    "units": 256,
    "layers": 1,
    "steps": 2000,
    "batch": 12,
    "span": 64,
    "rate": 4e-3,
    "vocabulary": 100,
}


def bench() -> Iterator[Row]:
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        for h in SIZES:
            yield from _traces(h)
        for id in cells.ids():
            yield _steps(id)
        yield _training()
        yield _learning()
    finally:
        torch.set_num_threads(threads)


def _traces(h: int) -> Iterator[Row]:
    """One layer as wide as its input, one text: all six numbers kept; and with one unit's forget
    gate held from token 8 on."""
    layer = LSTM(h, h).eval()
    for tokens in TOKENS:
        x_BTD = torch.randn(1, tokens, h)
        edit = Edit("gate.forget", {"unit": 3, "token": (8, None)}, 0.5)
        frozen = Edit("gate.input", {"token": (8, None)}, how=How.FREEZE)

        def run(*edits: Edit, x_BTD: torch.Tensor = x_BTD) -> None:
            with torch.inference_mode():
                layer(x_BTD, Recorder(edits))

        def peer(x_BTD: torch.Tensor = x_BTD) -> None:
            with torch.inference_mode():
                layer.fused(x_BTD)

        size = f"{h} units, {tokens} tokens"
        yield measure("lstm, all gates", size, run, "nn.LSTM", peer, rounds=ROUNDS)
        yield measure(
            "lstm, edited", size, partial(run, edit, frozen), "nn.LSTM", peer, rounds=ROUNDS
        )


def _steps(id: str) -> Row:
    """Every cell at 256 units and 128 tokens, all its numbers kept, beside the kernel of torch's
    LSTM."""
    layer, peer = cells.get(id)(256, 256).eval(), nn.LSTM(256, 256, batch_first=True)
    x_BTD = torch.randn(1, 128, 256)

    def run(call: Callable[[], Any]) -> Callable[[], None]:
        def timed() -> None:
            with torch.inference_mode():
                call()

        return timed

    ours, theirs = run(lambda: layer(x_BTD, Recorder())), run(lambda: peer(x_BTD))
    return measure(f"cell {id}", "256 units, 128 tokens", ours, "nn.LSTM", theirs, rounds=ROUNDS)


class Plain(nn.Module):
    """A character model as one writes it with torch alone."""

    def __init__(self, layer: nn.Module) -> None:
        super().__init__()
        self.embed, self.layer, self.head = (
            nn.Embedding(VOCABULARY, WIDTH),
            layer,
            nn.Linear(256, VOCABULARY),
        )

    def forward(self, ids_BT: torch.Tensor) -> torch.Tensor:
        read = self.layer.read if isinstance(self.layer, Stack) else lambda x: self.layer(x)[0]
        logit_BTV: torch.Tensor = self.head(read(self.embed(ids_BT)))
        return logit_BTV


def _training() -> Row:
    """One update of a model of 256 units on 32 windows of 64 tokens."""
    stack = Stack(cells.get("lstm"), WIDTH, 256, 1)
    both = [Plain(stack), Plain(to_torch(stack))]
    ids_BT = torch.randint(0, VOCABULARY, (BATCH, SPAN + 1))

    def update(net: nn.Module) -> Callable[[], None]:
        adam = torch.optim.AdamW(net.parameters(), 1e-3, fused=True)

        def step() -> None:
            loss = F.cross_entropy(net(ids_BT[:, :-1]).flatten(0, 1), ids_BT[:, 1:].flatten())
            adam.zero_grad(set_to_none=True)
            loss.backward()
            adam.step()

        return step

    return measure(
        "lstm, one update",
        f"{BATCH} x {SPAN} tokens",
        update(both[0]),
        "nn.LSTM",
        update(both[1]),
        rounds=ROUNDS,
    )


def _learning() -> Row:
    """How long a one-layer model of 256 units takes for its two thousand steps; `size` says what it
    reached."""
    named = os.environ.get("UNROLLED_BENCH_TEXT")
    text = Path(named).read_text(encoding="utf-8") if named else corpora.get("stories").text()
    model = models.get("lstm")
    held_out, start, processor = math.nan, time.perf_counter(), time.process_time()
    threads = os.environ.get("UNROLLED_THREADS")
    os.environ["UNROLLED_THREADS"] = "1"
    try:
        for progress in model.fit(text, model.config_type(**RECIPE), seed=0):
            held_out = progress.metrics.get("held_out_nats", held_out)
    finally:
        (
            os.environ.pop("UNROLLED_THREADS")
            if threads is None
            else os.environ.update(UNROLLED_THREADS=threads)
        )
    seconds, used = time.perf_counter() - start, time.process_time() - processor
    size = f"{len(text):,} characters: {held_out:.3f} nats, {used:.0f} processor seconds"
    return Row("lstm, learning", size, 1000 * seconds, 1000 * seconds)


BENCH = Bench(bench)
