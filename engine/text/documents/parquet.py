"""Parquet: the rows of a file, read by pyarrow in a process of its own.

What      read(raw, wanted, seconds): names of the columns, those that can't be text, and the rows
How       What a file says of its own size may be wrong, and pyarrow believes it: so the process has a
          bound on its memory and its time.  It writes the rows to a file, a line of JSON each,
          which is read while they are used
"""

from __future__ import annotations

import json
import shutil
import tempfile
import weakref
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct

from engine.jobs import process
from engine.jobs.worker import Ended, Failed, Report, Worker, serve
from engine.storage import record
from engine.text.documents.base import TooMuch
from engine.text.read import MOST_BYTES

MOST_MEMORY = 2_000_000_000  # beside what pyarrow itself takes
MOST_COLUMNS = 1_000
BATCH = 4096
UNPACKED = 4 * MOST_BYTES
WRITTEN = 2 * UNPACKED  # with the signs of JSON
DAMAGED = "this table is damaged or cut off; take a new copy"
LARGE = f"unpacked it has more than {UNPACKED / 1e6:,.0f} MB, which is more than is read; take fewer rows"


class Asked(Struct, frozen=True):
    """What the process is asked for: the columns, None for all that can be text; how many rows, 0
    for all; where the rows go, and how much memory it may take."""

    wanted: tuple[str, ...] | None
    most: int
    out: str
    memory: int


class Told(Struct, frozen=True):
    names: tuple[str, ...]
    nested: tuple[str, ...]


def read(
    raw: bytes, wanted: Sequence[str] | None, seconds: float, most: int = 0
) -> tuple[Told, Iterator[Sequence[Any]]]:
    """The columns, and the rows with None where a column was not wanted.  ValueError with one
    sentence."""
    folder = tempfile.mkdtemp(prefix="unrolled-table-")
    try:
        told = _told(raw, out := Path(folder) / "rows", wanted, seconds, most)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise

    def read_out() -> Iterator[Sequence[Any]]:
        with out.open(encoding="utf-8", errors="surrogatepass") as lines:
            for line in lines:
                yield json.loads(line)

    rows = read_out()
    weakref.finalize(rows, shutil.rmtree, folder, ignore_errors=True)
    return told, rows


def _told(raw: bytes, out: Path, wanted: Sequence[str] | None, seconds: float, most: int) -> Told:
    asked = Asked(None if wanted is None else tuple(wanted), most, str(out), MOST_MEMORY)
    try:
        with Worker("engine.text.documents.parquet") as worker:
            answer = worker.ask(record.dump(asked) + b"\0" + raw, seconds)
        return record.convert(record.parse(answer), Told)
    except TimeoutError as error:
        raise TooMuch(
            f"reading it takes longer than {seconds:.0f} seconds; cut it into parts"
        ) from error
    except Failed as error:
        raise ValueError(str(error)) from error
    except Ended as error:
        raise ValueError(
            "this table needs more memory to read than it should, or it is damaged; save it as CSV"
        ) from error


def answer(request: bytes, report: Report) -> bytes:
    """The work of the process."""
    import pyarrow as pa

    head, _, raw = request.partition(b"\0")
    asked = record.convert(record.parse(head), Asked)
    process.limit_memory(asked.memory, more=True)
    try:
        return record.dump(_written(raw, asked))
    except MemoryError as error:  # of pyarrow too
        raise ValueError("this table needs too much memory to read; save it as CSV") from error
    except (pa.ArrowException, OSError, UnicodeError, OverflowError) as error:
        raise ValueError(DAMAGED) from error


def _written(raw: bytes, asked: Asked) -> Told:
    import pyarrow as pa
    from pyarrow import parquet

    try:
        schema = parquet.ParquetFile(pa.BufferReader(raw)).schema_arrow
        names = [str(name) for name in schema.names]
        types = dict(zip(names, schema.types, strict=True))
        nested = [n for n in names if pa.types.is_nested(types[n]) or pa.types.is_binary(types[n])]
        # A text that comes up a million times is stored once; read so, it stays one in memory.
        texts = [name for name in names if pa.types.is_string(types[name])]
        file = parquet.ParquetFile(pa.BufferReader(raw), read_dictionary=texts)
    except (pa.ArrowException, OSError, ValueError) as error:
        raise ValueError(DAMAGED) from error
    if not names or len(names) > MOST_COLUMNS:
        raise ValueError(f"it has {len(names):,} columns; 1 to {MOST_COLUMNS:,} are read")
    if len(types) < len(names):
        raise ValueError("two of its columns have the same name; rename one and save it again")
    plain = [name for name in names if name not in nested]
    wanted = [name for name in asked.wanted or plain if name in plain]
    _write(file, names, wanted, asked)
    return Told(tuple(names), tuple(nested))


def _write(file: Any, names: list[str], wanted: list[str], asked: Asked) -> None:
    groups = range(file.metadata.num_row_groups)
    size = sum(file.metadata.row_group(g).total_byte_size for g in groups)
    if size > UNPACKED:
        raise ValueError(LARGE)
    written = count = 0
    with Path(asked.out).open("w", encoding="utf-8", errors="surrogatepass") as out:
        for batch in file.iter_batches(BATCH, columns=wanted):
            batch.validate(full=True)  # a damaged file can name places that are not there
            cells = {name: _values(batch.column(name)) for name in wanted}
            empty = [None] * batch.num_rows
            for row in zip(*(cells.get(name, empty) for name in names), strict=True):
                written += out.write(json.dumps(row, default=str) + "\n")
                count += 1
                if written > WRITTEN:
                    raise ValueError(LARGE)
                if count == asked.most:
                    return


def _values(column: Any) -> list[Any]:
    import pyarrow as pa

    if not pa.types.is_dictionary(column.type):
        return list(column.to_pylist())
    values = column.dictionary.to_pylist()
    return [None if at is None else values[at] for at in column.indices.to_pylist()]


if __name__ == "__main__":
    serve(answer)
