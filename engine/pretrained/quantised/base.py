"""Method: how weights that a checkpoint keeps in few bits become numbers again.

What      a weight W is whole numbers or small floats q, and scales s (and zeros z) of its rows, of
          groups in a row, or of blocks: W = s (q - z)
Source    the libraries that write them, as each method's file says
Shapes    W (out, in)
Differs   Numbers that are not finite, and shapes that do not belong together, are refused.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from engine.language.message import refusal
from engine.pretrained.stored import Stored

if TYPE_CHECKING:
    from torch import Tensor

Settings = Mapping[str, Any]
"""`quantization_config` of a config.json."""
ROWS = 512  # that are unpacked at once, each number of which takes many bytes on the way


@dataclass(frozen=True, slots=True)
class Weight:
    """
    shape   of the numbers
    parts   names of what it is made of
    values  the numbers, in float32
    turned  whether it is (out, in) even where the family keeps (in, out)
    """

    shape: tuple[int, ...]
    parts: tuple[str, ...]
    values: Callable[[], Tensor]
    turned: bool = False


@dataclass(frozen=True, slots=True)
class Method:
    """
    title    its name in a sentence
    weights  the weights by the names that they would have if they were not quantised; ValueError
             for a way that is not here
    unread   ends of names that the library does not read either, where it computes with floats
    """

    title: str
    weights: Callable[[Stored, Settings], dict[str, Weight]]
    unread: tuple[str, ...] = ()


def head_of(
    stored: Stored, name: str, kinds: Sequence[str], sides: int | None = None
) -> tuple[int, ...]:
    """The shape of a part.  ValueError where there is none, or one of another type or with another
    number of sides."""
    if (head := stored.heads.get(name)) is None:
        raise refusal("its weights are not whole: {name} is missing")
    if head.kind not in kinds:
        raise refusal("{name} is stored as {head.kind}; only {kinds} can be read")
    if sides is not None and len(head.shape) != sides:
        raise refusal("{name} is {head.shape}, which does not fit its method")
    return head.shape


def fits(name: str, found: Sequence[int], want: Sequence[int]) -> None:
    """ValueError where a part has another shape than its weight needs."""
    if tuple(found) != tuple(want):
        raise refusal("{name} is {found}, and {want} would fit its weight")


def finite(stored: Stored, name: str) -> Tensor:
    """Scales, in float32.  ValueError where one is infinite or none."""
    found = stored.read(name).float()
    if not found.isfinite().all():
        raise refusal("{name} holds a scale that is infinite or no number")
    return found


def spread(name: str, scale: Tensor, shape: Sequence[int], block: Sequence[int] = ()) -> Tensor:
    """Scales of a whole matrix, of its rows, of groups in a row or of blocks, one for each number.

    block   rows and columns of a block, where that is said; the last one may be smaller

    ValueError where they do not fit the matrix.
    """
    if scale.numel() == 1:
        return scale.reshape(1, 1)
    for side, (grid, size) in enumerate(zip(scale.shape, shape, strict=False)):
        if scale.ndim != 2 or not grid:
            break
        each = block[side] if block else 0
        if not each or -(-size // each) != grid:
            if size % grid:
                break
            each = size // grid
        if grid > 1:
            scale = scale.repeat_interleave(each, side).narrow(side, 0, size)
    else:
        return scale
    raise refusal("{name} is {scale.shape}, which does not fit {shape}")


def scaled(stored: Stored, name: str, scale: str, block: Sequence[int] = ()) -> Weight:
    """Small floats and their scales."""
    shape = head_of(stored, name, ("F8_E4M3", "F8_E5M2"), 2)
    head_of(stored, scale, ("F32", "BF16", "F16", "F8_E8M0", "U8"))

    def values() -> Tensor:
        s = finite(stored, scale)
        if stored.heads[scale].kind == "U8":  # powers of two by their exponents
            s = (s - 127.0).exp2()
        return stored.read(name).float() * spread(scale, s, shape, block)

    return Weight(shape, (name, scale), values)


def unpacked(words: Tensor, bits: int, count: int) -> Tensor:
    """`count` whole numbers of some bits from each row of 32-bit words, lowest bits first; one may
    begin in a word and end in the next."""
    import torch

    at = torch.arange(count) * bits
    word, shift = at // 32, at % 32
    found = []
    for rows in words.split(ROWS):
        wide = torch.nn.functional.pad(rows.long() & 0xFFFFFFFF, (0, 1))
        whole = (wide[:, word] >> shift) | (wide[:, word + 1] << (32 - shift))
        found.append((whole & (2**bits - 1)).to(torch.uint8))
    return torch.cat(found)


def words_of(count: int, bits: int) -> int:
    return math.ceil(count * bits / 32)


def integer(config: Settings, name: str, among: Sequence[int]) -> int:
    """A setting.  ValueError where it is none of these."""
    found = config.get(name)
    if type(found) is not int or found not in among:
        raise refusal(
            "checkpoints with {name} = {found!s:.60} in their quantization_config can't be shown;"
            " only {known} can",
            known=map(str, among),
        )
    return found


def refuse(config: Settings, *names: str) -> None:
    """ValueError where one of these settings is on."""
    for name in names:
        if config.get(name):
            raise refusal(
                "checkpoints with {name} = {found} in their quantization_config can't be shown",
                found=str(config[name])[:60],
            )
