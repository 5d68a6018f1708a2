"""bitsandbytes: whole numbers of 8 bits with a scale for each row, or 4 bits that are looked up in a
table of 16 numbers, with a scale for each 64 of them.

Source    Dettmers et al., LLM.int8(): 8-bit Matrix Multiplication for Transformers at Scale, 2022;
          QLoRA: Efficient Finetuning of Quantized LLMs, 2023, sec. 3 (NF4, double quantisation)
Shapes    (out, in) even where the family keeps (in, out); scales (out,), or one for each block of
          the numbers in a row
Differs   LLM.int8() rounds activations to 8 bits too, but for the largest; here they are whole.
"""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

from engine.language.message import refusal
from engine.pretrained.quantised.base import Method, Settings, Weight, finite, fits, head_of, refuse
from engine.pretrained.stored import FLOATS, Stored

if TYPE_CHECKING:
    from torch import Tensor

ROW, TABLE = 0, 16
POSITIVE = (0.0, 0.0052083, 0.6666667, 1.0, 0.3333333, 0.5, 0.1666667, 0.25)
TABLES = {
    "nf4": (
        *(-1.0, -0.6961928, -0.5250731, -0.3949175, -0.2844414, -0.1847734, -0.0910500, 0.0),
        *(0.0795803, 0.1609302, 0.2461123, 0.3379152, 0.4407098, 0.5626170, 0.7229568, 1.0),
    ),
    "fp4": (*POSITIVE, *(-x for x in POSITIVE)),
}
KINDS = ("float32", "float16", "bfloat16")
MOST_STATE = 10_000  # bytes; it has about 200


def weights(stored: Stored, config: Settings) -> dict[str, Weight]:
    refuse(config, "llm_int8_has_fp16_weight")
    found = {f"{name}.weight": eight(stored, f"{name}.weight") for name in stored.ending(".SCB")}
    for table in TABLES:
        for name in stored.ending(f".quant_state.bitsandbytes__{table}"):
            found[name] = four(stored, name, table)
    return found


def eight(stored: Stored, name: str) -> Weight:
    scale, layout = (f"{name.removesuffix('weight')}{end}" for end in ("SCB", "weight_format"))
    shape = head_of(stored, name, ("I8",), 2)
    fits(scale, head_of(stored, scale, FLOATS), shape[:1])
    parts: tuple[str, ...] = (name, scale)
    if layout in stored.heads:
        head_of(stored, layout, ("U8", "I8", "I32", "I64"))
        if stored.read(layout).flatten().tolist() != [ROW]:
            raise refusal("{layout} says that its rows are not stored one after another")
        parts += (layout,)

    def values() -> Tensor:
        return stored.read(name).float() * (finite(stored, scale) / 127.0)[:, None]

    return Weight(shape, parts, values, turned=True)


def four(stored: Stored, name: str, table: str) -> Weight:
    import torch

    about_in = f"{name}.quant_state.bitsandbytes__{table}"
    about = _state(stored, about_in)
    shape, block = about["shape"], about["blocksize"]
    count = math.prod(shape)
    if (head := stored.heads.get(name)) is None:
        raise refusal("its weights are not whole: {name} is missing")
    size = torch.finfo if head.kind in FLOATS else torch.iinfo
    each = size(stored.read(name)[:0].dtype).bits // 8
    if math.prod(head.shape) * each != -(-count // 2):
        raise refusal("{name} does not hold the {shape} numbers of {about_in}")
    parts = [name, about_in, f"{name}.absmax", f"{name}.quant_map"]
    nested = f"{name}.nested_absmax" in stored.heads
    scales = head_of(stored, f"{name}.absmax", ("U8",) if nested else FLOATS, 1)
    fits(f"{name}.absmax", scales, (-(-count // block),))
    fits(f"{name}.quant_map", head_of(stored, f"{name}.quant_map", FLOATS), (TABLE,))
    if nested:
        parts += [f"{name}.nested_absmax", f"{name}.nested_quant_map"]
        coarse = head_of(stored, f"{name}.nested_absmax", FLOATS, 1)
        fits(f"{name}.nested_absmax", coarse, (-(-scales[0] // about["nested_blocksize"]),))
        many = head_of(stored, f"{name}.nested_quant_map", FLOATS)
        fits(f"{name}.nested_quant_map", many, (256,))

    def absmax() -> Tensor:
        if not nested:
            return finite(stored, f"{name}.absmax")
        looked_up = finite(stored, f"{name}.nested_quant_map")[stored.read(f"{name}.absmax").long()]
        s = finite(stored, f"{name}.nested_absmax").repeat_interleave(about["nested_blocksize"])
        return looked_up * s[: len(looked_up)] + about["nested_offset"]

    def values() -> Tensor:
        known = torch.tensor(TABLES[table])
        if not torch.allclose(finite(stored, f"{name}.quant_map"), known, rtol=0, atol=1e-4):
            raise refusal("{name}.quant_map is not the table of {table}")
        codes = stored.read(name).contiguous().view(torch.uint8).flatten()
        pairs = torch.stack((codes >> 4, codes & 15), 1).flatten()[:count]
        w = finite(stored, f"{name}.quant_map")[pairs.long()]
        w *= absmax().repeat_interleave(block)[:count]
        # the library makes them in this kind of number
        return w.to(getattr(torch, about["dtype"])).float().reshape(shape)

    return Weight(shape, tuple(parts), values, turned=True)


def _state(stored: Stored, name: str) -> dict[str, Any]:
    """The numbers that the library keeps as JSON in bytes."""
    if math.prod(head_of(stored, name, ("U8",))) > MOST_STATE:
        raise refusal("{name} is damaged")
    try:
        about = json.loads(bytes(stored.read(name).flatten().tolist()))
        shape, block = tuple(about["shape"]), about["blocksize"]
        nested = about.get("nested_blocksize", 1)
        offset = float(about.get("nested_offset") or 0.0)
        sizes = (*shape, block, nested)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise refusal("{name} is damaged") from error
    sound = len(shape) == 2 and all(type(size) is int and 0 < size < 2**31 for size in sizes)
    if not sound or about.get("dtype") not in KINDS or not math.isfinite(offset):
        raise refusal("{name} is damaged")
    return {**about, "shape": shape, "nested_blocksize": nested, "nested_offset": offset}


METHOD = Method("bitsandbytes", weights)
