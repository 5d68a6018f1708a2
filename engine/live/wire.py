"""Wire: a reply as bytes.

Wire format   [u32 length][JSON header][spaces to 4][numbers][a file], little-endian; what the header
              holds stands in reply.py.  Numbers are float32, or bytes, with nothing behind them up to
              a multiple of 4.  `at` of a field and of a file is in numbers of four bytes behind the
              header; `count` of a field is in numbers, `size` of a file in bytes
"""

from __future__ import annotations

import json
import struct
from typing import Any

import msgspec
import numpy as np

from engine.core.trace import ALONG_TEXT, Kind
from engine.live.reply import FieldPart, Reply, Sent, Together


def pack(reply: Reply) -> bytes:
    """The bytes of a reply."""
    numbers: list[bytes] = []
    at = 0
    readings = []
    for reading in reply.readings:
        parts = []
        every: tuple[Sent | Together, ...] = (*reading.fields, *reading.together)
        for sent in every:
            values = _from(sent)
            parts.append(_part(sent, at, values.size))
            data = values.tobytes()
            numbers.append(data + b"\0" * (-len(data) % 4))
            at += len(numbers[-1]) // 4
        readings.append({**reading.part, "fields": parts})
    header: dict[str, Any] = {**reply.header, "readings": readings}
    blob = reply.blob
    if blob:
        header["file"] = {**header["file"], "at": at, "size": len(blob)}
        blob += b"\0" * (-len(blob) % 4)
    head = _json(header)
    head += b" " * (-len(head) % 4)
    return struct.pack("<I", len(head)) + head + b"".join(numbers) + blob


def _json(header: dict[str, Any]) -> bytes:
    try:
        return msgspec.json.encode(header, enc_hook=str.__str__)  # in a tenth of the time
    except (TypeError, ValueError):  # a text with half of an emoji, a number of numpy
        text = json.dumps(header, ensure_ascii=False, separators=(",", ":"))
        # half of an emoji has no bytes; written \\ud83d it is sound JSON
        return text.encode(errors="backslashreplace")


def unpack(data: bytes) -> tuple[dict[str, Any], np.ndarray]:
    """(header, numbers) of a reply; a file's bytes stand among the numbers."""
    (length,) = struct.unpack_from("<I", data)
    return json.loads(data[4 : 4 + length]), np.frombuffer(data, "<f4", offset=4 + length)


def _part(sent: Sent | Together, at: int, count: int) -> FieldPart:
    if isinstance(sent, Together):
        rows, *more = sent.values.shape[1:]
        together: FieldPart = {
            "name": "",
            "names": sent.names,
            "axes": sent.axes,
            "shape": [rows + sent.keep, *more],
            "keep": sent.keep,
            "at": at,
            "count": count // len(sent.names),
            "fill": None,
        }
        if sent.keep:
            together["grows"] = [0]
        return together
    field = sent.field
    axes = field.axis_names
    along = [i for i, axis in enumerate(axes) if axis in ALONG_TEXT]
    found: FieldPart = {
        "name": field.spec.name,
        "axes": axes,
        "shape": [n + (sent.before if i in along else 0) for i, n in enumerate(field.shape)],
        "keep": sent.before + sent.skip if along else 0,
        "at": at,
        "count": count,
        "fill": None if field.spec.kind is Kind.SCORE else 0,
    }
    return found


def _from(sent: Sent | Together) -> np.ndarray:
    """The values from position `skip` on, in one piece; nothing else is fetched."""
    if isinstance(sent, Together):
        return np.ascontiguousarray(sent.values, "<f4")
    return np.ascontiguousarray(sent.field.rows(sent.skip), "<f4")
