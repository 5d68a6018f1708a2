"""Marian: an encoder and a decoder with the norm after each part, as in 2017, with sinusoidal places.

Source    Junczys-Dowmunt et al., Marian: Fast Neural Machine Translation in C++, 2018; OPUS-MT: Tiedemann &
          Thottingal, 2020
Shapes    matrices are kept (out, in)
Differs   Its sines stand before its cosines, so its places are a table here, with the same numbers.  Two
          vocabularies are not here.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from engine.language.message import refusal
from engine.pretrained import bart
from engine.pretrained.base import Names, demand

if TYPE_CHECKING:
    from torch import Tensor


def settings(c: Any, names: Names) -> dict[str, Any]:
    demand(c, share_encoder_decoder_embeddings=True)
    if c.decoder_vocab_size not in (None, c.vocab_size):
        raise refusal(
            "checkpoints with vocab_size = {c.vocab_size} and decoder_vocab_size = {c.decoder_vocab_size}"
            " can't be shown; only equal ones can"
        )
    return bart.settings(c, names)


def arranged(theirs: Any, c: Any, made: dict[str, Tensor]) -> dict[str, Tensor]:
    import torch

    from engine.nn.positions.sinusoidal import waves

    for half in bart.HALVES:
        if (name := f"{half}.position.table.weight") not in made:
            both_TD = waves(torch.arange(c.context), c.width)
            made[name] = torch.cat((both_TD[:, ::2], both_TD[:, 1::2]), 1)
    return bart.arranged(theirs, c, made)


FAMILY = replace(bart.FAMILY, settings=settings, arranged=arranged, kept={})
