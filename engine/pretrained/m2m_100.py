"""M2M-100, NLLB: an encoder and a decoder for a hundred and more languages, with the norm before each part and
sinusoidal places.

Source    Fan et al., Beyond English-Centric Multilingual Machine Translation, 2021; NLLB Team, No Language Left
          Behind, 2022
Shapes    matrices are kept (out, in)
Differs   Its places are counted from behind the number of the filling, its sines stand before its cosines, and
          its slowest wave is slower than that of 2017, so its places are a table here, the first of them that
          of a filling.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from engine.language.message import refusal
from engine.pretrained import bart, mbart
from engine.pretrained.base import Names

if TYPE_CHECKING:
    from torch import Tensor


def settings(c: Any, names: Names) -> dict[str, Any]:
    if not isinstance(c.pad_token_id, int) or c.pad_token_id < 0 or c.d_model < 4:
        raise refusal(
            "checkpoints with pad_token_id = {c.pad_token_id} and d_model = {c.d_model} can't be shown;"
            " places are counted from behind the number of the filling"
        )
    return mbart.settings(c, names) | {"filling": c.pad_token_id}


def arranged(theirs: Any, c: Any, made: dict[str, Tensor]) -> dict[str, Tensor]:
    import torch

    half, rows = c.width // 2, c.context + 1
    speed_I = torch.exp(torch.arange(half).float() * -(math.log(10_000) / (half - 1)))
    angle_TI = (torch.arange(rows) + theirs.pad_token_id).float()[:, None] * speed_I
    table_TD = torch.cat((angle_TI.sin(), angle_TI.cos(), angle_TI.new_zeros(rows, c.width % 2)), 1)
    table_TD[0] = 0.0
    for name in bart.HALVES:
        made[f"{name}.position.table.weight"] = table_TD.clone()
    return bart.arranged(theirs, c, made)


FAMILY = replace(bart.FAMILY, settings=settings, arranged=arranged, kept={})
