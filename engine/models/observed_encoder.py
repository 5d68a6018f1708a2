"""Observed encoder: a model that reads a text from both sides and that nothing here describes, read by
its library's own code.

What      what may stand at each place, and what engine/models/observed.py tells of its layers
Source    the `transformers` library
Shapes    B = batch, T = tokens, V = vocabulary, D = width
Differs   Marks at the ends of a text and between two sentences as in engine/models/bert.py.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Self, final

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from engine.core.cache import once
from engine.core.tap import Tap, passthrough
from engine.core.trace import FieldSpec
from engine.models.abilities import Fills, Looks
from engine.models.base import Card, Weights
from engine.models.bert import FILL, draw_masked, read_marked, sentences_of
from engine.models.neural import tokenizer_of
from engine.models.observed import (
    Config,
    Observed,
    answers,
    ask,
    must_not_be_edited,
    net_of,
    observed,
    tell,
)
from engine.text.tokenizers.base import Tokenizer, Tokens

SOME = 4  # examples that are judged at a time: the logits of all their tokens are made


class Net(nn.Module):
    def __init__(self, net: nn.Module, config: Config, end: int) -> None:
        super().__init__()
        self.net, self.config, self.end = net, config, end

    def forward(self, ids_BT: Tensor, tap: Tap = passthrough) -> Tensor | None:
        """Logits (B, T, V) of the word at each place; None without a head for it."""
        c = self.config
        given = {"input_ids": ids_BT}
        if c.segments > 1:
            closed_BT = (ids_BT == self.end).cumsum(1) - (ids_BT == self.end).long()
            given["token_type_ids"] = closed_BT.clamp(max=1)
        made = ask(self.net, tap, "", c.attends, **given)
        tell(
            tap,
            observed(attends=c.attends, causal=False),
            c.layers,
            made.hidden_states,
            attention=made.attentions if c.attends else None,
        )
        found: Tensor | None = made.logits if c.masked else None
        return found


@final
class ObservedEncoder(Observed, Fills[Config], Looks[Config]):
    card = Card(
        "observed_encoder",
        "Read-only encoder",
        2020,
        "Wolf et al., Transformers: State-of-the-Art Natural Language Processing, 2020",
    )
    config_type = Config
    net: Net

    def __init__(self, config: Config, tokenizer: Tokenizer, net: Net) -> None:
        self.config, self.tokenizer, self.net = config, tokenizer, net
        self.context = config.context
        self._labels = {"next": tokenizer.vocab}

    @torch.inference_mode()
    def judge(self, lines: Sequence[str], most: int = 4096) -> dict[str, float]:
        """How well masked words drawn from `lines` are guessed, beside always guessing the commonest
        one."""
        examples = sentences_of(lines, self.tokenizer)
        if not (examples.ids_N != self.tokenizer.unknown).any() or not self.config.masked:
            return {}
        rng, wanted = np.random.default_rng(0), list[np.ndarray]()
        right, nats = 0, 0.0
        for _batch in range(math.ceil(min(most, 8 * len(examples)) / SOME)):
            drawn = draw_masked(self.tokenizer, self.config, examples, SOME, rng, plain=True)
            read_BT, y_BT = (self._there(part.numpy()) for part in drawn)
            logit_BTV, chosen_BT = self.net(read_BT), y_BT[:, 1:] >= 0
            logit_NV, y_N = logit_BTV[:, 1:][chosen_BT], y_BT[:, 1:][chosen_BT]
            right += int((logit_NV.argmax(-1) == y_N).sum())
            nats += float(F.cross_entropy(logit_NV, y_N, reduction="sum"))
            wanted.append(y_N.cpu().numpy())
        counts = np.bincount(np.concatenate(wanted))
        total = int(counts.sum())
        return {
            "masked_words": total,
            "accuracy": right / total,
            "commonest_word": int(counts.max()) / total,
            "nats": nats / total,
        }

    def tokens(self, text: str) -> Tokens:
        return read_marked(self.tokenizer, text)

    @once
    def spec(self) -> tuple[FieldSpec, ...]:
        tower = observed(attends=self.config.attends, causal=False)
        return (*tower, *(answers(FILL) if self.config.masked else ()))

    def labels(self, tokens: Tokens) -> Mapping[str, tuple[str, ...]]:
        return self._labels | {"token": tokens.labels, "query": tokens.labels, "key": tokens.labels}

    @torch.inference_mode()
    def run(self, tokens: Tokens, tap: Tap) -> None:
        must_not_be_edited(tap, self.spec())
        logit_BTV = self.net(self._there(tokens.ids[None]), tap)
        if logit_BTV is not None:
            tap.derived("fill", lambda: logit_BTV.float().softmax(-1), ("batch", "token", "next"))

    @torch.inference_mode()
    def look(
        self, texts: Sequence[tuple[np.ndarray, Sequence[int]]]
    ) -> list[tuple[np.ndarray | None, np.ndarray | None]]:
        if not self.config.masked:
            return [(None, None) for _ in texts]
        read: dict[bytes, Tensor] = {}
        for length in {len(ids_T) for ids_T, _ in texts}:
            some = {ids_T.tobytes(): ids_T for ids_T, _ in texts if len(ids_T) == length}
            read |= zip(some, self.net(self._there(np.stack([*some.values()]))), strict=True)
        rows = ((read[ids_T.tobytes()], [*places]) for ids_T, places in texts)
        return [(logit_TV[at].softmax(-1).cpu().numpy(), None) for logit_TV, at in rows]

    def _there(self, ids_BT: np.ndarray) -> Tensor:
        return torch.from_numpy(ids_BT).to(next(self.net.parameters()).device)

    def trail(self, stop: int, total: int) -> int:
        return min(total, max(stop, self.config.context))

    def to(self, device: str) -> Self:
        self.net.to(device)
        return self

    @classmethod
    def observing(cls, config: Config, tokenizer: Tokenizer, net: nn.Module) -> Self:
        """net  the library's"""
        return cls(config, tokenizer, Net(net, config, tokenizer.end))

    @classmethod
    def from_weights(cls, config: Config, weights: Weights) -> Self:
        return cls.observing(config, tokenizer_of(config, weights), net_of(config, weights))


MODEL = ObservedEncoder
