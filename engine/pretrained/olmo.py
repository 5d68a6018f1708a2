"""OLMo, the first: Llama with layer norms that have no numbers of their own.

Source    Groeneveld et al., OLMo: Accelerating the Science of Language Models, 2024, sec. 2.1
Shapes    matrices are kept (out, in)
Differs   Its norms are ours with a gain of 1 and a bias of 0.  Clipped queries, keys and values (the 7B of
          April 2024) are not here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from engine.pretrained import llama
from engine.pretrained.base import Family, Names

if TYPE_CHECKING:
    from torch import Tensor

EPSILON = 1e-5  # which no config says


def settings(c: Any, names: Names) -> dict[str, Any]:
    llama.refuse_partial(c)
    return llama.decoder(c, names) | {"epsilon": EPSILON} | llama.places(c)


def arranged(theirs: Any, c: Any, made: dict[str, Tensor]) -> dict[str, Tensor]:
    norms = ["tower.norm"]
    norms += [f"tower.blocks.{i}.norm_{n}" for i in range(c.layers) for n in (1, 2)]
    for norm in norms:
        made[f"{norm}.weight"] = made["embed.weight"].new_ones(c.width)
        made[f"{norm}.bias"] = made["embed.weight"].new_zeros(c.width)
    return made


FAMILY = Family(
    "transformer", ("model.",), settings, llama.parts, silent=llama.silent, arranged=arranged
)
