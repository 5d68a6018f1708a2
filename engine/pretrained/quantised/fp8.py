"""FP8: floats of 8 bits with a scale for each block of a matrix, or one for all of it.

Source    DeepSeek-AI, DeepSeek-V3 Technical Report, 2024, sec. 3.3; FineGrainedFP8Config of the
          `transformers` library
Shapes    scales (out / rows of a block, in / columns)
Differs   Its library rounds activations to 8 bits too where the processor can; here they are whole,
          as they are there on a processor that can't.
"""

from __future__ import annotations

from engine.language.message import refusal
from engine.pretrained.quantised.base import Method, Settings, Weight, scaled
from engine.pretrained.stored import Stored

SCALE = ".weight_scale_inv"


def weights(stored: Stored, config: Settings) -> dict[str, Weight]:
    block = config.get("weight_block_size") or ()
    if block and not (
        isinstance(block, list)
        and len(block) == 2
        and all(type(size) is int and size > 0 for size in block)
    ):
        raise refusal("its weight_block_size {block!s:.60} is no size of a block")
    return {
        f"{name}.weight": scaled(stored, f"{name}.weight", name + SCALE, block)
        for name in stored.ending(SCALE)
    }


METHOD = Method("FP8", weights, unread=(".activation_scale",))
