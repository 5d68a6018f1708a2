"""Pickled: the tensors of checkpoints that are published as pytorch_model.bin, by name, as they lie there.

What      torch opens such a file with `weights_only`, which makes tensors and nothing else: whatever other name
          the file asks for is refused before it is looked up
Source    `torch.load`; `save_pretrained` of the `transformers` library, before it wrote safetensors
Shapes    as in the files
Differs   Where safetensors lie beside it, they are read, and this is not.
"""

from __future__ import annotations

import zipfile
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from engine.language.message import refusal
from engine.pretrained.stored import Head, Stored

if TYPE_CHECKING:
    from torch import Tensor

KINDS = {"float64": "F64", "float32": "F32", "float16": "F16", "bfloat16": "BF16"}


class Pickled(Stored):
    """`heads`, `again`: as in Stored."""

    def __init__(self, files: Iterable[Path]) -> None:
        """ValueError where a file is damaged, or holds anything but tensors."""
        self.heads, self.again = {}, set()
        self._tensors: dict[str, Tensor] = {}
        seen = set()
        for path in files:
            for name, tensor in _tensors(path).items():
                kind = str(tensor.dtype).removeprefix("torch.")
                self.heads[name] = Head(tuple(tensor.shape), KINDS.get(kind, kind))
                place = (tensor.data_ptr(), tensor.shape, tensor.stride())
                if tensor.numel() and place in seen:
                    self.again.add(name)
                seen.add(place)
                self._tensors[name] = tensor

    def read(self, name: str) -> Tensor:
        return self._tensors[name]


def _tensors(path: Path) -> dict[str, Tensor]:
    import torch

    try:
        # one that was written before 2020 is no zip, and has to be read whole
        mapped = zipfile.is_zipfile(path)
        found = torch.load(path, map_location="cpu", weights_only=True, mmap=mapped)
        size = path.stat().st_size
        if not all(isinstance(one, torch.Tensor) for one in found.values()):
            raise TypeError
        tensors = {str(name): tensor.detach() for name, tensor in found.items()}
        for tensor in tensors.values():
            dense = tensor.layout == torch.strided and not tensor.is_quantized
            if not dense or tensor.numel() * tensor.element_size() > size:
                raise ValueError
    except MemoryError:
        raise
    except Exception as error:  # of many kinds: what is damaged may say anything
        raise refusal(
            "{path} is damaged, or holds more than tensors, which is not opened; give a checkpoint"
            " saved as model.safetensors"
        ) from error
    return tensors
