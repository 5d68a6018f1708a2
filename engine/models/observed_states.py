"""Observed states: a language model without attention weights that nothing here describes, such as Mamba, read by
its library's own code.

What      P(next token) and the hidden states between its layers
Source    the `transformers` library; Gu & Dao, Mamba: Linear-Time Sequence Modeling with Selective State Spaces,
          2023
Shapes    as in engine/models/observed_decoder.py
Differs   The state that such a model carries from token to token is not told.
"""

from __future__ import annotations

from typing import final

from engine.models.base import Card
from engine.models.observed_decoder import ObservedDecoder


@final
class ObservedStates(ObservedDecoder):
    card = Card(
        "observed_states",
        "Read-only language model without attention",
        2020,
        "Wolf et al., Transformers: State-of-the-Art Natural Language Processing, 2020",
    )


MODEL = ObservedStates
