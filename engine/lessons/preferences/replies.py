"""Replies: a run goes on from a prompt several times, up to the end of the sentence.

What      a reply is what is drawn token by token at one temperature until a token holds a full stop, an exclamation or
          a question mark or a line end, or until `MOST` tokens; all replies to a prompt are drawn side by side, each
          step from the keys and values of the steps before
Source    Ouyang et al., Training Language Models to Follow Instructions with Human Feedback, 2022, sec. 3.2 (several
          replies to a prompt, compared)
Shapes    B = replies, T = tokens, V = vocabulary, D = width
Differs   The runs that are shipped go on with a novel; nobody has taught them to answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Self

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pad_sequence

from engine.core.tap import Enough, passthrough
from engine.language.message import refusal
from engine.models.transformer import Transformer

MOST, HEAT = 28, 0.8  # tokens of a reply, and the temperature at which it is drawn
ENDS = ".!?\n"
LONGEST = 200  # characters of a prompt


@dataclass(frozen=True)
class Reply:
    prompt: str
    ids: tuple[int, ...]
    text: str

    def __len__(self) -> int:
        return len(self.ids)


class _Kept(type(passthrough)):  # type: ignore[misc]
    """Keeps the keys and values of a run."""

    def __init__(self) -> None:
        self.layer, self.kept = 0, dict[tuple[str, int], Tensor]()

    def __call__(self, name: str, value: Any, axes: tuple[str, ...]) -> Any:
        if name in ("key", "value"):
            self.kept[name, self.layer] = value
        return value

    def at(self, **index: int) -> Self:
        self.layer = index.get("layer", self.layer)
        return self

    def behind(self, state: dict[str, Tensor] | None) -> dict[str, Tensor]:
        """Behind what was kept before, (layer, B, head, T, dim)."""
        layers = range(1 + max(layer for _, layer in self.kept))
        new = {n: torch.stack([self.kept[n, layer] for layer in layers]) for n in ("key", "value")}
        return new if state is None else {n: torch.cat((state[n], new[n]), -2) for n in new}


@lru_cache(maxsize=8)
def find_ends(vocabulary: tuple[str, ...]) -> frozenset[int]:
    """The ids of tokens that end a sentence."""
    return frozenset(n for n, word in enumerate(vocabulary) if set(word) & set(ENDS))


@torch.no_grad()
def draw(net: nn.Module, start_T: Tensor, count: int, ends: frozenset[int], seed: int) -> Tensor:
    """Ids (B, T) behind the same beginning; -1 behind the end of a sentence."""
    coin = torch.Generator().manual_seed(seed)
    state: dict[str, Tensor] | None = None
    new_BT, open_B = start_T[None].expand(count, -1), torch.ones(count, dtype=torch.bool)
    last = torch.tensor(sorted(ends))
    found: list[Tensor] = []
    for _step in range(MOST):
        tap = _Kept()
        logit_BV = net(new_BT, tap, state)[:, -1]
        state = tap.behind(state)
        new_BT = torch.multinomial((logit_BV / HEAT).softmax(-1), 1, generator=coin)
        found.append(torch.where(open_B, new_BT[:, 0], -1))
        open_B = open_B & ~torch.isin(new_BT[:, 0], last)
        if not open_B.any():
            break
    return torch.stack(found, 1)


def write(model: Transformer, prompt: str, count: int, seed: int) -> list[Reply]:
    """ValueError without a prompt."""
    prompt = check(model, prompt)
    ends = find_ends(tuple(model.tokenizer.vocab))
    start_T = torch.from_numpy(model.tokens(prompt).ids.astype(np.int64))
    drawn = draw(model.net, start_T, count, ends, seed).tolist()
    return [reply_of(model, prompt, [id for id in row if id >= 0]) for row in drawn]


def check(model: Transformer, prompt: str) -> str:
    prompt = prompt.strip()
    if not prompt:
        raise ValueError("Type a beginning, and the model goes on from it.")
    prompt, room = prompt[:LONGEST], (model.context or 1024) - MOST
    if room < 2:
        raise ValueError("This model sees too few tokens at once to write a reply.")
    if len(model.tokens(prompt)) > room:
        raise refusal("The beginning is too long for this model; it may have {room:,} tokens.")
    return prompt


def reply_of(model: Transformer, prompt: str, ids: Sequence[int]) -> Reply:
    text = "".join(model.tokenizer.vocab[id] for id in ids)
    return Reply(prompt, tuple(ids), text.strip("\n"))


def cut(model: Transformer, prompt: str, text: str) -> Reply:
    """A reply that somebody has written, as the model reads it behind its prompt."""
    start, whole = (model.tokens(one).ids for one in (prompt, f"{prompt} {text.strip()}"))
    same = int(np.cumprod(whole[: len(start)] == start).sum()) if len(whole) >= len(start) else 0
    return Reply(prompt, tuple(whole[same : same + MOST].tolist()), text.strip())


def batch(model: Transformer, replies: Sequence[Reply]) -> tuple[Tensor, Tensor]:
    """Ids (B, T) of prompts with their replies, filled up with 0, and which of them are of a reply."""
    starts = {reply.prompt: model.tokens(reply.prompt).ids.tolist() for reply in replies}
    rows = [torch.tensor([*starts[one.prompt], *one.ids]) for one in replies]
    own = [torch.tensor([False] * len(starts[one.prompt]) + [True] * len(one)) for one in replies]
    return pad_sequence(rows, batch_first=True), pad_sequence(own, batch_first=True)


class _At(type(passthrough)):  # type: ignore[misc]
    """Goes no further than what one layer leaves in the stream."""

    def __init__(self, layer: int) -> None:
        self.wanted, self.layer, self.found = layer, 0, torch.empty(0)

    def __call__(self, name: str, value: Any, axes: tuple[str, ...]) -> Any:
        if name == "residual" and self.layer == self.wanted:
            self.found = value
            raise Enough
        return value

    def at(self, **index: int) -> Self:
        self.layer = index.get("layer", self.layer)
        return self


@torch.no_grad()
def states(
    model: Transformer, replies: Sequence[Reply], layer: int, most: int = 32
) -> list[np.ndarray]:
    """Per reply what the stream holds at each of its tokens (T, D) behind a layer, from 0."""
    found = list[np.ndarray]()
    for first in range(0, len(replies), most):
        ids_BT, own_BT = batch(model, replies[first : first + most])
        tap = _At(layer)
        with suppress(Enough):
            model.net.stream(ids_BT, tap)
        found += [x_TD[own_T].numpy() for x_TD, own_T in zip(tap.found, own_BT, strict=True)]
    return found
