"""Observed translator: an encoder and a decoder that nothing here describes, read by their library's own
code.

What      P(next token of the target | source) and what engine/models/observed.py tells of the layers of
          both halves
Source    the `transformers` library
Shapes    B = batch, S = source tokens, T = target tokens, D = width, V = vocabulary
Differs   The source is read once; the target is read whole with every token.
"""

from __future__ import annotations

from typing import Any, Self, final

import torch
from torch import Tensor, nn

from engine.core.cache import once
from engine.core.tap import Tap, passthrough
from engine.core.trace import FieldSpec
from engine.models.base import Card, Weights
from engine.models.encoder_decoder import READS
from engine.models.neural import LOGITS, PROBABILITY, tokenizer_of
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
from engine.models.translating import TranslatingModel, TranslatingNet, growing
from engine.text.tokenizers.base import Tokenizer, Tokens


class Net(TranslatingNet):
    def __init__(self, net: nn.Module, config: Config) -> None:
        super().__init__()
        self.net, self.config = net, config

    def read(
        self, source_BS: Tensor, tap: Tap = passthrough, real_BS: Tensor | None = None
    ) -> Tensor:
        """What the encoder makes of the source (B, S, D)."""
        c, net = self.config, self.net
        encoder: Any = net.get_encoder()  # type: ignore[operator]
        mask = torch.ones_like(source_BS) if real_BS is None else real_BS.long()
        made = ask(encoder, tap, "encoder.", c.attends, input_ids=source_BS, attention_mask=mask)
        tell(
            tap,
            observed(READS, c.attends, causal=False),
            c.encoder_layers,
            made.hidden_states,
            attention=made.attentions if c.attends else None,
        )
        found: Tensor = made.last_hidden_state
        return found

    def write(
        self,
        target_BT: Tensor,
        source_BSD: Tensor,
        tap: Tap = passthrough,
        real_BS: Tensor | None = None,
    ) -> Tensor:
        """Logits (B, T, V) of what follows each target token."""
        c = self.config
        mask = (
            source_BSD.new_ones(source_BSD.shape[:2]).long() if real_BS is None else real_BS.long()
        )
        made = ask(
            self.net,
            tap,
            "",
            c.attends,
            encoder_outputs=(source_BSD,),
            attention_mask=mask,
            decoder_input_ids=target_BT,
            use_cache=False,
        )
        tell(
            tap,
            observed(attends=c.attends, causal=False, cross=True),
            c.layers,
            made.decoder_hidden_states,
            attention=made.decoder_attentions if c.attends else None,
            cross=made.cross_attentions if c.attends else None,
        )
        tap.derived("logits", lambda: made.logits, ("batch", "token", "next"))
        logit_BTV: Tensor = made.logits
        return logit_BTV


@final
class ObservedTranslator(Observed, TranslatingModel[Config]):
    card = Card(
        "observed_translator",
        "Read-only translator",
        2020,
        "Wolf et al., Transformers: State-of-the-Art Natural Language Processing, 2020",
    )
    config_type = Config

    def __init__(self, config: Config, tokenizer: Tokenizer, net: nn.Module) -> None:
        super().__init__(config, tokenizer, net)
        self.context = config.context

    @once
    def spec(self) -> tuple[FieldSpec, ...]:
        attends = self.config.attends
        return (
            *observed(READS, attends, causal=False),
            *observed(attends=attends, causal=False, cross=True),
            *answers(*growing((LOGITS, PROBABILITY))),
        )

    @torch.inference_mode()
    def run(self, tokens: Tokens, tap: Tap) -> None:
        must_not_be_edited(tap, self.spec())
        super().run(tokens, tap)

    @classmethod
    def observing(cls, config: Config, tokenizer: Tokenizer, net: nn.Module) -> Self:
        """net  the library's"""
        return cls(config, tokenizer, Net(net, config))

    @classmethod
    def from_weights(cls, config: Config, weights: Weights) -> Self:
        return cls.observing(config, tokenizer_of(config, weights), net_of(config, weights))


MODEL = ObservedTranslator
