"""What it costs to measure the effects of all tokens: every token of 64 unread in turn, in a model of the
shipped size; peer: as many plain forwards."""

from __future__ import annotations

from collections.abc import Iterator

import torch

from engine.bench import Bench, Row, measure
from engine.core.registry import tokenizers
from engine.core.tap import Recorder
from engine.lessons.heads import faithful
from engine.models.transformer import Config, Transformer

LETTERS = "the quick brown fox jumps over the lazy dog. "
SHIPPED = Config(
    width=384, heads=6, layers=5, position="rope", context=256, tokenizer="chars", vocabulary=300
)
SHORT, ROUNDS = 65, 3


def made(config: Config) -> Transformer:
    """A model with random weights."""
    tokenizer = tokenizers.get("chars").fit([LETTERS], 300)
    torch.manual_seed(0)
    return Transformer(config, tokenizer, Transformer.build(config, len(tokenizer.vocab)))


def bench() -> Iterator[Row]:
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield _effects()
    finally:
        torch.set_num_threads(threads)


def _effects() -> Row:
    model = made(SHIPPED)
    tokens = model.tokens((LETTERS * 20)[: SHORT - 1])

    def plain() -> None:
        for _ in range(SHORT - 1):
            model.run(tokens, Recorder(fields=("attention",)))

    return measure(
        "effects of all tokens",
        f"{SHIPPED.layers} x {SHIPPED.heads} heads, {SHORT} tokens",
        lambda: faithful.effects(model, tokens, SHORT - 1),
        f"{SHORT - 1} forwards",
        plain,
        ROUNDS,
    )


BENCH = Bench(bench)
