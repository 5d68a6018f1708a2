"""Wire: a reply as bytes.

Wire format   [u32 length][JSON header][spaces to 4][float32 numbers][a file], little-endian; what
              the header holds stands in reply.py.  `at` and `count` of a field, and `at` of a file,
              are in numbers of four bytes behind the header; `size` of a file is in bytes
"""

from __future__ import annotations

import json
import struct
from typing import Any

import numpy as np

from engine.core.trace import ALONG_TEXT, Field, Kind
from engine.live.reply import FieldPart, Reply, Sent


def pack(reply: Reply) -> bytes:
    """The bytes of a reply."""
    numbers: list[np.ndarray] = []
    at = 0
    readings = []
    for reading in reply.readings:
        parts = []
        for sent in reading.fields:
            values = _from(sent.field, sent.skip)
            parts.append(_part(sent, at, values.size))
            numbers.append(values)
            at += values.size
        readings.append({**reading.part, "fields": parts})
    header: dict[str, Any] = {**reply.header, "readings": readings}
    blob = reply.blob
    if blob:
        header["file"] = {**header["file"], "at": at, "size": len(blob)}
        blob += b"\0" * (-len(blob) % 4)
    text = json.dumps(header, ensure_ascii=False, separators=(",", ":"))
    # half of an emoji has no bytes; written \\ud83d it is sound JSON
    head = text.encode(errors="backslashreplace")
    head += b" " * (-len(head) % 4)
    return struct.pack("<I", len(head)) + head + b"".join(n.tobytes() for n in numbers) + blob


def unpack(data: bytes) -> tuple[dict[str, Any], np.ndarray]:
    """(header, numbers) of a reply; a file's bytes stand among the numbers."""
    (length,) = struct.unpack_from("<I", data)
    return json.loads(data[4 : 4 + length]), np.frombuffer(data, "<f4", offset=4 + length)


def _part(sent: Sent, at: int, count: int) -> FieldPart:
    field = sent.field
    along = not ALONG_TEXT.isdisjoint(field.axis_names)
    return {
        "name": field.spec.name,
        "axes": field.axis_names,
        "shape": [
            n + (sent.before if axis in ALONG_TEXT else 0)
            for axis, n in zip(field.axis_names, field.shape, strict=True)
        ],
        "keep": sent.before + sent.skip if along else 0,
        "at": at,
        "count": count,
        "fill": None if field.spec.kind is Kind.SCORE else 0,
    }


def _from(field: Field, skip: int) -> np.ndarray:
    """The values from position `skip` on along the text, in one piece; nothing else is fetched."""
    return np.ascontiguousarray(field.rows(skip), "<f4")
