"""Parquet: the rows of a file, read by pyarrow in a process of its own.

What      read(raw, wanted, seconds): names of the columns, those that can't be text, and the rows
How       What a file says of its own size may be wrong, and pyarrow believes it: so the process has a
          bound on its memory and its time.  It writes the rows to a file, a line of JSON each,
          which is read while they are used
Differs   Bytes that are UTF-8 are a text.
"""

from __future__ import annotations

import contextlib
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
from engine.language.message import _, refusal
from engine.storage import record
from engine.text.documents.base import LONGEST, TooMuch
from engine.text.documents.json_rows import Reader
from engine.text.documents.nested import MOST_COLUMNS
from engine.text.read import MOST_BYTES

MOST_MEMORY = 700_000_000  # beside what pyarrow itself takes
BATCH, BATCH_BYTES = 4096, 16_000_000  # rows that are unpacked at a time, and their size
VALUE_BYTES = 32  # of a number, made into an object
UNPACKED = 4 * MOST_BYTES
WRITTEN = 2 * UNPACKED  # with the signs of JSON
DAMAGED = "this table is damaged or cut off; take a new copy"
LARGE = _(
    "unpacked it has more than {unpacked:,.0f} MB, which is more than is read; take fewer rows",
    unpacked=UNPACKED / 1000000.0,
)


class Asked(Struct, frozen=True):
    """What the process is asked for: the file; the columns, None for all; how many rows, 0 for all;
    where the rows go, and how much memory it may take."""

    file: str
    wanted: tuple[str, ...] | None
    most: int
    out: str
    memory: int


class Told(Struct, frozen=True):
    """names: of the columns of each row; no_text: columns of bytes that are none; damaged: cells that
    are no text in a column of bytes that was wanted."""

    names: tuple[str, ...]
    no_text: tuple[str, ...]
    damaged: int


class Rows:
    """The rows as objects, as often as they are gone through; their file goes with them."""

    def __init__(self, folder: Path, told: Told) -> None:
        self.told, self._path = told, folder / "rows"
        weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        reader, names = Reader(), self.told.names
        with self._path.open(encoding="utf-8", errors="surrogatepass") as batches:
            for batch in batches:
                for row in reader.one(batch):
                    yield dict(zip(names, row, strict=True))


def read(raw: bytes, wanted: Sequence[str] | None, seconds: float, most: int = 0) -> Rows:
    """Rows of the columns that are wanted.  ValueError with one sentence."""
    folder = Path(tempfile.mkdtemp(prefix="unrolled-table-"))
    try:
        (folder / "file").write_bytes(raw)
        told = _told(folder, wanted, seconds, most)
        (folder / "file").unlink()
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    return Rows(folder, told)


def _told(folder: Path, wanted: Sequence[str] | None, seconds: float, most: int) -> Told:
    columns = None if wanted is None else tuple(wanted)
    asked = Asked(str(folder / "file"), columns, most, str(folder / "rows"), MOST_MEMORY)
    try:
        with Worker("engine.text.documents.parquet") as worker:
            answer = worker.ask(record.dump(asked), seconds)
        return record.convert(record.parse(answer), Told)
    except TimeoutError as error:
        raise TooMuch(
            _(
                "reading it takes longer than {seconds:.0f} seconds; cut it into parts",
                seconds=seconds,
            )
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

    asked = record.convert(record.parse(request), Asked)
    process.limit_memory(asked.memory, more=True)
    pa.set_memory_pool(pa.system_memory_pool())  # gives back what is no longer used
    try:
        return record.dump(_written(asked))
    except MemoryError as error:  # of pyarrow too
        raise ValueError("this table needs too much memory to read; save it as CSV") from error
    except (pa.ArrowException, OSError, UnicodeError, OverflowError) as error:
        raise ValueError(DAMAGED) from error


def _written(asked: Asked) -> Told:
    import pyarrow as pa
    from pyarrow import parquet

    try:
        schema = parquet.read_schema(asked.file)
        names = [str(name) for name in schema.names]
        # A text that comes up a million times is stored once; read so, it stays one in memory.
        texts = [
            name for name, kind in zip(names, schema.types, strict=True) if pa.types.is_string(kind)
        ]
        binary = [
            name
            for name, kind in zip(names, schema.types, strict=True)
            if pa.types.is_binary(kind) or pa.types.is_large_binary(kind)
        ]
        file = parquet.ParquetFile(asked.file, read_dictionary=texts, pre_buffer=False)
    except (pa.ArrowException, OSError, ValueError) as error:
        raise ValueError(DAMAGED) from error
    if not names or len(names) > MOST_COLUMNS:
        raise refusal("it has {names:,} columns; 1 to {MOST_COLUMNS:,} are read", names=len(names))
    if len(set(names)) < len(names):
        raise ValueError("two of its columns have the same name; rename one and save it again")
    wanted = [name for name in names if asked.wanted is None or name in asked.wanted]
    made = Texts(binary, mend=asked.wanted is not None)
    size = 0
    with Path(asked.out).open("w", encoding="utf-8", errors="surrogatepass") as out:
        left = asked.most or file.metadata.num_rows
        for batch in file.iter_batches(
            _batch(file.metadata, wanted), columns=wanted, use_threads=False
        ):
            batch.validate(full=True)  # a damaged file can name places that are not there
            batch = batch.slice(0, left)
            columns = [made.of(name, _values(batch.column(name))) for name in wanted]
            rows = list(zip(*columns, strict=True))
            written = out.write(json.dumps(rows, ensure_ascii=False, default=made.other) + "\n")
            size, left = size + written, left - len(rows)
            if len(rows) == 1 and written > LONGEST:
                raise refusal(
                    "a row of it has more than {longest:,.0f} million characters; cut it into"
                    " smaller ones",
                    longest=LONGEST / 1000000.0,
                )
            if size > WRITTEN:
                raise ValueError(LARGE)
            if not left:
                break
    return Told(tuple(wanted), tuple(made.no_text), made.damaged)


class Texts:
    """Bytes that are UTF-8.  Others are nothing; in a column that is wanted they are mended."""

    def __init__(self, columns: Sequence[str], mend: bool) -> None:
        self._columns, self._mend = columns, mend
        self.no_text: dict[str, None] = {}
        self.damaged = 0

    def of(self, name: str, cells: list[Any]) -> list[Any]:
        if name not in self._columns:
            return cells
        found = [None if cell is None else self.other(cell) for cell in cells]
        bad = [n for n, cell in enumerate(cells) if cell is not None and found[n] is None]
        if bad and not self._mend:
            self.no_text[name] = None
        elif bad:
            self.damaged += len(bad)
            for n in bad:
                found[n] = cells[n].decode("utf-8", "replace")
        return found

    @staticmethod
    def other(value: Any) -> str | None:
        """What JSON does not know."""
        if not isinstance(value, bytes):
            return str(value)
        with contextlib.suppress(UnicodeDecodeError):
            return None if b"\0" in value else value.decode()
        return None


def _batch(about: Any, wanted: Sequence[str]) -> int:
    """How many rows to unpack at a time."""
    groups = [about.row_group(g) for g in range(about.num_row_groups)]
    if sum(group.total_byte_size for group in groups) > UNPACKED:
        raise ValueError(LARGE)
    size = sum(
        max(part.total_uncompressed_size, VALUE_BYTES * part.num_values)
        for group in groups
        for part in map(group.column, range(group.num_columns))
        if part.path_in_schema.split(".")[0] in wanted
    )
    return min(BATCH, max(1, BATCH_BYTES * about.num_rows // max(size, 1)))


def _values(column: Any) -> list[Any]:
    import pyarrow as pa

    if not pa.types.is_dictionary(column.type):
        return list(column.to_pylist(maps_as_pydicts="lossy"))
    values = column.dictionary.to_pylist()
    return [None if at is None else values[at] for at in column.indices.to_pylist()]


if __name__ == "__main__":
    serve(answer)
