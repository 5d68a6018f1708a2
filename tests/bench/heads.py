"""All heads of a model the size of GPT-2 small (12 layers x 12 heads, random weights) over 512
tokens, made small while it runs.

small pictures   pooling during the forward; peer: the same forward that keeps all 144 x 512 x 512
                 weights
effects          every token of 64 unread in turn, in a model of the shipped size; peer: as many
                 plain forwards
reply, frame     in a real browser: another head opened by a click, from the click to its exact
                 weights; a hover, redrawn
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import torch

from engine.analysis.heads import faithful, thumbnails
from engine.bench import Bench, Row, attempt, measure, p95
from engine.core.registry import tokenizers
from engine.core.tap import Recorder
from engine.models.transformer import Config, Transformer
from engine.runs import store
from engine.training.fit import fit
from tests.bench.server import browse, serve

LETTERS = "the quick brown fox jumps over the lazy dog. "
LARGE = Config(
    width=768,
    heads=12,
    layers=12,
    context=512,
    tokenizer="chars",
    vocabulary=300,
    span=8,
    batch=1,
    steps=1,
)
SHIPPED = Config(
    width=384, heads=6, layers=5, position="rope", context=256, tokenizer="chars", vocabulary=300
)
TOKENS, SHORT, ROUNDS, FRAMES, CLICKS = 512, 65, 3, 40, 4
APP = "document.querySelector('.un').parentElement.unrolledApp"


def made(config: Config) -> Transformer:
    """A model with random weights."""
    tokenizer = tokenizers.get("chars").fit([LETTERS], 300)
    torch.manual_seed(0)
    return Transformer(config, tokenizer, Transformer.build(config, len(tokenizer.vocab)))


def bench() -> Iterator[Row]:
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield _wall()
        yield _effects()
    finally:
        torch.set_num_threads(threads)
    yield from attempt("another head opened", _browser())


def _wall() -> Row:
    model = made(LARGE)
    tokens = model.tokens((LETTERS * 20)[: TOKENS - 1])

    def whole() -> None:
        recorder = Recorder(fields=("attention",))
        model.run(tokens, recorder)
        recorder.fields(model.spec(), model.labels(tokens))

    ours = lambda: thumbnails.wall(model, tokens, (0, len(tokens)), 11)  # noqa: E731
    return measure(
        "small pictures of all heads",
        f"12 x 12 heads, {TOKENS} tokens",
        ours,
        "forward that keeps all weights",
        whole,
        ROUNDS,
    )


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


def _browser() -> Iterator[Row]:
    text = LETTERS * 40
    with tempfile.TemporaryDirectory(prefix="unrolled-heads-") as home:
        for _ in fit(
            Path(home) / "runs" / "zz-large",
            store.Recipe("transformer", LARGE, store.digest(text)),
            (LETTERS + "\n") * 30,
        ):
            pass
        with browse() as browser, serve(home=Path(home)) as server:
            page: Any = browser.new_context(viewport={"width": 1280, "height": 900}).new_page()
            page.goto(
                f"{server.url}/heads?{urlencode({'run': 'zz-large', 'text': text[: TOKENS - 1]})}"
            )
            reader = f"{APP}.readers.values().next().value"
            page.wait_for_selector("[data-painted]", timeout=120_000)
            # measured once, in the background
            page.wait_for_function(f"{reader}.said.tags", timeout=600_000)
            clicks = [_click(page, reader, 2 * n, n) for n in range(CLICKS)]
            frames = page.evaluate(HOVER, FRAMES)
    size = f"12 x 12 heads, {TOKENS} tokens"
    yield Row(
        "another head opened, click to weights", size, sorted(clicks)[len(clicks) // 2], p95(clicks)
    )
    yield Row("hover, all panels redrawn", size, sorted(frames)[len(frames) // 2], p95(frames))


def _click(page: Any, reader: str, layer: int, head: int) -> float:
    """Milliseconds until the weights of a head just opened are there."""
    begun = time.perf_counter()
    page.evaluate(f"{APP}.selection.keep({{ layer: {layer}, head: {head} }}, {APP})")
    page.wait_for_function(f"{reader}.said.open.join() === '{layer},{head}'", timeout=120_000)
    return 1000 * (time.perf_counter() - begun)


HOVER = f"""(count) => Array.from({{ length: count }}, (_, n) => {{
  const app = {APP}, start = performance.now();
  app.selection.hovered = {{ layer: n % 12, head: (5 * n) % 12, token: n, reader: "heads" }};
  app.redraw();
  return performance.now() - start;
}})"""

BENCH = Bench(bench)
