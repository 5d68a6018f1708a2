"""What bad input gets: a clean text with a note of what was done, or one sentence why not.  Never
anything else."""

from __future__ import annotations

import gzip
import os
import random
import re
import struct
import time
import zipfile
import zlib
from pathlib import Path

import pytest

from engine.__main__ import main
from engine.models import bert, translating
from engine.text import documents
from engine.text.documents import base, columns, members, pdf, pdf_layout, pdf_passages, read, table
from engine.text.documents.pdf_letters import Box, Segment
from engine.text.preparation import sentences
from engine.text.read import load
from tests import made_files as made
from tests.conftest import together

SOUND = made.sound()


def text_of(raw: bytes, name: str = "a.txt") -> str:
    [piece] = read(name, raw)
    return piece.text


def refusal(name: str, raw: bytes) -> str:
    """The sentence that refuses a file: one line, not a list, no name of ours in it."""
    with pytest.raises(ValueError) as problem:
        read(name, raw)
    said = str(problem.value)
    assert "\n" not in said and len(said) < 500 and "Error" not in said
    return said


SCRIPTS = "שלום עולם\nמה שלומך\n|👩‍👩‍👧‍👦 family 🙂🏽\n|e\u0301\u0302\u0303 z\u0351\n|नमस्ते\n"


@together("sample", SCRIPTS.split("|"))
def test_any_script_stays_as_it_is(sample: str) -> None:
    assert text_of(sample.encode()) == sample
    paragraphs = sample.splitlines()
    assert text_of(made.docx(paragraphs), "a.docx") == sample
    assert text_of(made.html(paragraphs), "a.html") == sample
    assert text_of(made.epub(paragraphs), "a.epub") == sample


@together("name", "a.txt a.pdf a.zip a.csv a.parquet a.srt a.html a.jsonl ../../x".split())
def test_nothing_and_white_space_and_noise(name: str) -> None:
    assert "empty" in refusal(name, b"")
    assert columns(name, b"") is None
    said = refusal(name, b" \n \n")
    assert name.endswith(("parquet", "csv", "jsonl")) or "white space" in said
    assert refusal(name, random.Random(1).randbytes(20_000).replace(b"\n", b"\0"))


def test_other_files_are_named() -> None:
    for raw, what in (
        (b"\x89PNG\r\n", "picture"),
        (b"\x7fELF", "program"),
        (b"7z\xbc\xaf\x27\x1c", "7z"),
    ):
        assert what in refusal("a.txt", raw + bytes(100))
        assert what in refusal("a.zip", made.packed({"inner.txt": raw + bytes(100)}))


PACKED = [n for n in SOUND if n.endswith((".docx", ".pdf", ".epub", ".parquet", ".zip", ".gz"))]


@together("name", PACKED)
def test_files_that_are_cut_off(name: str) -> None:
    whole, told = SOUND[name], "damaged|cut off|control codes|no text|missing"
    for share in (0.5, 0.99):
        try:
            [piece] = read(name, whole[: int(len(whole) * share)])
            assert piece.text.strip()  # a PDF without its end is put together again
        except ValueError as problem:
            assert re.search(told, str(problem)), problem


def test_what_is_too_large_is_refused_before_it_is_read(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(documents, "MOST_BYTES", 1000)
    assert "at most 0.0 MB are read; cut it into parts" in refusal("a.txt", b"x" * 1001)
    (tmp_path / "a.txt").write_bytes(b"x" * 1001)
    with pytest.raises(ValueError, match="cut it into parts"):
        read("a.txt", tmp_path / "a.txt")


def test_bombs(monkeypatch: pytest.MonkeyPatch) -> None:
    zeros = bytes(30_000_000)
    started = time.monotonic()
    squeezer = zlib.compressobj(9, zlib.DEFLATED, 31)
    bomb = squeezer.compress(zeros) + squeezer.flush()
    del zeros
    assert "unpacks to far more than a text would" in refusal("a.txt.gz", bomb)
    assert "times its size" in refusal("a.zip", made.packed({"a.txt": b" " * 5_000_000}))
    word = {"[Content_Types].xml": "", "word/document.xml": b" " * 5_000_000}
    assert "times its size" in refusal("a.docx", made.packed(word))
    book = {"META-INF/container.xml": b" " * 5_000_000}
    assert "times its size" in refusal("a.epub", made.packed(book))
    monkeypatch.setattr(table, "MOST_BYTES", 2_000_000)
    # 20 kB that are 40 MB
    same = made.parquet({"text": [random.Random(0).randbytes(10_000).hex()] * 2_000})
    assert len(same) < 1_000_000 and "million characters" in refusal("a.parquet", same)
    nested = b"hello"
    for n in range(6):
        nested = made.packed({f"{n}.zip": nested})
    assert "archives in archives" in refusal("a.zip", nested)
    four = gzip.compress(gzip.compress(gzip.compress(gzip.compress(b"hello"))))
    assert "archives in archives" in refusal("a.gz", four)
    assert time.monotonic() - started < 60


def test_a_zip_that_lies_about_its_sizes() -> None:
    # the directory says 5 bytes, the file unpacks to 3 million: of the 5 that are taken the sum is wrong
    raw = bytearray(made.packed({"a.txt": b"ab " * 1_000_000}))
    at = raw.rindex(members.LISTED)
    raw[at + 24 : at + 28] = (5).to_bytes(4, "little")
    assert "damaged" in refusal("a.zip", bytes(raw))
    packed = int.from_bytes(made.packed({"a.txt": b"hello world\n" * 10})[18:22], "little")
    assert "hello" in read("a.zip", zip64(120, packed))[0].text
    for size, own in ((10, packed), (10**15, packed), (120, 10**12), (120, 5), (2**63, 2**63)):
        assert refusal("a.zip", zip64(size, own))


def zip64(size: int, packed: int) -> bytes:
    """A zip of 120 bytes whose directory gives both sizes in the 64 bits of APPNOTE 4.5.3."""
    raw = made.packed({"a.txt": b"hello world\n" * 10})
    at, end = raw.rindex(members.LISTED), raw.rindex(b"PK\x05\x06")
    entry, last = bytearray(raw[at:end]), bytearray(raw[end:])
    struct.pack_into("<LL", entry, 20, 2**32 - 1, 2**32 - 1)
    named, extra = struct.unpack_from("<HH", entry, 28)
    assert not extra
    more = struct.pack("<HHQQ", 1, 16, size, packed)
    struct.pack_into("<H", entry, 30, len(more))
    entry[46 + named : 46 + named] = more
    struct.pack_into("<L", last, 12, len(entry))
    return raw[:at] + bytes(entry) + bytes(last)


def test_an_upload_is_bounded_as_a_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(base.Bounds.__init__, "__defaults__", (10**6, 3, base.Bounds().until))
    five = made.packed({f"{n}.txt": "hello" for n in range(5)})
    assert "too many files" in refusal("a.zip", five)
    inner = made.packed({f"{n}.txt": "hello" for n in range(2)})
    # archives inside count too
    assert "too many files" in refusal("a.zip", made.packed({"a.zip": inner, "b.zip": inner}))
    monkeypatch.setattr(base.Bounds.__init__, "__defaults__", (1000, 100, base.Bounds().until))
    many = {f"{n}.txt": random.Random(n).randbytes(150).hex() for n in range(5)}
    assert "unpacked it has more than" in refusal("a.zip", made.packed(many))
    monkeypatch.setattr(base.Bounds.__init__, "__defaults__", (1000, 100, time.monotonic() - 1))
    assert "takes longer than" in refusal("a.zip", made.packed({"a.txt": "hello"}))


def test_a_directory_of_a_million_names_is_not_even_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(zipfile, "ZipFile", lambda *a, **k: pytest.fail("opened"))
    assert "files and at most" in refusal("a.zip", b"PK\x03\x04" + members.LISTED * 1_000_000)


def test_files_without_a_name_or_one_over_the_other() -> None:
    raw = bytearray(made.packed({"x": "inside"}))
    at = raw.rindex(members.LISTED)
    raw[at + 28], raw[-10] = 0, raw[-10] - 1  # the length of its name, and of the directory
    del raw[at + 46]
    assert "there is no file in the archive" in refusal("a.zip", bytes(raw))
    raw = bytearray(made.packed({f"{n}.txt": b"x" * 40 for n in "abc"}))
    at = bytes(raw).find(b"PK\x01\x02")
    while at >= 0:  # each says that its packed bytes are as many as the whole archive has
        raw[at + 20 : at + 24] = len(raw).to_bytes(4, "little")
        at = bytes(raw).find(b"PK\x01\x02", at + 4)
    with pytest.raises(ValueError, match="overlap"):
        read("overlap.zip", bytes(raw))


NAMES = ("../../../etc/passwd", "C:\\x\\y.txt", "a\0b.txt", "<script>", "\u202etxt.exe", "n" * 5000)


def test_names_never_reach_the_file_system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in NAMES:
        place = b"x" * len(name.encode())
        packed = made.packed({place.decode(): "inside"}).replace(place, name.encode())
        for found in (read(name, b"inside"), read("a.zip", packed)):
            assert [p.text for p in found] == ["inside"]
            shown = found[0].name
            assert len(shown) <= 125 and shown.isprintable() and "\u202e" not in shown
    assert not list(tmp_path.rglob("*"))


MANY = "".join(
    f'<!ENTITY {c} "{f"&{b};" * 50}">' for b, c in zip("abcdefg", "bcdefgh", strict=True)
)
LAUGHS = f'<!DOCTYPE x [<!ENTITY a "ha">{MANY}]>'
OUTSIDE = '<!DOCTYPE x [<!ENTITY h SYSTEM "file:///etc/passwd">]>'


@together("evil", [LAUGHS, OUTSIDE])
def test_xml_expands_nothing_and_looks_nowhere(evil: str) -> None:
    started = time.monotonic()
    w = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
    text = "<w:body><w:p><w:r><w:t>kept &h;</w:t></w:r></w:p></w:body>"
    word = f"{evil}<w:document {w}>{text}</w:document>"
    chapter = f"{evil}<html xmlns='http://www.w3.org/1999/xhtml'><p>kept &h;</p></html>"
    book = {
        "META-INF/container.xml": made.CONTAINER,
        "OEBPS/book.opf": f"{evil}<package><metadata><title>&h;</title></metadata></package>",
    }
    for name, raw in (
        ("a.docx", made.packed({"[Content_Types].xml": "", "word/document.xml": word})),
        ("a.html", chapter.encode()),
        ("a.epub", made.epub(**{"OEBPS__part 0.xhtml": chapter})),
        ("b.epub", made.packed(book)),
    ):
        try:
            text = "".join(p.text for p in read(name, raw))
            assert "root:" not in text and text.count("ha") < 100
        except ValueError as problem:
            assert "root:" not in str(problem)
    assert time.monotonic() - started < 60


def test_locked_and_scanned_and_endless_pdfs(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "protected with a password" in refusal("a.pdf", made.locked_pdf())
    assert "only pictures" in refusal("a.pdf", made.pdf([]))
    assert "damaged" in refusal("a.pdf", b"%PDF-1.7\n" + b"x" * 500)
    monkeypatch.setattr(pdf, "MOST_SECONDS", 0.0)  # one second is given at least
    slow = made.pdf(*[[f"page {n}, line {k}" for k in range(12)] for n in range(8_000)])
    assert "takes longer than 1 seconds" in refusal("a.pdf", slow)


def test_many_parts_and_comments_take_no_time() -> None:
    raw = gzip.compress(b"") * 200_000 + gzip.compress(b"A line.\n")
    begun = time.process_time()
    (piece,) = read("many.txt.gz", raw)
    assert piece.text == "A line.\n" and time.process_time() - begun < 5
    # Each could end at any later mark too: with every comment more, twice as many ways to fail.
    begun = time.process_time()
    for sign in (b"<!-- a -->\n", b"<!---->"):
        assert documents.kind("a.md", sign * 26 + b"A line.\n") == "plain"
        assert documents.kind("a.md", sign * 26 + b"<html><p>A line.") == "html"
    assert time.process_time() - begun < 2
    ends = ((sentences.END, "."), (bert.SPLIT, " \t"), (translating.BETWEEN, " "))
    for pattern, sign in ends:
        begun = time.process_time()
        assert not pattern.search(f"a{sign * 50_000}b")
        assert time.process_time() - begun < 1


def test_empty_rows_are_timed_too() -> None:
    late = base.Bounds(until=time.monotonic() - 1)
    source = base.Source("blank.csv", b"text\na\n" + b" \n" * 10_000, bounds=late)
    with pytest.raises(base.TooMuch, match="longer than"):
        table.pieces(source)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_that_nobody_writes_to_and_a_device_without_end(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.txt")
    with pytest.raises(ValueError, match="nobody writes"):
        load(tmp_path / "pipe.txt")
    with pytest.raises(ValueError, match="more than"):
        load(Path("/dev/zero"), 1000)


def test_a_table_s_names_cannot_steer_the_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.csv").write_text("te\u202ext\u200f,b\nhello world,1\n", encoding="utf-8")
    assert main(["corpora", "add", str(tmp_path / "a.csv")]) == 2
    assert not {"\u202e", "\u200f", "\x1b"} & set(capsys.readouterr().err)


@together("rows", [[{"\x1f": {}}], [{"\x1b[31m": "a", "\u202eb": "c"}]])
def test_a_column_s_name_cannot_turn_a_sentence(rows: list[dict[str, object]]) -> None:
    said = refusal("a.jsonl", made.jsonl(rows))
    assert not {"\x1f", "\x1b", "\u202e"} & set(said)


def test_pages_of_a_pdf_take_no_time() -> None:
    begun = time.process_time()
    boxes = [Box(50, 130, 12.0 * n, 12.0 * n + 10) for n in range(40)]
    rows = [pdf_layout.Line("a row of a table", box, 50, 130, 1) for box in boxes]
    made_of = pdf_passages.passages([rows] * 200)
    assert made_of.found == [" ".join(["a row of a table"] * 8000)] and made_of.joined == 0
    assert time.process_time() - begun < 2
    begun = time.process_time()
    page = [Segment(f"row {n}", Box(50, 90, 12.0 * n, 12.0 * n + 10)) for n in range(3)]
    pages = [[Segment(f"{n} Title", Box(50, 90, -40, -30)), *page] for n in range(5_000)]
    assert pdf_layout.lines(pages)[1] == 5_000
    draw = random.Random(1)
    places = [(draw.uniform(0, 590), draw.uniform(0, 790)) for _ in range(4_000)]
    scattered = [Segment("word", Box(x, x + 20, y, y + 5)) for x, y in places]
    [lines], _ = pdf_layout.lines([scattered])
    assert sum(line.text.count("word") for line in lines) == 4_000
    assert time.process_time() - begun < 5
