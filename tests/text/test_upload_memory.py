"""A file takes little memory whatever is in it: of a text one block at a time, of a table one row; or
one sentence is said before it takes more."""

from __future__ import annotations

import contextlib
import gzip
import io
import re
import sys
import time
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil
import pytest

from engine.text import paged
from engine.text import read as reader
from engine.text.collection import reading
from engine.text.collection.job import Job
from engine.text.documents import base, dialect, html, json_rows, subtitles, table
from tests import made_files as made

SIZE = 2_000_000
EMOJI = "😀".encode()


def filled(unit: bytes, share: float = 1.0) -> bytes:
    return unit * int(SIZE * share / len(unit))


def keys() -> bytes:
    return b"{" + b",".join(b'"k%d":1' % n for n in range(SIZE // 14)) + b"}\n"


def document(body: bytes) -> bytes:
    return stored(made.word(body.decode()))


def book(body: bytes) -> bytes:
    chapter = f'<html xmlns="http://www.w3.org/1999/xhtml"><p>{body.decode()}</p></html>'
    return stored(made.epub(("a",), **{"OEBPS__part 0.xhtml": chapter}))


def stored(packed: bytes) -> bytes:
    """What says the same again and again packs better than an archive may."""
    with zipfile.ZipFile(io.BytesIO(packed)) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    return made.packed(files, zipfile.ZIP_STORED)


ONE, TWO = ("text",), ("label", "text")
SENTENCE = b"a day at sea, and nothing to be told of it but the wind"
OBJECT = b'{"text": "%s", "n": 1}' % SENTENCE
PAGE, PARAGRAPH = b"<html><p>", b"<p>%s.</p>\n" % SENTENCE
LATIN = b'<html><meta charset="iso-8859-1">'
RUN = b"<w:p><w:r><w:t>%s.</w:t></w:r></w:p>"
CUE = b"1\n00:00:01,000 --> 00:00:02,000\n%s.\n\n"
EVENT = b"Dialogue: 0,0:00:01.00,0:00:02.00,,,0,0,0,,%s.\n"
LONG = "million characters|more than 100,000 characters|100,000 cells"
FILES: dict[str, tuple[str, Callable[[], bytes], tuple[str, ...] | None, str]] = {
    "ASCII and one emoji": ("a.txt", lambda: filled(SENTENCE + b"\n") + EMOJI, None, ""),
    "emoji": ("a.txt", lambda: filled(EMOJI * 20 + b"\n"), None, ""),
    "one line": ("a.txt", lambda: filled(EMOJI), None, ""),
    "cp1252": ("a.txt", lambda: filled("Käpt’n, über nichts.\n".encode("cp1252")), None, ""),
    "UTF-16": ("a.txt", lambda: filled("a line of words\n".encode("utf-16-le")), None, ""),
    "wrapped": ("a.txt", lambda: filled((b"word " * 14 + b"\n") * 3 + b"\n"), None, ""),
    "cells in two rows": ("a.csv", lambda: (filled(b"1,", 0.5) + b"\n") * 2, None, LONG),
    "semicolons": ("a.csv", lambda: filled(b";"), None, LONG),
    "bars": ("a.csv", lambda: filled(b"|"), None, LONG),
    "rows": ("a.csv", lambda: b"label,text\n" + filled(b'a,"%s"\n' % SENTENCE), ONE, ""),
    "pairs": ("a.csv", lambda: b"label,text\n" + filled(b'a,"%s"\n' % SENTENCE), TWO, ""),
    "an open quotation mark": ("a.csv", lambda: b'a,text\n1,"' + filled(SENTENCE), ONE, LONG),
    "a long cell": ("a.csv", lambda: b'a,text\n1,"' + filled(EMOJI) + b'"\n', ONE, LONG),
    "rows of JSON": ("a.jsonl", lambda: filled(OBJECT + b"\n"), ONE, ""),
    "a list": ("a.json", lambda: b"[" + filled(OBJECT + b",") + b"{}]", ONE, ""),
    "in an object": ("a.json", lambda: b'{"x": [' + filled(OBJECT + b",") + b"{}]}", ONE, ""),
    "keys": ("a.jsonl", keys, ONE, LONG),
    "lists in a row": ("a.jsonl", lambda: b'{"a": [' + filled(b"[],") + b"[]]}", ONE, LONG),
    "objects in a row": ("a.jsonl", lambda: b'{"a": [' + filled(b"{},") + b"{}]}", ONE, LONG),
    "a long text": ("a.jsonl", lambda: b'{"text": "' + filled(b"word ") + b'"}', ONE, LONG),
    "brackets": ("a.json", lambda: filled(b"["), ONE, "200 deep"),
    "a page": ("a.html", lambda: PAGE + EMOJI + b"</p>" + filled(PARAGRAPH), None, ""),
    "a page in cp1252": ("a.html", lambda: LATIN + filled(b"<p>5 \x80 or caf\xe9s</p>"), None, ""),
    "a page of lines": ("a.html", lambda: b"<html><pre>" + filled(SENTENCE + b"\n"), None, ""),
    "one paragraph": ("a.html", lambda: PAGE + filled(b"so <b>far</b> "), None, LONG),
    "one in another": ("a.html", lambda: PAGE + filled(b"<b>"), None, "deep in each other"),
    "a comment": ("a.html", lambda: PAGE + b"so<!--" + filled(SENTENCE), None, "a tag of it"),
    "a book": ("a.epub", lambda: book(EMOJI + b"</p>" + filled(PARAGRAPH) + b"<p>"), None, ""),
    "a document": ("a.docx", lambda: document(RUN % EMOJI + filled(RUN % SENTENCE)), None, ""),
    "a long paragraph": ("a.docx", lambda: document(RUN % filled(b"word ")), None, LONG),
    "subtitles": ("a.srt", lambda: CUE % EMOJI + filled(CUE % SENTENCE), None, ""),
    "events": ("a.ass", lambda: b"[Events]\n" + EVENT % EMOJI + filled(EVENT % SENTENCE), None, ""),
    "a subtitle": ("a.srt", lambda: CUE % EMOJI + filled(b"word "), None, "as no subtitle has"),
    "packed": ("a.jsonl.gz", lambda: gzip.compress(keys()), ONE, LONG),
}


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if a file of two megabytes were a large one."""
    for module in (paged, json_rows, table):
        monkeypatch.setattr(module, "BLOCK", 1 << 16)
    monkeypatch.setattr(paged, "MEMORY", 1 << 16)
    monkeypatch.setattr(reader, "CHUNK", 1 << 16)
    monkeypatch.setattr(reader, "SAMPLE_BYTES", 1 << 13)
    monkeypatch.setattr(reader, "JUDGED", 1 << 16)
    monkeypatch.setattr(json_rows, "BATCH", 1 << 15)
    for module in (json_rows, dialect, base, subtitles):
        monkeypatch.setattr(module, "LONGEST", 100_000)
    monkeypatch.setattr(html, "LONG", 1 << 14)
    monkeypatch.setattr(html, "DEEPEST", 10_000)
    monkeypatch.setattr(html, "LONGEST_TAG", 100_000)


# One of each reader, and what each refuses; the others with `make bench`.
SOME = ("emoji", "rows", "keys", "a page", "packed")


@pytest.mark.parametrize(
    "name", [n if n in SOME else pytest.param(n, marks=pytest.mark.slow) for n in FILES]
)
@pytest.mark.usefixtures("small")
def test_not_much_more_than_the_file_has(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Twice the size of the file; a string of it takes up to four times that, its cells fifty times."""
    file, make, columns, problem = FILES[name]
    kind = "labelled" if columns == TWO else "text"

    def read(raw: bytes) -> reading.Read:
        return reading.read([(file, raw)], kind, columns, lambda share, what: None)

    with monkeypatch.context() as patch:
        patch.setattr(sys.modules[__name__], "SIZE", 20_000)
        read(make())  # what is imported and kept belongs to no file
    raw = make()
    unpacked = SIZE if file.endswith(("gz", "epub", "docx")) else 0
    tracemalloc.start()
    try:
        found = read(raw)
        assert tracemalloc.get_traced_memory()[1] < 2 * (SIZE + unpacked)
    finally:
        tracemalloc.stop()
    said = " ".join(found.problems)
    assert re.search(problem, said) if problem else found.characters and not said


def high_water(pid: int) -> int:
    """The most memory that a process had at a time, in bytes."""
    with contextlib.suppress(OSError):
        found = re.search(r"VmHWM:\s*(\d+)", Path(f"/proc/{pid}/status").read_text())
        return 1000 * int(found[1]) if found else 0
    return 0


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="only there a process says what it had")
@pytest.mark.parametrize("name", FILES)
def test_an_upload_of_200_megabytes_takes_less_than_one_gigabyte(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From the bytes to the stored corpus, in each process that works on it."""
    monkeypatch.setattr(sys.modules[__name__], "SIZE", 190_000_000)
    file, make, columns, problem = FILES[name]
    raw = make()
    one, kind = Job([(file, raw)], tmp_path), "labelled" if columns == TWO else "text"
    del raw
    seen: dict[int, int] = {}
    before = psutil.Process().memory_info().rss

    def result(do: str, **how: object) -> dict[str, Any] | None:
        one.ask(do, kind=kind, **how)
        while one.state.alive:
            for child in psutil.Process().children(recursive=True):
                seen[child.pid] = max(seen.get(child.pid, 0), high_water(child.pid))
            time.sleep(0.02)
        found: dict[str, Any] | None = one.result(do)
        return found

    found = result("read", columns=list(columns) if columns else None, look=False)
    if found is None or found["read"]["problems"]:
        said = one.state.error if found is None else " ".join(found["read"]["problems"])
        assert "\n" not in said and len(said) < 300
        assert problem or re.search("20,000,000 lines|2,000,000 rows", said)
    else:
        assert result("add", name="x")
    assert max(seen.values()) < 1_000_000_000
    assert psutil.Process().memory_info().rss - before < 50_000_000
    one.close()
