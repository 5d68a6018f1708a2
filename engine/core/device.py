"""Device: on what models may run, as `UNROLLED_DEVICE` says, and what there is.

auto   whichever is faster for a model and the length of a text, measured (engine/live/placement.py)
cpu    the processor, always
cuda   the GPU, always; where there is none, the processor

Differs   The only place that reads the variable.  Torch is imported by `gpu` alone, which nobody asks
          before models are opened; `has_gpu` asks the driver, so that a page can say what there is
          before torch is loaded.
"""

from __future__ import annotations

import ctypes
import os
import sys
from contextlib import suppress
from enum import StrEnum
from functools import cache
from typing import NamedTuple

from engine.language.message import refusal

CPU = "cpu"
DRIVERS = ("libcuda.so.1", "nvcuda.dll")


class Choice(StrEnum):
    AUTO = "auto"
    CPU = "cpu"
    CUDA = "cuda"


class Gpu(NamedTuple):
    """device: its name for torch; title: its maker's name for it."""

    device: str
    title: str
    size_bytes: int


def read_choice() -> Choice:
    """What `UNROLLED_DEVICE` says; auto where it says nothing.  ValueError where it says anything
    else."""
    said = os.environ.get("UNROLLED_DEVICE", "").strip().lower() or Choice.AUTO.value
    if said not in {choice.value for choice in Choice}:
        raise refusal("UNROLLED_DEVICE is {said!r}; it can be auto, cpu or cuda")
    return Choice(said)


@cache
def gpu() -> Gpu | None:
    """The GPU that torch computes on; None where it sees none."""
    import torch

    if not torch.cuda.is_available():
        return None
    about = torch.cuda.get_device_properties(0)
    return Gpu("cuda", about.name, about.total_memory)


@cache
def _driven() -> bool:
    for name in DRIVERS:
        with suppress(OSError, AttributeError):
            driver, count = ctypes.CDLL(name), ctypes.c_int(0)
            if driver.cuInit(0) == 0 and driver.cuDeviceGetCount(ctypes.byref(count)) == 0:
                return count.value > 0
    return False


def has_gpu() -> bool:
    """Whether there is a GPU, said before torch is loaded too."""
    return gpu() is not None if "torch" in sys.modules else _driven()


def exact() -> None:
    """No TF32: cuDNN rounds what a recurrent net multiplies to 11 bits unless it is told not to, and
    the states of a shipped LSTM are then wrong in the third digit."""
    rounded(False)


def rounded(on: bool) -> None:
    """Whether products on a GPU may be rounded to TF32 on the way: only in a training with half the
    digits."""
    import torch

    torch.backends.cudnn.allow_tf32 = on
    torch.backends.cuda.matmul.allow_tf32 = on
