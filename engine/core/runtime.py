"""Runtime: all that is set for a whole process, in one place; `app.py`, the command line and
engine/nn call it.

before_torch   waiting threads of OpenMP sleep.  Left to spin, two of them on a busy machine trained
               a small model 25 times slower.  Read once, when torch is loaded.
               oneDNN writes a kernel for each shape, so for each length of a text, and would keep 1,024:
               118 MB after 250 texts read by eight models, 39 with 64, in the same time
one_thread     for reading: the shipped models are small, and handing work between threads costs
               them more than it saves (two to nine times slower under load)
training       for training: all processors, and the memory that one step gives back is kept for
               the next, which asks for the same blocks again.  The C library hands a large block to
               the system the moment it is free, and for the next one fetches pages that the system
               has to empty first.  A tenth to a fifth of a step's time, for up to two fifths more
               memory; steps of small models gain nothing
serving        nobody's turn at the interpreter lasts longer than a millisecond: the page is served
               while models are opened, and many can type.  Products of numpy take one thread, as
               those of torch: with two, a key of a busy machine cost an LSTM 16 ms instead of 2.  What
          is freed goes back to the system: in pools of one for each thread, and between what stays,
          it would lie idle, 270 MB of 970 after ten people had used all pages for three minutes
               The system is told the names of threads.  `make run` starts the server with MALLOC: what
               Python frees of its own objects goes back too, where its own allocator keeps blocks of
               1 MB as long as one object is left in them (200 MB after ten people for eight minutes)
opening        no garbage is looked for while torch is loaded and models are opened: hardly anything
               of it goes again, and the search takes an eighth of the time.  Afterwards what has
               been opened stays: collecting garbage costs 130 ms and more once torch is loaded;
               frozen objects are not looked at again

Source    The GNU C Library manual, Malloc Tunable Parameters (M_ARENA_MAX, M_MMAP_MAX,
          M_MMAP_THRESHOLD, M_TRIM_THRESHOLD); malloc_trim(3), mallinfo2(3); OpenMP 5.2, OMP_WAIT_POLICY;
          oneDNN Developer Guide: Primitive Cache
Differs   Memory is kept only where the C library is glibc; on a GPU torch keeps its blocks itself.
          How much memory caches may take: engine/core/cache.py.
"""

from __future__ import annotations

import ctypes
import gc
import os
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from engine.core import device

SWITCH_SECONDS = 0.001
TRIM_THRESHOLD, MMAP_THRESHOLD, MMAP_MAX, ARENA_MAX = -1, -3, -4, -8  # of malloc.h
ARENAS = 2  # hardly two threads ask for memory at a time: one has the interpreter
# Freed memory goes back when it is more than this, so often, and sooner where memory has grown by
# half of it: ten people free 300 MB in 20 seconds
IDLE_BYTES, IDLE_SECONDS, GROWTH_SECONDS = 64 << 20, 20.0, 2.0
# no block of its own for anything; nothing is ever given back
KEPT = ((MMAP_MAX, 0), (TRIM_THRESHOLD, -1))
MALLOC = "malloc"  # of PYTHONMALLOC, for a server: Python's objects lie with the C library
KERNELS = "64"  # that oneDNN keeps
LARGE = 1 << 20  # bytes: a block that goes back by itself once it is freed, while pages are served
# where glibc itself ends up in a process with large blocks
USUAL = {MMAP_MAX: 65_536, TRIM_THRESHOLD: 64 << 20, MMAP_THRESHOLD: 32 << 20}


def before_torch() -> None:
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    os.environ.setdefault("ONEDNN_PRIMITIVE_CACHE_CAPACITY", KERNELS)


def one_thread() -> None:
    before_torch()
    import torch

    torch.set_num_threads(1)


def serving() -> None:
    from threadpoolctl import threadpool_limits

    before_torch()
    os.environ.pop("PYTHONMALLOC", None)  # processes that it starts end, and give back all
    sys.setswitchinterval(SWITCH_SECONDS)
    threadpool_limits(1, user_api="blas")
    if libc := _glibc():
        libc.mallopt(ARENA_MAX, ARENAS)
        libc.mallopt(MMAP_THRESHOLD, LARGE)
        USUAL[MMAP_THRESHOLD] = LARGE
        threading.Thread(target=_give_back, args=(libc,), name="memory", daemon=True).start()


class _Held(ctypes.Structure):
    """What the C library holds: `struct mallinfo2` of malloc.h."""

    _fields_ = [
        (name, ctypes.c_size_t)
        for name in (
            *("arena", "ordblks", "smblks", "hblks", "hblkhd"),
            *("usmblks", "fsmblks", "uordblks", "fordblks", "keepcost"),
        )
    ]


def idle_bytes(libc: ctypes.CDLL) -> int:
    """Bytes that were freed and not yet used again, whether the system has them back or not."""
    libc.mallinfo2.restype = _Held
    return int(libc.mallinfo2().fordblks)


def _give_back(libc: ctypes.CDLL) -> None:
    """Hand back to the system what lies idle, from time to time."""
    last = 0  # it goes on counting what it has handed back, until that is used again
    lowest, due = 0, 0.0
    while True:
        time.sleep(GROWTH_SECONDS)
        lowest, at = min(lowest, used := _own_bytes()), time.monotonic()
        # counting holds up whoever asks for memory, for some 20 ms
        if at < due and used < lowest + IDLE_BYTES // 2:
            continue
        lowest, due = used, at + IDLE_SECONDS
        for thread in threading.enumerate():  # Python itself does so from 3.14 on
            with suppress(OSError):
                Path(f"/proc/self/task/{thread.native_id}/comm").write_text(thread.name[:15])
        try:
            if (now := idle_bytes(libc)) > IDLE_BYTES and now != last:
                libc.malloc_trim(0)
                last, lowest = idle_bytes(libc), _own_bytes()
        except AttributeError:  # glibc before 2.33
            return


def _own_bytes() -> int:
    """Memory of this process that no file stands for; 0 where the system does not say."""
    with suppress(OSError, ValueError):
        _, resident, shared, *_ = Path("/proc/self/statm").read_text().split()
        return (int(resident) - int(shared)) * os.sysconf("SC_PAGE_SIZE")
    return 0


@contextmanager
def opening() -> Iterator[None]:
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
        gc.collect()
        gc.freeze()


@contextmanager
def training(processes: int = 1, rounded: bool = False) -> Iterator[None]:
    """All processors, shared by so many processes here; UNROLLED_THREADS says otherwise.  Afterwards
    all is as it was.

    rounded  products on a GPU may be in TF32 (engine/core/device.py)
    """
    import torch

    before, here = torch.get_num_threads(), max(1, (os.cpu_count() or 1) // processes)
    torch.set_num_threads(int(os.environ.get("UNROLLED_THREADS", here)))
    device.rounded(rounded)
    try:
        with kept_memory():
            yield
    finally:
        device.exact()
        torch.set_num_threads(before)


@contextmanager
def kept_memory() -> Iterator[None]:
    """What is freed in here stays with this process until the end, and then goes back."""
    libc = _glibc()
    if libc:
        for name, value in KEPT:
            libc.mallopt(name, value)
    try:
        yield
    finally:
        if libc:
            for name, value in USUAL.items():
                libc.mallopt(name, value)
            libc.malloc_trim(0)


def _glibc() -> ctypes.CDLL | None:
    """The C library, where it is that one."""
    with suppress(AttributeError, OSError, TypeError):
        libc = ctypes.CDLL(None)
        return libc if libc.gnu_get_libc_version else None
    return None
