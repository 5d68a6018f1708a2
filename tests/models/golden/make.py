"""What the libraries themselves write and read: `python -m tests.models.golden.make` with
bitsandbytes 0.50.2, gptqmodel 7.7.0 and autoawq 0.2.9 beside the rest writes quantised.safetensors.

A matrix of 32 by 64 in each format of theirs, and the numbers that they make of it again.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save_file
from torch import Tensor

from tests.models import quantisers as by_hand

GOLDEN = Path(__file__).with_name("quantised.safetensors")
GPTQ = {"2": (2, 16), "3": (3, 32), "4": (4, 16), "8": (8, 64)}


def matrix() -> Tensor:
    return torch.randn(32, 64, generator=torch.Generator().manual_seed(5)).half()


def four(weight: Tensor, table: str, nested: bool) -> dict[str, Tensor]:
    from bitsandbytes import functional

    packed, state = functional.quantize_4bit(weight, quant_type=table, compress_statistics=nested)
    found = {f"weight.{end}": x for end, x in state.as_dict(packed=True).items()}
    return found | {"weight": packed, "values": functional.dequantize_4bit(packed, state)}


def eight(weight: Tensor) -> dict[str, Tensor]:
    from bitsandbytes import functional

    q, scales, _ = functional.int8_vectorwise_quant(weight)
    return {"weight": q, "SCB": scales, "values": functional.int8_vectorwise_dequant(q, scales)}


def gptq(weight: Tensor, bits: int, size: int, first: bool, order: bool) -> dict[str, Tensor]:
    from gptqmodel.nn_modules.qlinear.torch import TorchLinear
    from gptqmodel.quantization import QuantizeConfig
    from gptqmodel.utils.model import convert_gptq_v2_to_v1_format_module

    out, into = weight.shape
    small = by_hand.gptq(bits, size, less=False, order=order)(weight.float())
    groups = small.tensors["g_idx"]
    _, zeros, scales, values = by_hand.grouped(weight.float(), bits, groups.numpy())
    linear = torch.nn.Linear(into, out, bias=False)
    linear.weight.data = values.float()
    sizes = {"bits": bits, "group_size": size, "in_features": into, "out_features": out}
    made: Any = TorchLinear(sym=False, desc_act=order, bias=False, **sizes)
    made.pack(linear, torch.from_numpy(scales), torch.from_numpy(zeros).int(), groups)
    made.post_init()
    numbers = made.dequantize_weight().T.contiguous()
    if first:
        convert_gptq_v2_to_v1_format_module(made, QuantizeConfig(bits=bits))
    ends = ("qweight", "qzeros", "scales", "g_idx")
    return {end: getattr(made, end).clone() for end in ends} | {"values": numbers}


def awq(weight: Tensor, size: int) -> dict[str, Tensor]:
    from awq.modules.linear.gemm import WQLinear_GEMM
    from awq.utils.packing_utils import dequantize_gemm

    out, into = weight.shape
    groups = torch.arange(into) // size
    _, zeros, scales, values = by_hand.grouped(weight.float(), 4, groups.numpy())
    linear = torch.nn.Linear(into, out, bias=False)
    linear.weight.data = values.float()
    by_group = (torch.from_numpy(x.T.copy()) for x in (scales, zeros.astype("float32")))
    named = dict(zip(("scales", "zeros"), by_group, strict=True))
    made: Any = WQLinear_GEMM.from_linear(linear, 4, size, **named)
    parts = {end: getattr(made, end).clone() for end in ("qweight", "qzeros", "scales")}
    numbers = dequantize_gemm(made.qweight, made.qzeros, made.scales, 4, size)
    return parts | {"values": numbers.T.contiguous()}


def main() -> None:
    weight = matrix()
    cases = {
        "bitsandbytes 8": eight(weight),
        "nf4": four(weight, "nf4", False),
        "nf4 twice": four(weight, "nf4", True),
        "fp4": four(weight, "fp4", False),
        "awq": awq(weight, 16),
        "gptq 4 by order": gptq(weight, 4, 16, True, True),
        "gptq 4 again": gptq(weight, 4, 32, False, False),
    }
    cases |= {f"gptq {name}": gptq(weight, *of, True, False) for name, of in GPTQ.items()}
    flat = {f"{case}/{end}": x.cpu() for case, parts in cases.items() for end, x in parts.items()}
    save_file({name: x.clone().contiguous() for name, x in flat.items()}, GOLDEN)
    print(f"{GOLDEN}: {GOLDEN.stat().st_size:,} bytes", file=sys.stderr)


if __name__ == "__main__":
    main()
