"""What a key of a large model costs, on the processor and on a GPU: decoders of random weights over
250 tokens, of which the browser gets the new row of every head.

Budget on a GPU: 15 ms for 768 x 12, 40 ms for 1280 x 36.  Peer: reading the whole text again.  A model
that the processor would take long to make is measured where there is a GPU.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import torch

from engine.bench import Bench, Row, measure
from engine.core import device
from engine.core.trace import Trace
from engine.models.neural import copy_apart
from engine.models.transformer import Config, Transformer
from engine.text.tokenizers.chars import Chars

SIZES = {"768 x 12": (768, 12, 12), "1280 x 36": (1280, 36, 20)}  # width, layers, heads
BUDGET_MS = {"768 x 12": 15, "1280 x 36": 40}
VOCABULARY, FIRST_LETTER, TOKENS, MB = 50_257, 256, 250, 1e6


def model_of(width: int, layers: int, heads: int) -> Transformer:
    """A decoder of GPT-2's kind with random weights."""
    torch.manual_seed(0)
    tokenizer = Chars(map(chr, range(FIRST_LETTER, FIRST_LETTER + VOCABULARY - 2)))
    config = Config(
        width=width,
        heads=heads,
        layers=layers,
        context=1024,
        activation="gelu_tanh",
        tokenizer="chars",
    )
    return Transformer(config, tokenizer, Transformer.build(config, VOCABULARY))


class Typed:
    """A text on the screen, and what one more letter of it costs."""

    def __init__(self, model: Transformer) -> None:
        rng = np.random.default_rng(0)
        codes = rng.integers(FIRST_LETTER, FIRST_LETTER + VOCABULARY - 2, TOKENS)
        self.model, self.text = model, "".join(map(chr, codes))
        self.fields = ("attention", "probability", *model.carries)
        self.before = self.read(self.text[:-1])

    def read(self, text: str, before: Trace | None = None) -> Trace:
        """The trace of a text, with all that is sent of it on the host."""
        trace = self.model.trace(text, fields=self.fields, after=before)
        same = len(before.tokens) if before else 0
        trace.field("attention").rows(same)
        trace.field("probability").rows(max(0, same - 1))
        return trace

    def key(self) -> None:
        self.read(self.text, self.before)

    def anew(self) -> None:
        self.read(self.text)


def bench() -> Iterator[Row]:
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    gpu = device.gpu()
    try:
        for name, size in SIZES.items():
            if gpu is None and name != next(iter(SIZES)):
                continue
            model = model_of(*size)
            if name == next(iter(SIZES)):
                where = "processor" if gpu else "processor; no GPU found"
                yield _row(name, model, where, rounds=5)
            if gpu:
                yield _row(name, copy_apart(model, gpu.device), _said(gpu, name), rounds=30)
    finally:
        torch.set_num_threads(threads)


def _row(name: str, model: Transformer, where: str, rounds: int) -> Row:
    typed = Typed(model)
    what = f"a key, all heads of {name}"
    size = f"{TOKENS} tokens, {where}"
    return measure(what, size, typed.key, "the whole text again", typed.anew, rounds)


def _said(gpu: device.Gpu, name: str) -> str:
    from engine.live import placement

    kept = placement.most_bytes()
    return f"{gpu.title}, at most {kept / MB:,.0f} MB kept; budget {BUDGET_MS[name]} ms"


BENCH = Bench(bench)
