"""AWQ: whole numbers of 4 bits with a scale and a zero for each group of a row's numbers.

Source    Lin et al., AWQ: Activation-aware Weight Quantization for LLM Compression and
          Acceleration, 2024; the format: AutoAWQ, its version "gemm"
Shapes    packed (in, out / 8), zeros (groups, out / 8), scales (groups, out)
Differs   The library computes in float16; here it is float32.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.language.message import refusal
from engine.pretrained.quantised.base import (
    Method,
    Settings,
    Weight,
    finite,
    fits,
    head_of,
    integer,
    unpacked,
)
from engine.pretrained.stored import FLOATS, Stored

if TYPE_CHECKING:
    from torch import Tensor

ORDER = (0, 4, 1, 5, 2, 6, 3, 7)  # where in a word the numbers lie, from its lowest bits
BITS = 4


def weights(stored: Stored, config: Settings) -> dict[str, Weight]:
    form = config.get("version") or config.get("format") or "gemm"
    if str(form).lower() != "gemm" or config.get("backend") == "llm-awq":
        raise refusal(
            "checkpoints of AWQ with version = {form!r} can't be shown; only 'gemm' can",
            form=str(form)[:60],
        )
    integer(config, "bits" if "bits" in config else "w_bit", (BITS,))
    return {f"{name}.weight": unpack(stored, name, config) for name in stored.ending(".qweight")}


def unpack(stored: Stored, name: str, config: Settings) -> Weight:
    packed, zeros, scales = (f"{name}.{end}" for end in ("qweight", "qzeros", "scales"))
    into, words = head_of(stored, packed, ("I32",), 2)
    out = 8 * words
    groups, _ = head_of(stored, scales, FLOATS, 2)
    fits(scales, head_of(stored, scales, FLOATS), (groups, out))
    fits(zeros, head_of(stored, zeros, ("I32",)), (groups, words))
    said = config.get("group_size", config.get("q_group_size", 128))
    size = said if type(said) is int and said > 0 else into
    if into != groups * size:
        raise refusal("{scales} has {groups} groups, which does not fit groups of {size}")

    def ordered(name: str) -> Tensor:
        q = unpacked(stored.read(name), BITS, out)
        return q.unflatten(1, (-1, len(ORDER)))[..., ORDER].flatten(1).float()

    def values() -> Tensor:
        z, s = ordered(zeros), finite(stored, scales)
        w = ordered(packed).unflatten(0, (groups, size))
        w.sub_(z[:, None]).mul_(s[:, None])
        return w.flatten(0, 1).T.contiguous()

    return Weight((out, into), (packed, zeros, scales), values, turned=True)


METHOD = Method("AWQ", weights)
