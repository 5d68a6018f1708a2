"""GPTQ: whole numbers of 2, 3, 4 or 8 bits with a scale and a zero for each group of a row's numbers;
which group a number is in, the file may say.

Source    Frantar et al., GPTQ: Accurate Post-Training Quantization for Generative Pre-trained
          Transformers, 2023; the formats: AutoGPTQ, GPTQModel
Shapes    packed (in bits / 32, out), zeros (groups, out bits / 32), scales (groups, out)
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
    refuse,
    unpacked,
    words_of,
)
from engine.pretrained.stored import FLOATS, Stored

if TYPE_CHECKING:
    from torch import Tensor

BITS = (2, 3, 4, 8)
FORMATS = ("gptq", "gptq_v2")  # the first keeps zeros less 1


def weights(stored: Stored, config: Settings) -> dict[str, Weight]:
    refuse(config, "rotation", "is_marlin_format")
    form = config.get("checkpoint_format") or config.get("format") or FORMATS[0]
    if form not in FORMATS:
        raise refusal(
            "checkpoints with checkpoint_format = {form!r} can't be shown; only {FORMATS} can",
            form=str(form)[:60],
        )
    bits = integer(config, "bits", BITS)
    return {
        f"{name}.weight": unpack(stored, name, config, bits, form == FORMATS[0])
        for name in stored.ending(".qweight")
    }


def unpack(stored: Stored, name: str, config: Settings, bits: int, less: bool) -> Weight:
    import torch

    packed, zeros, scales, groups_in = (
        f"{name}.{end}" for end in ("qweight", "qzeros", "scales", "g_idx")
    )
    rows, out = head_of(stored, packed, ("I32",), 2)
    parts: tuple[str, ...] = (packed, zeros, scales)
    if told := groups_in in stored.heads:
        (into,) = head_of(stored, groups_in, ("I32", "I64"), 1)
        parts += (groups_in,)
        if config.get("dynamic"):  # some parts have bits of their own
            bits = next((b for b in BITS if words_of(into, b) == rows), bits)
    else:
        into = rows * 32 // bits
    fits(packed, (rows, out), (words_of(into, bits), out))
    groups, _ = head_of(stored, scales, FLOATS, 2)
    fits(scales, head_of(stored, scales, FLOATS), (groups, out))
    fits(zeros, head_of(stored, zeros, ("I32",)), (groups, words_of(out, bits)))
    size = config.get("group_size")
    size = size if type(size) is int and 0 < size <= into else into
    if not told and groups != -(-into // size):
        raise refusal("{scales} has {groups} groups, which does not fit groups of {size}")

    def values() -> Tensor:
        of = stored.read(groups_in).long() if told else torch.arange(into) // size
        if not 0 <= int(of.min()) <= int(of.max()) < groups:
            raise refusal("{groups_in} names groups that {scales} does not have")
        z = stored.read(zeros)
        if less and bits != 3:  # the library adds 1 to all in a word at once
            z = z.long() + sum(1 << at for at in range(0, 32, bits))
        z = unpacked(z, bits, out)
        if less and bits == 3:
            z = (z + 1) & 7
        q = unpacked(stored.read(packed).T, bits, into)
        # (out, in) by the group of each column
        z, s = z.T.float(), finite(stored, scales).T
        w = q.float()
        for rows in torch.arange(out).split(512):
            w[rows] = (w[rows] - z[rows][:, of]) * s[rows][:, of]
        return w

    return Weight((out, into), parts, values, turned=True)


METHOD = Method("GPTQ", weights)
