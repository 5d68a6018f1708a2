"""Hostile files at full size, each given to the command line: bombs, deep nests, lines and headers without
an end, names that would steer a terminal, sizes that lie.

Each ends within MOST_SECONDS and MOST_BYTES of memory with a sentence in one line and exit status 2, or,
where a file is only odd, is taken.  A row is how long that took, beside the time that it may take; its
size says how large the file was, and how much memory the command and its children had.  What came to
nothing leaves nothing behind.

    make bench ARGS=attack                  all, 20 minutes
    make bench ARGS=attack:checkpoints      one group

UNROLLED_ATTACK=FILE writes what each command said, as JSON lines.
"""

from __future__ import annotations

import contextlib
import gzip
import io
import json
import os
import re
import struct
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil  # type: ignore[import-untyped]

from engine import ROOT
from engine.bench import Bench, Row, attempt
from engine.storage.run_folder import HISTORY, NOTE, WEIGHTS
from tests import made_files as made
from tests.fuzz.while_time import is_plain

MOST_SECONDS, MOST_BYTES = 300.0, 7e9
LOOK = 0.1  # seconds between two looks at its memory
BIDI = "\u202eevil\x1b[31m"


@dataclass(frozen=True, slots=True)
class Case:
    """
    group    part of the bench
    make     writes the file or folder into an empty folder; what the command is given
    refused  whether it has to be; None where both are right
    """

    group: str
    what: str
    make: Callable[[Path], Sequence[str]]
    refused: bool | None = True


CASES: list[Case] = []


def case(group: str, what: str, refused: bool | None = True) -> Callable[[Any], Any]:
    def add(make: Callable[[Path], Sequence[str]]) -> Callable[[Path], Sequence[str]]:
        CASES.append(Case(group, what, make, refused))
        return make

    return add


def added(place: Path, name: str, raw: bytes) -> Sequence[str]:
    (place / name).write_bytes(raw)
    return ("corpora", "add", str(place / name))


# Documents


def wide(columns: int, rows: int, size: int) -> bytes:
    """A table of long cells that pack well."""
    import pyarrow as pa
    from pyarrow import parquet

    file = io.BytesIO()
    cells = pa.array(["x" * size] * rows)
    table = pa.table({f"c{n}": cells for n in range(columns)})
    parquet.write_table(
        table, file, compression="zstd", use_dictionary=False, write_statistics=False
    )
    return file.getvalue()


def varint(number: int, length: int = 0) -> bytes:
    """Zigzag, as thrift's compact protocol has it, of as many bytes as asked."""
    number, found = 2 * number, bytearray()
    while number > 127 or len(found) + 1 < length:
        found.append(number & 127 | 128)
        number >>= 7
    return bytes((*found, number))


@case("documents", "parquet: 6 columns of 400 MB, a footer that lies about their sizes")
def lying(place: Path) -> Sequence[str]:
    from pyarrow import parquet

    raw = wide(6, 400, 1_000_000)
    group = parquet.ParquetFile(io.BytesIO(raw)).metadata.row_group(0)
    foot = int.from_bytes(raw[-8:-4], "little")
    body, end = raw[: -8 - foot], raw[-8 - foot :]
    for size in {
        group.total_byte_size,
        *(group.column(n).total_uncompressed_size for n in range(6)),
    }:
        true = varint(size)
        assert true in end
        end = end.replace(true, varint(1000, len(true)))
    (place / "a.parquet").write_bytes(body + end)
    return ("corpora", "add", str(place / "a.parquet"), "--columns", "c0")


def rows_of(place: Path, array: Any, times: int) -> Sequence[str]:
    import pyarrow as pa
    from pyarrow import parquet

    table = pa.table({"text": array})
    with parquet.ParquetWriter(place / "a.parquet", table.schema) as file:
        for _ in range(times):
            file.write_table(table, row_group_size=len(array))
    return ("corpora", "add", str(place / "a.parquet"), "--columns", "text")


@case("documents", "parquet: 600 million rows of null")
def nulls(place: Path) -> Sequence[str]:
    import pyarrow as pa

    return rows_of(place, pa.nulls(10_000_000, pa.string()), 60)


@case("documents", "parquet: 30 million empty rows")
def empties(place: Path) -> Sequence[str]:
    import pyarrow as pa

    return rows_of(place, pa.array([""] * 3_000_000), 10)


@case("documents", "PDF: 100,000 pages that share one content stream", None)
def pages(place: Path) -> Sequence[str]:
    count = 100_000
    shown = b"BT /F1 12 Tf 50 700 Td " + b"(once more and again) Tj T* " * 200 + b"ET"
    kids = " ".join(f"{5 + n} 0 R" for n in range(count))
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        f"<</Type/Pages/Kids[{kids}]/Count {count}>>".encode(),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
        b"<</Length %d>>stream\n%s\nendstream" % (len(shown), shown),
        *[
            b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R"
            b"/Resources<</Font<</F1 3 0 R>>>>>>"
        ]
        * count,
    ]
    file, places = io.BytesIO(), []
    file.write(b"%PDF-1.4\n")
    for n, body in enumerate(objects, 1):
        places.append(file.tell())
        file.write(b"%d 0 obj\n%s\nendobj\n" % (n, body))
    at = file.tell()
    file.write(b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1))
    file.write(b"".join(b"%010d 00000 n \n" % where for where in places))
    file.write(b"trailer<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, at))
    return added(place, "a.pdf", file.getvalue())


@case("documents", "gz: 1 million empty members")
def members(place: Path) -> Sequence[str]:
    return added(place, "a.txt.gz", gzip.compress(b"") * 1_000_000)


@case("documents", "gz: 16 GB of spaces")
def spaces(place: Path) -> Sequence[str]:
    return added(place, "a.txt.gz", gzip.compress(b" " * (64 << 20)) * 256)


@case("documents", "zip: 5,000 members of 1 MB that are one")
def overlapping(place: Path) -> Sequence[str]:
    raw = made.packed({"0000.txt": os.urandom(500_000).hex()})
    at, end = raw.rindex(b"PK\x01\x02"), raw.rindex(b"PK\x05\x06")
    entry, last = raw[at:end], bytearray(raw[end:])
    listed = b"".join(entry.replace(b"0000.txt", b"%04d.txt" % n) for n in range(5000))
    struct.pack_into("<HHLL", last, 8, 5000, 5000, len(listed), at)
    return added(place, "a.zip", raw[:at] + listed + bytes(last))


@case("documents", "zip: 42 zips in 42 zips, 3 deep")
def nested(place: Path) -> Sequence[str]:
    inner = made.packed({"a.txt": b"0" * 4_000_000})
    for _ in range(3):
        inner = made.packed({f"{n}.zip": inner for n in range(42)})
    return added(place, "a.zip", inner)


@case("documents", "zip: a member of 4 GB of zeros")
def zeros(place: Path) -> Sequence[str]:
    with (
        zipfile.ZipFile(place / "a.zip", "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive,
        archive.open("a.txt", "w", force_zip64=True) as member,
    ):
        for _ in range(4000):
            member.write(bytes(1_000_000))
    return ("corpora", "add", str(place / "a.zip"))


@case("documents", "txt: one line of 190 MB", None)
def line(place: Path) -> Sequence[str]:
    with (place / "a.txt").open("wb") as file:
        for _ in range(190):
            file.write(b"word " * 200_000)
    return ("corpora", "add", str(place / "a.txt"))


@case("documents", "csv: one cell of 190 MB")
def cell(place: Path) -> Sequence[str]:
    raw = b'label,text\na,"' + b"word " * 38_000_000 + b'"\n'
    return (*added(place, "a.csv", raw), "--columns", "text")


@case("documents", "csv: 1 million columns")
def columns(place: Path) -> Sequence[str]:
    return added(place, "a.csv", (",".join(map(str, range(1_000_000))) + "\n").encode() * 3)


@case("documents", "csv: a quotation that never ends, 190 MB", None)
def quotation(place: Path) -> Sequence[str]:
    return (*added(place, "a.csv", b'text,b\n"' + b"a,b\n" * 47_000_000), "--columns", "text")


@case("documents", "jsonl: a list in a list, 10 million deep")
def lists(place: Path) -> Sequence[str]:
    return added(place, "a.jsonl", b'{"text": ' + b"[" * 10_000_000 + b"]" * 10_000_000 + b"}\n")


@case("documents", "jsonl: halves of characters", None)
def halves(place: Path) -> Sequence[str]:
    row = json.dumps({"text": "\ud800 a half \udfff", "\ud800": "a\udcff"}).encode() + b"\n"
    return (*added(place, "a.jsonl", row * 100_000), "--columns", "text")


@case("documents", "jsonl: numbers of 1 million digits")
def digits(place: Path) -> Sequence[str]:
    return added(place, "a.jsonl", (b'{"text": ' + b"9" * 1_000_000 + b"}\n") * 50)


@case("documents", "html: 5 million open tags", None)
def tags(place: Path) -> Sequence[str]:
    return added(place, "a.html", b"<html><body>" + b"<div>" * 5_000_000 + b"in here")


@case("documents", "docx: paragraphs in paragraphs, 1 million deep", None)
def paragraphs(place: Path) -> Sequence[str]:
    w = b'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
    deep = 1_000_000
    body = b"<w:document %s><w:body>%sx%s</w:body></w:document>" % (
        w,
        b"<w:p>" * deep,
        b"</w:p>" * deep,
    )
    raw = made.packed({"[Content_Types].xml": "", "word/document.xml": body})
    return added(place, "a.docx", raw)


@case("documents", "epub: a spine of 1 million chapters that are one")
def spine(place: Path) -> Sequence[str]:
    return added(place, "a.epub", made.epub(["again and again. " * 100] * 50_000))


@case("documents", "utf-16: halves of characters", None)
def utf16(place: Path) -> Sequence[str]:
    return added(place, "a.txt", b"\xff\xfe" + b"\x00\xd8a\x00" * 1_000_000)


@case("documents", "names that would steer the terminal", None)
def steering(place: Path) -> Sequence[str]:
    raw = f"{BIDI},text\na,b\n".encode() * 3
    return (*added(place, f"{BIDI}.csv", raw), "--name", BIDI, "--columns", "text")


@case("documents", "a column that would steer the terminal, and none is chosen")
def steering_columns(place: Path) -> Sequence[str]:
    return added(place, "a.csv", f"{BIDI},{BIDI}2\nword,word\n".encode() * 3)


# Texts of a training


@case("train", "an endless device")
def device(place: Path) -> Sequence[str]:
    return ("train", "ngram", "--text", "/dev/zero", "--out", str(place / "out"))


@case("train", "a device of noise")
def noise(place: Path) -> Sequence[str]:
    return ("train", "ngram", "--text", "/dev/urandom", "--out", str(place / "out"))


@case("train", "a named pipe that nobody writes to")
def pipe(place: Path) -> Sequence[str]:
    os.mkfifo(place / "pipe.txt")
    return ("train", "ngram", "--text", str(place / "pipe.txt"), "--out", str(place / "out"))


@case("train", "16 GB of spaces in a gz")
def train_spaces(place: Path) -> Sequence[str]:
    return ("train", "ngram", "--text", spaces(place)[-1], "--out", str(place / "out"))


@case("train", "a text of one character")
def short(place: Path) -> Sequence[str]:
    (place / "a.txt").write_text("x")
    return ("train", "lstm", "--text", str(place / "a.txt"), "--out", str(place / "out"))


@case("train", "a word of 100 MB", None)
def word(place: Path) -> Sequence[str]:
    (place / "a.txt").write_bytes(b"a" * 100_000_000 + b"\nand more\n" * 50)
    return ("train", "ngram", "--text", str(place / "a.txt"), "--out", str(place / "out"))


# Zips of runs


def run_zip(change: Callable[[dict[str, bytes]], None], place: Path) -> Sequence[str]:
    """A small sound run as `pack` writes it, changed; the list of its contents is true."""
    from engine.runs.archive.pack import pack
    from engine.runs.store import RunStore
    from tests.conftest import _run_folder
    from tests.runs.test_archive import listed, members, zipped

    path = place / "run.zip"
    pack(RunStore().find(str(_run_folder("lstm"))), path)
    found = members(path.read_bytes())
    change(found)
    path.write_bytes(zipped(listed(found)))
    return ("unpack", str(path))


def note_with(**changed: Any) -> Callable[[dict[str, bytes]], None]:
    def change(files: dict[str, bytes]) -> None:
        note = json.loads(files[NOTE])
        for name, value in changed.items():
            if name in note["config"]:
                note["config"][name] = value
            else:
                note[name] = value
        files[NOTE] = json.dumps(note).encode()

    return change


for _name, _value in (
    ("layers", 10**6),
    ("layers", -1),
    ("units", 10**9),
    ("units", "many"),
    ("title", BIDI * 10_000),
):

    @case("unpack", f"a run with {_name} = {str(_value)[:8]!a}", None if _name == "title" else True)
    def settings(place: Path, name: str = _name, value: Any = _value) -> Sequence[str]:
        return run_zip(note_with(**{name: value}), place)


@case("unpack", "a note in lists, 1 million deep")
def deep_note(place: Path) -> Sequence[str]:
    return run_zip(lambda files: files.update({NOTE: b"[" * 10**6 + b"]" * 10**6}), place)


@case("unpack", "a history of garbage")
def history(place: Path) -> Sequence[str]:
    return run_zip(lambda files: files.update({HISTORY: b"\xff{]\n" * 100_000}), place)


@case("unpack", "weights with a header of 99 MB")
def header(place: Path) -> Sequence[str]:
    def change(files: dict[str, bytes]) -> None:
        said = json.dumps({"__metadata__": {"a": "x" * 99_000_000}}).encode()
        files[WEIGHTS] = struct.pack("<Q", len(said)) + said

    return run_zip(change, place)


# Word vectors


@case("vectors", "16 GB of one row in a gz")
def row(place: Path) -> Sequence[str]:
    chunk = gzip.compress(b"0.25 " * (13 << 20))
    (place / "a.txt.gz").write_bytes(gzip.compress(b"word ") + chunk * 256)
    return ("import", str(place / "a.txt.gz"), "--out", str(place / "out"))


def fasttext(words: int, size: int, dim: int = 10, more: bytes = b"") -> bytes:
    """The head of a fastText .bin, as its authors write it, and what follows."""
    head = struct.pack("<ii", 793712314, 12)
    head += struct.pack("<12id", dim, 5, 5, 5, 5, 1, 1, 1, 2000, 3, 6, 100, 1e-4)
    return head + struct.pack("<iiiqq", size, words, 0, 1000, -1) + more


@case("vectors", "fastText: a word that never ends, 400 MB")
def endless(place: Path) -> Sequence[str]:
    (place / "a.bin").write_bytes(fasttext(1, 1, more=b"a" * 400_000_000))
    return ("import", str(place / "a.bin"), "--out", str(place / "out"))


@case("vectors", "fastText: 2^31 - 1 words of width 2^31 - 1")
def words(place: Path) -> Sequence[str]:
    more = b"word\0" + struct.pack("<qb", 1, 0)
    (place / "a.bin").write_bytes(fasttext(2**31 - 1, 2**31 - 1, 2**31 - 1, more * 1000))
    return ("import", str(place / "a.bin"), "--out", str(place / "out"))


@case("vectors", "word2vec: 10^12 words of width 10^9")
def promised(place: Path) -> Sequence[str]:
    (place / "a.txt").write_bytes(b"1000000000000 1000000000\nword 0.5 0.25\n")
    return ("import", str(place / "a.txt"), "--out", str(place / "out"))


@case("vectors", "word2vec binary: a word that never ends, 400 MB")
def endless_binary(place: Path) -> Sequence[str]:
    (place / "a.bin").write_bytes(b"10 10\n" + b"a" * 400_000_000)
    return ("import", str(place / "a.bin"), "--out", str(place / "out"))


@case("vectors", "GloVe: a word of 100 MB", None)
def long_word(place: Path) -> Sequence[str]:
    rows = b"".join(b"w%d 0.5 0.25 1\n" % n for n in range(50))
    (place / "a.txt").write_bytes(b"a" * 100_000_000 + b" 0.5 0.25 1\n" + rows)
    return ("import", str(place / "a.txt"), "--out", str(place / "out"))


@case("vectors", "text: another width than its first line says", None)
def narrow(place: Path) -> Sequence[str]:
    rows = b"".join(b"w%d 0.5 0.25 1\n" % n for n in range(50))
    (place / "a.txt").write_bytes(b"50 7\n" + rows)
    return ("import", str(place / "a.txt"), "--out", str(place / "out"))


@case("vectors", "words that would steer the terminal, numbers that are none", None)
def odd_words(place: Path) -> Sequence[str]:
    rows = "".join(f"{BIDI}{n} {('nan', 'inf', '1e999', '0.5')[n % 4]} 1\n" for n in range(100))
    (place / "a.txt").write_bytes(rows.encode())
    return ("import", str(place / "a.txt"), "--out", str(place / "out"), "--title", BIDI)


@case("vectors", "analogies with 100,000 sections", None)
def sections(place: Path) -> Sequence[str]:
    rows = "".join(f": {BIDI}{n}\nking queen man woman\n" for n in range(100_000))
    (place / "a.txt").write_text(rows, encoding="utf-8")
    return ("vectors", "glove", "--analogies", str(place / "a.txt"))


@case("vectors", "pairs of words: 1 line of 400 MB")
def pairs(place: Path) -> Sequence[str]:
    (place / "a.txt").write_bytes(b"king queen 5 " * 30_000_000)
    return ("vectors", "glove", "--similarity", str(place / "a.txt"))


# Files that Python reads, for which there is no command


def read_by(reader: str, path: Path) -> Sequence[str]:
    """A program that reads the file with `reader`, module and function, and ends as a command does."""
    module, name = reader.rsplit(".", 1)
    program = (
        f"import pathlib, sys\nfrom {module} import {name}\n"
        f"try:\n    {name}(pathlib.Path(sys.argv[1]))\n"
        "except ValueError as problem:\n    sys.exit(print(problem, file=sys.stderr) or 2)"
    )
    return ("-c", program, str(path))


def arpa(place: Path, *parts: bytes) -> Sequence[str]:
    with (place / "a.arpa").open("wb") as file:
        file.writelines(parts)
    return read_by("engine.ngram.arpa.read", place / "a.arpa")


@case("read", "ARPA: 10^17 n-grams are announced")
def announced(place: Path) -> Sequence[str]:
    head = b"\\data\\\nngram 1=3\nngram 2=100000000000000000\n\n\\1-grams:\n"
    return arpa(
        place, head, b"-1 <s> -1\n-1 </s>\n-1 a -1\n\n\\2-grams:\n", b"-1 a a\n" * 2_000_000
    )


@case("read", "ARPA: 2 million orders")
def orders(place: Path) -> Sequence[str]:
    return arpa(place, b"\\data\\\n", *(b"ngram %d=1\n" % n for n in range(1, 2_000_000)))


@case("read", "ARPA: one line of 400 MB")
def long_line(place: Path) -> Sequence[str]:
    return arpa(place, b"\\data\\\nngram 1=9\n\n\\1-grams:\n-1 ", b"a " * 200_000_000, b"\n")


@case("read", "ARPA: 5 million words", False)
def many_words(place: Path) -> Sequence[str]:
    head = b"\\data\\\nngram 1=5000002\n\n\\1-grams:\n-1 <s> -1\n-1 </s>\n"
    words = (b"-7 word%d -0.5\n" % n for n in range(5_000_000))
    return arpa(place, head, *words, b"\n\\end\\\n")


def npz(place: Path, **members: bytes) -> Sequence[str]:
    with zipfile.ZipFile(place / "a.npz", "w", zipfile.ZIP_DEFLATED, compresslevel=1) as file:
        for name, raw in members.items():
            file.writestr(f"{name}.npy", raw)
    return read_by("engine.saving.export.read_trace", place / "a.npz")


def npy(shape: str, kind: str, raw: bytes) -> bytes:
    head = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}".encode()
    head += b" " * (-(len(head) + 11) % 64) + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head + raw


@case("read", "NPZ: 10^18 numbers in a member of 100 bytes")
def many_numbers(place: Path) -> Sequence[str]:
    return npz(place, trace=npy("(1000000000, 1000000000)", "<f4", b"\0" * 100))


@case("read", "NPZ: a text in lists, 10 million deep")
def deep_trace(place: Path) -> Sequence[str]:
    said = "[" * 10_000_000 + "]" * 10_000_000
    return npz(place, trace=npy("()", f"<U{len(said)}", said.encode("utf-32-le")))


@case("read", "NPZ: 9 members of 500 MB of zeros")
def many_zeros(place: Path) -> Sequence[str]:
    raw = npy("(125000000,)", "<f4", bytes(500_000_000))
    return npz(place, **{f"a{n}": raw for n in range(9)})


# Checkpoints


def checkpoint(place: Path, family: str, **config: Any) -> Path:
    """A small sound one, with another config.json."""
    from tests.models.test_every_setting import saved

    folder = place / "checkpoint"
    saved(family, folder)
    said = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    (folder / "config.json").write_text(json.dumps(said | config), encoding="utf-8")
    return folder


def imported(folder: Path) -> Sequence[str]:
    return ("import", str(folder), "--out", str(folder.parent / "out"))


LAYERS = {
    "gpt2": "n_layer",
    "bert": "num_hidden_layers",
    "llama": "num_hidden_layers",
    "t5": "num_layers",
}
for _family, _field in LAYERS.items():
    for _many in (10**9, -1):

        @case("checkpoints", f"{_family}: {_field} = {_many}")
        def layers(
            place: Path, family: str = _family, field: str = _field, many: int = _many
        ) -> Sequence[str]:
            return imported(checkpoint(place, family, **{field: many}))


for _field, _odd in (
    ("n_layer", "two"),
    ("n_layer", 1e400),
    ("n_head", 0),
    ("n_embd", 0),
    ("n_embd", 10**12),
    ("n_positions", 10**12),
    ("vocab_size", 10**12),
    ("activation_function", ["gelu"]),
    ("activation_function", {"a": BIDI}),
    ("dtype", "evil"),
    ("eos_token_id", "no"),
    ("n_inner", -5),
    ("rope_parameters", [1]),
    ("architectures", "x" * 50_000_000),
    ("id2label", {str(n): str(n) for n in range(1_000_000)}),
):
    _free = _field in ("rope_parameters", "eos_token_id")

    @case("checkpoints", f"gpt2: {_field} = {str(_odd)[:12]!a}", None if _free else True)
    def setting(place: Path, field: str = _field, odd: Any = _odd) -> Sequence[str]:
        return imported(checkpoint(place, "gpt2", **{field: odd}))


for _file in ("config.json", "tokenizer.json"):

    @case("checkpoints", f"{_file} in lists, 1 million deep")
    def deep(place: Path, file: str = _file) -> Sequence[str]:
        path = checkpoint(place, "gpt2") / file
        text = path.read_text(encoding="utf-8").rstrip().removesuffix("}")
        path.write_text(text + ', "a": ' + "[" * 10**6 + "]" * 10**6 + "}")
        return imported(path.parent)


def tokenizer(change: Callable[[dict[str, Any]], None], place: Path) -> Sequence[str]:
    folder = checkpoint(place, "gpt2")
    said = json.loads((folder / "tokenizer.json").read_text(encoding="utf-8"))
    change(said)
    (folder / "tokenizer.json").write_text(json.dumps(said), encoding="utf-8")
    return imported(folder)


SPLIT = {"type": "Split", "behavior": "Isolated", "invert": False}


@case("checkpoints", "a tokenizer with an expression that is none")
def expression(place: Path) -> Sequence[str]:
    wrong = {**SPLIT, "pattern": {"Regex": "(((("}}
    return tokenizer(lambda said: said.update(pre_tokenizer=wrong), place)


@case("checkpoints", "a tokenizer with 10 million pieces")
def pieces(place: Path) -> Sequence[str]:
    many = {f"x{n}": 1000 + n for n in range(10_000_000)}
    return tokenizer(lambda said: said["model"]["vocab"].update(many), place)


def weighed(place: Path, said: dict[str, Any]) -> Sequence[str]:
    """A checkpoint whose weights are a header alone."""
    folder, raw = checkpoint(place, "gpt2"), json.dumps(said).encode()
    (folder / "model.safetensors").write_bytes(struct.pack("<Q", len(raw)) + raw)
    return imported(folder)


@case("checkpoints", "weights with a header of 99 MB")
def big_header(place: Path) -> Sequence[str]:
    return weighed(place, {"__metadata__": {"a": "x" * 99_000_000}})


@case("checkpoints", "weights with 1 million names")
def names(place: Path) -> Sequence[str]:
    none = {"dtype": "F32", "shape": [0], "data_offsets": [0, 0]}
    return weighed(place, {f"n{n}": none for n in range(1_000_000)})


@case("checkpoints", "weights of 10^18 numbers in a file of 100 bytes")
def numbers(place: Path) -> Sequence[str]:
    offsets = [0, 4 * 10**18]
    shape = {"dtype": "F32", "shape": [10**9, 10**9], "data_offsets": offsets}
    return weighed(place, {"wte.weight": shape})


for _label, _index in (
    ("a list", []),
    ("names that are numbers", {"weight_map": {"wte.weight": 3}}),
    ("a way out of the folder", {"weight_map": {"wte.weight": "../../../../etc/passwd"}}),
    ("a list of weights", {"weight_map": ["a"]}),
):

    @case("checkpoints", f"an index of shards with {_label}")
    def shards(place: Path, index: Any = _index) -> Sequence[str]:
        folder = checkpoint(place, "gpt2")
        (folder / "model.safetensors").unlink()
        (folder / "model.safetensors.index.json").write_text(json.dumps(index))
        return imported(folder)


@case("checkpoints", "t5 that does not say how its answers begin", False)
def beginless(place: Path) -> Sequence[str]:
    folder = checkpoint(place, "t5")
    said = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    said.pop("decoder_start_token_id")
    (folder / "config.json").write_text(json.dumps(said), encoding="utf-8")
    (folder / "generation_config.json").unlink(missing_ok=True)
    return imported(folder)


@case("checkpoints", "a folder whose name would steer the terminal", False)
def named(place: Path) -> Sequence[str]:
    folder = checkpoint(place, "gpt2")
    return ("import", str(folder.rename(place / BIDI)), "--out", str(place / "out"))


# What came of it


@dataclass(frozen=True, slots=True)
class Ended:
    status: int
    said: str
    printed: str
    seconds: float
    most_bytes: float
    stopped: str = ""  # why it was killed


def attacked(command: Sequence[str], home: Path) -> Ended:
    """The command, watched."""
    env = {**os.environ, "UNROLLED_HOME": str(home), "OMP_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1"}
    start = () if command[0] == "-c" else ("-m", "engine")
    most, stopped, begun = 0.0, "", time.monotonic()
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        process = subprocess.Popen(
            [sys.executable, *start, *command], cwd=ROOT, env=env, stdout=out, stderr=err
        )
        watched = psutil.Process(process.pid)
        while process.poll() is None:
            with contextlib.suppress(psutil.Error):
                every = [watched, *watched.children(recursive=True)]
                most = max(most, sum(one.memory_info().rss for one in every))
                stopped = "memory" if most > MOST_BYTES else ""
                if time.monotonic() - begun > MOST_SECONDS:
                    stopped = "time"
                if stopped:
                    for one in every:
                        one.kill()
            time.sleep(LOOK)
        seconds = time.monotonic() - begun
        said, printed = (
            (f.seek(0), f.read(1_000_000))[1].decode("utf-8", "replace") for f in (err, out)
        )
    return Ended(process.returncode, said, printed, seconds, most, stopped)


def fault(of: Case, ended: Ended, left: Sequence[str]) -> str:
    """What was wrong with it; "" for nothing."""
    lines = [line for line in ended.said.splitlines() if line.strip()]
    if ended.stopped:
        return f"no bound on its {ended.stopped}"
    if (
        ended.status not in (0, 2)
        or "mistake in Unrolled" in ended.said
        or "Traceback" in ended.said
    ):
        return f"status {ended.status}: {' '.join(lines[-1:])[:200]!a}"
    if of.refused is not None and of.refused != (ended.status == 2):
        return "accepted though wrong" if of.refused else f"refused though sound: {lines[-1:]!a}"
    if ended.status == 2 and not (lines and is_plain(lines[-1]) and len(lines[-1]) < 1000):
        return f"no plain sentence: {lines[-1:]!a}"[:300]
    if re.search(r"[a-z]Error\b|Error\(s\)", ended.said):
        return f"names of errors: {lines[-1:]!a}"[:300]
    shown = (ended.said + ended.printed).replace("\r", "\n").split("\n")
    if not all(is_plain(one.replace("\t", " ")) for one in shown if one):
        return "signs that steer the terminal"
    if ended.status == 2 and left:
        return f"left behind: {', '.join(left[:3])}"
    return ""


def tried(of: Case, name: str) -> Iterator[Row]:
    """One case: its row, or why it fell short."""
    with tempfile.TemporaryDirectory(prefix="unrolled-attack-") as scratch:
        place, home = Path(scratch) / "given", Path(scratch) / "home"
        place.mkdir()
        home.mkdir()
        command = of.make(place)
        size = sum(p.stat().st_size for p in place.rglob("*") if p.is_file())
        ended = attacked(command, home)
        left = [str(p.relative_to(scratch)) for p in home.rglob("*") if p.is_file()]
        left += ["out"] if (place / "out").exists() else []
        wrong = fault(of, ended, left)
    if where := os.environ.get("UNROLLED_ATTACK"):
        with Path(where).open("a", encoding="utf-8") as file:
            last = (ended.said.strip().splitlines() or [""])[-1]
            said = {"what": name, "status": ended.status, "fault": wrong, "said": last[-400:]}
            said |= {"seconds": round(ended.seconds, 1), "mb": round(ended.most_bytes / 1e6)}
            print(json.dumps(said), file=file)
    if wrong:
        raise RuntimeError(wrong)
    sizes = f"{size / 1e6:.3g} MB, {ended.most_bytes / 1e6:.0f} MB of memory"
    yield Row.of(name, sizes, [1000 * ended.seconds], "may take", [1000 * MOST_SECONDS])


def rows(groups: tuple[str, ...]) -> Iterator[Row]:
    for of in CASES:
        if of.group in groups:
            yield from attempt(name := f"{of.group}: {of.what}", tried(of, name))


BENCH = Bench(rows, ("documents", "train", "unpack", "vectors", "read", "checkpoints"))
