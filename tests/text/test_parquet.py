"""A Parquet file is read by a process of its own, within its memory and its time."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from engine.text.documents import parquet
from engine.text.documents.base import TooMuch
from tests import made_files as made

ROWS = [("a\tb", 1), ("", 2), (None, 3), ("é 𝄞", None)]


@pytest.fixture(autouse=True)
def nothing_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))


def left(tmp_path: Path) -> list[str]:
    return [path.name for path in tmp_path.iterdir()]


def test_rows_come_back(tmp_path: Path) -> None:
    raw = made.parquet({"text": [a for a, _ in ROWS], "n": [n for _, n in ROWS]})
    rows = parquet.read(raw, None, 60)
    assert rows.told.names == ("text", "n")
    for _ in range(2):
        assert [tuple(row.values()) for row in rows] == [
            (text, None if n is None else str(n)) for text, n in ROWS
        ]
    rows = parquet.read(raw, ("n",), 60, most=2)
    assert [tuple(row.values()) for row in rows] == [("1",), ("2",)]
    del rows
    assert not left(tmp_path)


def test_rows_that_nobody_reads_are_thrown_away(tmp_path: Path) -> None:
    rows = parquet.read(made.parquet({"text": ["a"] * 10}), None, 60)
    assert next(iter(rows))
    assert left(tmp_path)
    del rows
    assert not left(tmp_path)


def large(size: int) -> bytes:
    """A file with two cells of so many bytes together."""
    text = np.random.default_rng(0).bytes(size // 4).hex()
    raw = made.parquet({"text": [text[: size // 2], text[size // 2 :]]})
    meta = pa.parquet.ParquetFile(pa.BufferReader(raw)).metadata
    assert meta.row_group(0).total_byte_size > size / 2
    return raw


@pytest.mark.slow
def test_what_needs_too_much_memory_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parquet, "MOST_MEMORY", 120_000_000)
    with pytest.raises(ValueError, match="memory"):
        parquet.read(large(400_000_000), None, 60)
    assert not left(tmp_path)


def test_what_takes_too_long_is_refused(tmp_path: Path) -> None:
    raw, begun = made.parquet({"n": pa.nulls(30_000_000)}), time.monotonic()
    with pytest.raises(TooMuch, match="longer than 2 seconds"):
        parquet.read(raw, None, 2)
    assert time.monotonic() - begun < 10 and not left(tmp_path)


def test_what_is_no_table_is_refused(tmp_path: Path) -> None:
    for raw in (b"PAR1" * 1000, b"PAR1\0\xff\xff\xff\x7fPAR1"):
        with pytest.raises(ValueError, match="damaged"):
            parquet.read(raw, None, 60)
        assert not left(tmp_path)
