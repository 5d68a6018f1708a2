"""How fast a decoder is trained, in steps of our loop, beside the same net and loop written with
torch alone, as it is and compiled; and what Muon's steps cost beside AdamW's.

On a GPU 384 x 5 on batches of 32 x 256 tokens in bfloat16; on a processor a small one in float32.
`size` says how many tokens a second ours reads.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from engine.bench import Bench, Row, p95
from engine.core.registry import models
from engine.nn import loop
from engine.nn.plan import Plan

RATE = 1e-3


@dataclass(frozen=True, slots=True)
class Size:
    width: int
    heads: int
    layers: int
    vocabulary: int
    batch: int
    span: int
    mixed: bool
    chunk: int  # steps that are timed together
    rounds: int


LARGE = Size(384, 6, 5, 4096, 32, 256, mixed=True, chunk=32, rounds=8)
SMALL = Size(96, 4, 2, 512, 32, 64, mixed=False, chunk=3, rounds=10)

Steps = Callable[[], float]
"""Takes a few steps and says how many milliseconds one took."""


def bench() -> Iterator[Row]:
    device = "cuda" if torch.cuda.is_available() else "cpu"
    size = LARGE if device == "cuda" else SMALL
    stream_N = np.random.default_rng(0).integers(0, size.vocabulary, 1_000_000)
    pairs: tuple[tuple[str, dict[str, Any], str, bool], ...] = (
        ("adamw", {}, "plain torch", False),
        ("adamw, compiled", {"compile": "on"}, "plain torch, compiled", True),
    )
    for what, more, peer, compiled in pairs:
        with ExitStack() as stack:
            ours = ours_of(size, stream_N, device, stack, **more)
            theirs = theirs_of(size, stream_N, device, compiled)
            yield timed(f"decoder, {what}", ours, peer, theirs, size)
    with ExitStack() as stack:
        muon, adamw = (
            ours_of(size, stream_N, device, stack, optimiser=optimiser)
            for optimiser in ("muon", "adamw")
        )
        yield timed("decoder, muon", muon, "adamw here", adamw, size)


def timed(what: str, ours: Steps, peer: str, theirs: Steps, size: Size) -> Row:
    """In turn, after one turn of each that warms up."""
    ours(), theirs()
    both = [(ours(), theirs()) for _ in range(size.rounds)]
    mine, other = ([pair[i] for pair in both] for i in (0, 1))
    pace = 1000 * size.batch * size.span / statistics.median(mine)
    said = f"{size.width} x {size.layers}, {size.batch} x {size.span} tokens: {pace:,.0f} a second"
    return Row(what, said, statistics.median(mine), p95(mine), peer, statistics.median(other))


def ours_of(size: Size, stream_N: np.ndarray, device: str, stack: ExitStack, **more: Any) -> Steps:
    """Steps of engine/nn/loop.py, up to one at which its numbers are known, until `stack` ends.
    ValueError where they were to be compiled and could not be."""
    kind: Any = models.get("transformer")
    names = ("width", "heads", "layers", "vocabulary", "batch", "span", "mixed")
    config = kind.config_type(
        **{name: getattr(size, name) for name in names},
        context=size.span,
        steps=1_000_000,
        held_out_every=100_000,
        rate=RATE,
        **more,
    )
    torch.manual_seed(0)
    steps: Any = loop.train(
        kind.build(config, size.vocabulary),
        stream_N,
        stream_N[:0],
        Plan.of(config),
        seed=0,
        device=device,
        boundary=-1,
    )
    stack.callback(steps.close)

    def take() -> float:
        began, count = time.perf_counter(), 0
        for step in steps:
            count += 1
            if count >= size.chunk and step.checkpoint is not None:
                said = step.notes.get("compile", "compiled")
                if not said.startswith("compiled"):
                    raise ValueError(said)
                break
        return 1000 * (time.perf_counter() - began) / count

    return take


def theirs_of(size: Size, stream_N: np.ndarray, device: str, compiled: bool) -> Steps:
    """The same as one writes it with torch alone: nothing is shown, nothing is waited for."""
    torch.manual_seed(0)
    net = Decoder(size).to(device).train()
    optimiser = torch.optim.AdamW(net.parameters(), RATE, betas=(0.9, 0.99), fused=True)
    ids_N, kind = torch.from_numpy(stream_N), torch.device(device).type

    def loss_of(x_BT: Tensor, y_BT: Tensor) -> Tensor:
        with torch.autocast(kind, torch.bfloat16, enabled=size.mixed):
            logit_BTV = net(x_BT)
        return F.cross_entropy(logit_BTV.float().flatten(0, 1), y_BT.flatten())

    read = torch.compile(loss_of) if compiled else loss_of

    def drawn() -> tuple[Tensor, Tensor]:
        at_BT = torch.randint(len(ids_N) - size.span - 1, (size.batch, 1)) + torch.arange(
            size.span + 1
        )
        both = ids_N[at_BT]
        if kind == "cuda":
            both = both.pin_memory().to(device, non_blocking=True)
        return both[:, :-1], both[:, 1:]

    def take() -> float:
        began = time.perf_counter()
        for _ in range(size.chunk):
            loss = read(*drawn())
            optimiser.zero_grad(set_to_none=True)
            loss.backward()  # type: ignore[no-untyped-call]
            nn.utils.clip_grad_norm_(net.parameters(), 1.0)
            optimiser.step()
        loss.item()
        return 1000 * (time.perf_counter() - began) / size.chunk

    return take


class Decoder(nn.Module):
    """Norm first, GELU, learned places, one table for what is read and what is answered."""

    def __init__(self, size: Size) -> None:
        super().__init__()
        d = size.width
        self.heads = size.heads
        self.embed, self.place = nn.Embedding(size.vocabulary, d), nn.Embedding(size.span, d)
        nn.init.normal_(self.embed.weight, std=0.02)
        self.blocks = nn.ModuleList(
            nn.ModuleDict(
                {
                    "norm_1": nn.LayerNorm(d),
                    "qkv": nn.Linear(d, 3 * d),
                    "out": nn.Linear(d, d),
                    "norm_2": nn.LayerNorm(d),
                    "up": nn.Linear(d, 4 * d),
                    "down": nn.Linear(4 * d, d),
                }
            )
            for _ in range(size.layers)
        )
        self.norm = nn.LayerNorm(d)

    def forward(self, ids_BT: Tensor) -> Tensor:
        b, t = ids_BT.shape
        x_BTD = self.embed(ids_BT) + self.place.weight[:t]
        part: Any
        for part in self.blocks:
            q, k, v = part["qkv"](part["norm_1"](x_BTD)).view(b, t, 3, self.heads, -1).unbind(2)
            read_BNTK = F.scaled_dot_product_attention(
                q.transpose(1, 2), k.transpose(1, 2), v.transpose(1, 2), is_causal=True
            )
            x_BTD = x_BTD + part["out"](read_BNTK.transpose(1, 2).reshape(b, t, -1))
            x_BTD = x_BTD + part["down"](F.gelu(part["up"](part["norm_2"](x_BTD))))
        logit_BTV: Tensor = F.linear(self.norm(x_BTD), self.embed.weight)
        return logit_BTV


BENCH = Bench(bench)
