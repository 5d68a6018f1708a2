"""FBGEMM FP8: floats of 8 bits with a scale for each row.

Source    FbgemmFp8Config of the `transformers` library
Shapes    scales (out, 1)
Differs   Its library rounds activations to 8 bits too; here they are whole.
"""

from __future__ import annotations

from engine.pretrained.quantised.base import Method, Settings, Weight, scaled
from engine.pretrained.stored import Stored

SCALE = ".weight_scale"


def weights(stored: Stored, config: Settings) -> dict[str, Weight]:
    return {
        f"{name}.weight": scaled(stored, f"{name}.weight", name + SCALE)
        for name in stored.ending(SCALE)
    }


METHOD = Method("FBGEMM FP8", weights)
