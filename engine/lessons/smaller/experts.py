"""Mixture of experts: in place of one feed-forward part several, of which a router gives each token a few.

    python -m engine.lessons.smaller.experts DATA [--out FOLDER]

What      g = softmax(x R);  y = sum over the k largest g of g / (their sum) E_i(x)
          balance = n sum_i f_i P_i, f_i the share of choices that expert i gets, P_i the mean of its g: 1 where all
          get as much, up to n where one gets everything;  loss = cross-entropy + BALANCE x balance
          The net is the shipped small Transformer; the feed-forward part of its last layer makes way for the experts,
          which alone learn, from the beginning of the novels; they are measured on the novels that are kept back
Source    Shazeer et al., Outrageously Large Neural Networks, 2017, sec. 2.1; balance: Fedus, Zoph & Shazeer, Switch
          Transformers, 2022, eq. 4 to 6; a mixture in a trained net: Komatsuzaki et al., Sparse Upcycling, 2023
Shapes    B = batch, T = tokens, D = width, N = experts, K = experts of a token
Differs   All experts are computed and those that were not chosen weigh 0: the sums are those of a sparse one, the
          time is not.  No noise is added to the router, and no expert turns a token away.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Generator
from functools import lru_cache
from pathlib import Path
from threading import Lock
from typing import Any, TypeVar, cast

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from engine import ROOT
from engine.core.cache import remembered
from engine.core.tap import Tap, passthrough
from engine.models.neural import copy_apart
from engine.models.transformer import Transformer
from engine.nn.feed_forward import FeedForward
from engine.storage import quantised
from engine.storage.arrays import write_arrays
from engine.storage.files import write_bytes

T = TypeVar("T")

BASE = "transformer_rope"
FOLDER = ROOT / "assets" / "experts"
WEIGHTS, MEASURED = FOLDER / "weights.safetensors", FOLDER / "measured.json"
EXPERTS, CHOSEN, INNER = 4, 2, 192
BALANCE = 0.02
STEPS, BATCH, SPAN, RATE = 900, 16, 64, 3e-3
CHARACTERS, UNSEEN = 2_000_000, 12_000  # of the text that is learned; tokens of what is kept back


def gates(logit: Tensor, k: int) -> Tensor:
    """(.., N): of the k largest their share of the softmax, 0 for the others."""
    g = logit.softmax(-1)
    top, at = g.topk(k, -1)
    return torch.zeros_like(g).scatter(-1, at, top / top.sum(-1, keepdim=True))


def balance(logit: Tensor, k: int) -> Tensor:
    """n sum f P, over all but the last axis."""
    n = logit.shape[-1]
    f = (gates(logit, k) > 0).flatten(0, -2).float().mean(0) / k
    return n * (f.detach() * logit.softmax(-1).flatten(0, -2).mean(0)).sum()


class Experts(nn.Module):
    def __init__(self, d: int, count: int = EXPERTS, inner: int = INNER, k: int = CHOSEN) -> None:
        super().__init__()
        self.router = nn.Linear(d, count, bias=False)
        self.each = nn.ModuleList(FeedForward(d, inner, "gelu") for _ in range(count))
        self.k = k
        self.off: int | None = None  # an expert that nobody may choose
        self.logit: Tensor | None = None  # of the last forward pass

    def forward(
        self, x_BTD: Tensor, tap: Tap = passthrough, axis: str = "token", prefix: str = ""
    ) -> Tensor:
        """(B, T, D)."""
        logit_BTN = self.router(x_BTD)
        if self.off is not None:
            gone = torch.arange(logit_BTN.shape[-1]) == self.off
            logit_BTN = logit_BTN.masked_fill(gone, -torch.inf)
        self.logit = logit_BTN
        gate_BTN = gates(logit_BTN, self.k)
        parts = [gate_BTN[..., i, None] * expert(x_BTD) for i, expert in enumerate(self.each)]
        return torch.stack(parts).sum(0)


def mixed(base: Transformer, count: int = EXPERTS) -> tuple[Transformer, Experts]:
    """A copy of it whose last feed-forward part is a mixture, and that; of one expert, which is as wide as those
    that a token is given to are together."""
    found = copy_apart(base)
    torch.manual_seed(0)
    k = min(CHOSEN, count)
    made = Experts(base.config.width, count, INNER * CHOSEN // k, k)
    found.tower.blocks[-1].feed_forward = made
    return found, made


@lru_cache(1)
def measured() -> dict[str, Any]:
    """OSError or ValueError where the file is missing or damaged."""
    return cast(dict[str, Any], json.loads(MEASURED.read_text(encoding="utf-8")))


def shipped(base: Transformer) -> tuple[Transformer, Experts]:
    """OSError or ValueError where the file is missing or damaged."""
    found, made = mixed(base)
    arrays = {
        n: torch.from_numpy(np.array(x, np.float32)) for n, x in quantised.read(WEIGHTS).items()
    }
    try:
        made.load_state_dict(arrays)
    except RuntimeError as problem:
        raise ValueError(str(problem)) from None
    return found, made.eval()


_reading = Lock()


def read(
    mixture: tuple[Transformer, Experts], text: str, k: int, off: int | None
) -> tuple[Any, np.ndarray]:
    """The trace of a mixture, and its router's logits (T, N), with k experts a token and one of them off."""
    net, made = mixture
    with _reading:
        made.k, made.off = k, off
        trace = net.trace(text, fields=("probability",))
        assert made.logit is not None
        return trace, made.logit[0].numpy().copy()


@remembered(1)
def once(base: Transformer) -> tuple[Transformer, Experts]:
    return shipped(base)


# ------------------------------------------------------------------ how it is made


def learn(
    base: Transformer, ids_N: Tensor, weight: float, count: int = EXPERTS, steps: int = STEPS
) -> Generator[float, None, tuple[Transformer, Experts]]:
    """The net after its last step, with this much of the balance in its loss; meanwhile, what share of the steps
    are done."""
    net, made = mixed(base, count)
    net.net.requires_grad_(False)
    made.requires_grad_(True)
    optimiser = torch.optim.AdamW(made.parameters(), RATE, weight_decay=0.01)
    rate = torch.optim.lr_scheduler.OneCycleLR(optimiser, RATE, steps, pct_start=0.1)
    drawn, span_T = np.random.default_rng(0), torch.arange(SPAN)
    for step in range(steps):
        at_BT = torch.from_numpy(drawn.integers(0, len(ids_N) - SPAN - 1, BATCH))[:, None] + span_T
        logit_BTV = net.net(ids_N[at_BT])
        assert made.logit is not None
        even = balance(made.logit, made.k)
        loss = F.cross_entropy(logit_BTV.flatten(0, 1), ids_N[at_BT + 1].flatten()) + weight * even
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        optimiser.step()
        rate.step()
        yield step / steps
    return net, made.eval()


def last(learning: Generator[float, None, T]) -> T:
    """What it comes to in the end."""
    while True:
        try:
            next(learning)
        except StopIteration as end:
            return cast(T, end.value)


def judge(net: Transformer, made: Experts | None, read: list[np.ndarray]) -> dict[str, Any]:
    """Bits per token, the load of each expert, and the tokens that it gets most often beyond its share."""
    from engine.lessons.smaller.measured import bits_per_token

    found: dict[str, Any] = {"bits": bits_per_token(net, read)}
    if made is None:
        return found
    size = len(net.tokenizer.vocab)
    count_NV = np.zeros((EXPERTS, size))
    with torch.inference_mode():
        for ids in read:
            net.net(torch.from_numpy(ids.astype(np.int64))[None])
            assert made.logit is not None
            chosen_TN = (gates(made.logit, made.k)[0] > 0).numpy()
            for n in range(EXPERTS):
                count_NV[n] += np.bincount(ids[chosen_TN[:, n]], minlength=size)
    seen_V = count_NV.sum(0) / made.k
    found["load"] = (count_NV.sum(1) / count_NV.sum()).tolist()
    often = np.where(seen_V >= 12, count_NV / np.maximum(seen_V, 1), 0)
    found["tokens"] = [
        [net.tokenizer.vocab[v] for v in np.lexsort((-seen_V, -np.round(often[n], 2)))[:12]]
        for n in range(EXPERTS)
    ]
    return found


def main() -> None:
    from engine.lessons.smaller.measured import cut_lines
    from engine.runs.store import RunStore
    from engine.shipped.sources.base import find
    from engine.text.tokenizers.base import passages

    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("data", type=Path)
    asked.add_argument("--out", type=Path, default=FOLDER)
    given = asked.parse_args()
    source, store = find("novels"), RunStore()
    base = cast(Transformer, store.load(store.find(BASE)))
    lines = list(passages(source.text(given.data, CHARACTERS)))
    ids_N = torch.from_numpy(base.tokenizer.stream(lines).astype(np.int64))
    unseen = "\n".join(text[:20_000] for text in source.unseen(given.data).values())
    read = cut_lines(base, passages(unseen), UNSEEN)
    found = {"before": judge(base, None, read)}
    found["one"] = judge(last(learn(base, ids_N, 0.0, 1))[0], None, read)
    given.out.mkdir(parents=True, exist_ok=True)
    for name, weight in (("balanced", BALANCE), ("alone", 0.0)):
        net, made = last(learn(base, ids_N, weight))
        found[name] = judge(net, made, read)
        print(found, flush=True)
        if name == "balanced":
            arrays = {key: x.detach().numpy() for key, x in made.state_dict().items()}
            write_arrays(given.out / WEIGHTS.name, quantised.stored(arrays, "int8"))
    write_bytes(
        given.out / MEASURED.name, (json.dumps(found, indent=1, ensure_ascii=False) + "\n").encode()
    )


if __name__ == "__main__":
    main()
