"""Arrays in a file: safetensors, without pickle, whole or not at all.

Source    Hugging Face, Safetensors file format (8 bytes of length, a JSON header, the numbers one
          after the other)
Differs   Written by us, so that a large table is never copied in memory; what is read stays in the
          file until it is looked at.
"""

from __future__ import annotations

import json
import mmap
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from engine.language.message import refusal
from engine.storage.files import write_bytes

DTYPES = {"BOOL": np.dtype(bool)} | {
    f"{kind.upper()}{8 * size}": np.dtype(f"<{kind}{size}")
    for kind in "uif"
    for size in (1, 2, 4, 8)
    if (kind, size) != ("f", 1)
}  # of safetensors


def read_arrays(path: Path) -> dict[str, np.ndarray]:
    """Arrays that stay in the file until they are looked at; what is written to them stays in
    memory.

    ValueError when the file is cut short or not safetensors at all.
    """
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, framework="numpy"):  # checks every offset
            pass
    except SafetensorError as error:
        said = filter(str.isprintable, str(error)[:200])  # names of the file are in it
        raise refusal("{path} is damaged: {said}", said="".join(said)) from error
    with path.open("rb") as file:
        whole = np.frombuffer(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY), np.uint8)
    start = 8 + int(whole[:8].view("<u8")[0])
    header = json.loads(whole[8:start].tobytes())
    arrays = {}
    for name, about in header.items():
        if name != "__metadata__":
            first, stop = about["data_offsets"]
            arrays[name] = (
                whole[start + first : start + stop]
                .view(DTYPES[about["dtype"]])
                .reshape(about["shape"])
            )
    return arrays


def write_arrays(path: Path, arrays: Mapping[str, np.ndarray]) -> None:
    """As safetensors.  Whole or not at all: a crash while writing leaves the file that was
    there."""
    names, header, stop = {kind: name for name, kind in DTYPES.items()}, {}, 0
    solid = {name: np.ascontiguousarray(values) for name, values in arrays.items()}
    # the largest numbers first: each lies on a multiple of its size
    rows = dict(sorted(solid.items(), key=lambda row: -row[1].itemsize))
    for name, values in rows.items():
        start, stop = stop, stop + values.nbytes
        header[name] = {
            "dtype": names[values.dtype],
            "shape": values.shape,
            "data_offsets": (start, stop),
        }
    head = json.dumps(header).encode()
    head += b" " * (-len(head) % 8)
    write_bytes(
        path, len(head).to_bytes(8, "little"), head, *(values.data for values in rows.values())
    )
