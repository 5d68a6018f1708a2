"""compressed-tensors: whole numbers or floats of 8 bits, or whole numbers of 1 to 8 bits packed into
words, with scales (and zeros) of a matrix, its rows, groups in a row or blocks.

Source    the compressed-tensors library (llm-compressor, vLLM)
Shapes    packed (out, in bits / 32), scales (out, groups), zeros the same, or packed along out
Differs   Dynamic rounding of activations is left out; here they are whole.  Fixed scales of
          activations, of keys and values, and rotations are refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import regex

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
    spread,
    unpacked,
    words_of,
)
from engine.pretrained.stored import FLOATS, Stored

if TYPE_CHECKING:
    from torch import Tensor

SCALE, PACKED = ".weight_scale", ".weight_packed"
PLAIN = ("int-quantized", "float-quantized", "naive-quantized")
FORMATS = (*PLAIN, "pack-quantized")
LONGEST = 300  # characters of an expression; patterns of layers have some dozens


def weights(stored: Stored, config: Settings) -> dict[str, Weight]:
    refuse(config, "kv_cache_scheme", "transform_config")
    sparse = config.get("sparsity_config")
    if isinstance(sparse, Mapping) and sparse.get("format", "dense") != "dense":
        refuse(config, "sparsity_config")
    if config.get("quantization_status", "compressed") != "compressed":
        raise refusal(
            "checkpoints with quantization_status = {status!r} can't be shown; only 'compressed'"
            " can",
            status=str(config["quantization_status"])[:60],
        )
    groups = config.get("config_groups")
    if not isinstance(groups, Mapping) or not all(isinstance(g, Mapping) for g in groups.values()):
        raise ValueError("its quantization_config has no config_groups that say what is quantised")
    for group in groups.values():
        _activations(group)
    return {f"{name}.weight": _one(stored, name, config, groups) for name in stored.ending(SCALE)}


def _activations(group: Settings) -> None:
    """ValueError where activations are rounded by fixed scales."""
    refuse(group, "output_activations")
    found = group.get("input_activations")
    if found and not (isinstance(found, Mapping) and found.get("dynamic") is True):
        raise ValueError(
            "checkpoints with input_activations that are not dynamic can't be shown: fixed scales"
            " would cut what is larger"
        )


def _group(name: str, groups: Mapping[str, Settings]) -> Settings:
    """The group that a layer is in: named, or by its kind.  ValueError where there is none."""
    kinds: list[Settings] = []
    for group in groups.values():
        targets = group.get("targets")
        for target in targets if isinstance(targets, list) else ():
            if target in ("Linear", "Embedding"):
                kinds.append(group)
            elif target == name or (
                isinstance(target, str) and target.startswith("re:") and _matches(target[3:], name)
            ):
                return group
    if not kinds:
        raise refusal("no group of its quantization_config is for {name}")
    return kinds[0]


def _matches(expression: str, name: str) -> bool:
    try:
        if len(expression) > LONGEST:
            raise ValueError
        return regex.match(expression, name, timeout=1) is not None
    except (regex.error, TimeoutError, ValueError) as error:
        raise refusal(
            "its quantization_config has an expression that can't be read: {expression!r}",
            expression=expression[:60],
        ) from error


def _one(stored: Stored, name: str, config: Settings, groups: Mapping[str, Settings]) -> Weight:
    group = _group(name, groups)
    about: Any = group.get("weights")
    form = group.get("format") or config.get("format")
    if form not in FORMATS:
        raise refusal(
            "checkpoints of compressed-tensors with format = {form!r} can't be shown; only"
            " {FORMATS} can",
            form=str(form)[:60],
        )
    if not isinstance(about, Mapping):
        raise refusal("its quantization_config does not say how {name} is quantised")
    packed = form == "pack-quantized"
    floats = about.get("type", "int") == "float"
    bits = integer(about, "num_bits", (8,) if floats else tuple(range(1, 9)))
    kinds = ("I32",) if packed else ("F8_E4M3",) if floats else ("I8",)
    source = name + (PACKED if packed else ".weight")
    shape = head_of(stored, source, kinds, 2)
    parts = [source, name + SCALE]
    if packed:
        parts.append(f"{name}.weight_shape")
        fits(parts[-1], head_of(stored, parts[-1], ("I32", "I64")), (2,))
        said = stored.read(parts[-1]).tolist()
        if said[0] != shape[0] or not 0 < said[1] < 2**31 or words_of(said[1], bits) != shape[1]:
            raise refusal("{source} is {shape}, which does not fit {said} in {bits} bits")
        shape = (said[0], said[1])
    grid = head_of(stored, name + SCALE, FLOATS)
    block = _block(about, shape)
    zero = f"{name}.weight_zero_point"
    if zero in stored.heads or about.get("symmetric", True) is False:
        head_of(stored, zero, ("I32", "I8", *FLOATS))
        parts.append(zero)
        within = stored.heads[zero].kind == "I32" and packed  # packed too, along the rows
        want = (words_of(grid[0], bits), *grid[1:]) if within else grid
        fits(zero, head_of(stored, zero, ("I32",) if within else ("I8", *FLOATS)), want)

    def values() -> Tensor:
        q = stored.read(source)
        w = (unpacked(q, bits, shape[1]).float() - 2 ** (bits - 1)) if packed else q.float()
        if zero in stored.heads:
            z = stored.read(zero)
            if within:
                z = unpacked(z.T.contiguous(), bits, grid[0]).T.float() - 2 ** (bits - 1)
            w = w - spread(zero, z.float(), shape, block)
        return w * spread(name + SCALE, finite(stored, name + SCALE), shape, block)

    return Weight(shape, tuple(parts), values)


def _block(about: Settings, shape: tuple[int, ...]) -> tuple[int, ...]:
    """Rows and columns that have one scale together; () where its shape says it."""
    if isinstance(found := about.get("block_structure"), str):
        found = [int(size) for size in found.split("x") if size.isdecimal()]
    if isinstance(size := about.get("group_size"), int) and size > 0:
        found = [1, size]
    if not found:
        return ()
    if len(found) != 2 or not all(type(size) is int and size > 0 for size in found):
        raise refusal("its block_structure {found!s:.60} is no size of a block")
    return tuple(found)


METHOD = Method("compressed-tensors", weights)
