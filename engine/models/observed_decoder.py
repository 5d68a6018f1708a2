"""Observed decoder: a language model that nothing here describes, read by its library's own code.

What      P(next token) and what engine/models/observed.py tells of its layers
Source    the `transformers` library
Shapes    T = tokens, V = vocabulary
Differs   Every key reads the whole text: the library's own memory of keys and values is not kept.
"""

from __future__ import annotations

from typing import Self

import torch
from torch import Tensor, nn

from engine.core.cache import once
from engine.core.tap import Tap, passthrough
from engine.core.trace import FieldSpec
from engine.models.abilities import Looks
from engine.models.base import Card, Weights
from engine.models.neural import LOGITS, PROBABILITY, NeuralLanguageModel, tokenizer_of
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


class Net(nn.Module):
    def __init__(self, net: nn.Module, config: Config) -> None:
        super().__init__()
        self.net, self.config = net, config

    def forward(self, ids_BT: Tensor, tap: Tap = passthrough) -> Tensor:
        """Logits (B, T, V)."""
        c = self.config
        made = ask(self.net, tap, "", c.attends, input_ids=ids_BT, use_cache=False)
        tell(
            tap,
            observed(attends=c.attends),
            c.layers,
            made.hidden_states,
            attention=made.attentions if c.attends else None,
        )
        tap.derived("logits", lambda: made.logits, ("batch", "token", "next"))
        logit_BTV: Tensor = made.logits
        return logit_BTV


class ObservedDecoder(Observed, NeuralLanguageModel[Config], Looks[Config]):
    card = Card(
        "observed_decoder",
        "Read-only language model",
        2020,
        "Wolf et al., Transformers: State-of-the-Art Natural Language Processing, 2020",
    )
    config_type = Config
    net: Net

    def __init__(self, config: Config, tokenizer: Tokenizer, net: nn.Module) -> None:
        super().__init__(config, tokenizer, net)
        self.context = config.context

    @once
    def spec(self) -> tuple[FieldSpec, ...]:
        return (*observed(attends=self.config.attends), *answers(LOGITS, PROBABILITY))

    @torch.inference_mode()
    def run(self, tokens: Tokens, tap: Tap) -> None:
        must_not_be_edited(tap, self.spec())
        ids_BT = torch.from_numpy(tokens.ids)[None].to(next(self.net.parameters()).device)
        logit_BTV = self.net(ids_BT, tap)
        tap.derived(
            "probability", lambda: logit_BTV.float().softmax(-1), ("batch", "token", "next")
        )

    @classmethod
    def observing(cls, config: Config, tokenizer: Tokenizer, net: nn.Module) -> Self:
        """net  the library's"""
        return cls(config, tokenizer, Net(net, config))

    @classmethod
    def from_weights(cls, config: Config, weights: Weights) -> Self:
        return cls.observing(config, tokenizer_of(config, weights), net_of(config, weights))


MODEL = ObservedDecoder
