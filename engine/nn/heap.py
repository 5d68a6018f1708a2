"""Heap: the memory that one training step gives back is kept for the next step, which asks for the same blocks again.

What      the C library hands a large block to the system the moment it is free, and for the next one fetches pages that the system
          has to empty first; here it keeps them until the training ends.  A tenth to a fifth of a step's time, for up to two fifths
          more memory; steps of small models gain nothing
Source    The GNU C Library manual, Malloc Tunable Parameters (M_MMAP_MAX, M_MMAP_THRESHOLD, M_TRIM_THRESHOLD)
Differs   Only where the C library is glibc.  On a GPU torch keeps its blocks itself.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

TRIM_THRESHOLD, MMAP_THRESHOLD, MMAP_MAX = -1, -3, -4  # of malloc.h
KEPT = ((MMAP_MAX, 0), (TRIM_THRESHOLD, -1))  # no block of its own for anything; nothing is ever given back
USUAL = ((MMAP_MAX, 65_536), (TRIM_THRESHOLD, 64 << 20), (MMAP_THRESHOLD, 32 << 20))  # where glibc itself ends up in a process with large blocks


@contextmanager
def kept() -> Iterator[None]:
    """What is freed in here stays with this process until the end, and then goes back."""
    libc = _glibc()
    for name, value in KEPT if libc else ():
        libc.mallopt(name, value)
    try:
        yield
    finally:
        for name, value in USUAL if libc else ():
            libc.mallopt(name, value)
        if libc:
            libc.malloc_trim(0)


def _glibc() -> Any:
    """The C library, where it is that one."""
    with suppress(AttributeError, OSError, TypeError):
        libc = ctypes.CDLL(None)
        return libc if libc.gnu_get_libc_version else None
    return None
