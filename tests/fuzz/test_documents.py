"""Documents of every format: noise, sound files that were damaged, made ones that contain anything.
Each becomes texts, or one sentence."""

from __future__ import annotations

import contextlib
import csv
import gzip
import io
import json
import time
import warnings
import zipfile

import pytest
from hypothesis import strategies as st

from engine.jobs.worker import Worker
from engine.text import documents
from engine.text.collection import pairs, store
from engine.text.collection.gather import gather
from engine.text.documents import base, columns, parquet, pdf, read
from tests import made_files as made
from tests.fuzz.timed import JSON, SECONDS, Sound, broken, is_plain, lying, repeated, tried

SOUND = {name: Sound(raw) for name, raw in made.sound().items()}
STARTS = [
    *(b"", b"%PDF-1.4\n", b"PK\x03\x04", b"\x1f\x8b\x08\0", b"PAR1", b"<html>", b"\xff\xfe"),
    *(b"<?xml version='1.0' encoding='utf-7'?>", b"1\n00:00:01,000 --> 00", b"\xef\xbb\xbf"),
    *(b"WEBVTT\n\n00:01.000 --> 00:02.000\n<v ", b"{1}{2}{y:i}"),
    b"[Events]\nDialogue: 0,0:0:1,0:0:2,,,,,,,{\\p1}",
]
TEXTS = st.text(max_size=60)
NAMES = st.text(max_size=20) | st.sampled_from(
    ["../a.txt", "a/b.html", "x.zip", "", "\u202e.csv", "a\0.txt", "/", "x/", "x" * 300]
)
PARTS = [
    *"[Content_Types].xml word/document.xml _rels/.rels META-INF/container.xml content.xml".split()
]
ENCODINGS = "utf-8 utf-8-sig utf-16 utf-16-be utf-32 latin-1 shift_jis gb18030 utf-7".split()
WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
# of a PDF: what it says -> what it may say instead
PDF_LIES = {
    b"/Kids[4 0 R]": [
        *(b"/Kids[2 0 R]", b"/Kids 4 0 R", b"/Kids[null 99 0 R]"),
        b"/Kids[" + b"4 0 R " * 200 + b"]",
    ],
    b"/Count 1": [b"/Count -1", b"/Count 999999999", b"/Count (x)"],
    b"/Contents 5 0 R": [
        *(b"/Contents[5 0 R 4 0 R]", b"/Contents 4 0 R"),
        b"/Contents[" + b"5 0 R " * 200 + b"]",
    ],
    b"/Length": [
        *(b"/Length -5/X", b"/Length 99999999999/X"),
        *(b"/Filter/FlateDecode/Length", b"/Filter[/LZWDecode/ASCII85Decode]/Length"),
    ],
    b"/Parent 2 0 R": [b"/Parent 4 0 R", b"/Parent 4 0 R/Resources 4 0 R"],
    b"/F1 12 Tf": [b"/F1 1e308 Tf", b"/F9 nan Tf", b"/F1 12 Tf /F1 Do"],
    b"startxref\n": [b"startxref\n-", b"startxref\n9999999", b"startxref\n0 0"],
    b"/Root 1 0 R": [b"/Root 2 0 R", b"/Root 1 0 R/Prev 0", b"/Root 1 0 R/Encrypt 3 0 R"],
}
MOST_SECONDS = 10.0


def as_csv(rows: list[list[str]]) -> bytes:
    out = io.StringIO()
    csv.writer(out).writerows(rows)
    return out.getvalue().encode("utf-8", "surrogatepass")


@st.composite
def pdfs(draw: st.DrawFn) -> bytes:
    raw = made.pdf(
        draw(st.lists(st.text(st.characters(max_codepoint=255), max_size=9), max_size=40))
    )
    for said in draw(st.lists(st.sampled_from(sorted(PDF_LIES)), max_size=2)):
        raw = raw.replace(said, draw(st.sampled_from(PDF_LIES[said])))
    return raw


def table_of(values: list[object]) -> bytes:
    import pyarrow as pa

    try:
        return made.parquet({"text": ["x"] * len(values), "\u202e": values, "": values})
    except (pa.ArrowException, OverflowError, TypeError):  # of several kinds
        return b""


KINDS = st.integers(), st.floats(), st.binary(max_size=4), st.datetimes(), st.decimals(), JSON
CELLS = st.one_of(*(st.lists(kind | st.none(), max_size=4) for kind in KINDS))
ANY = st.sampled_from([f"a.{e}" for e in documents.endings()])


def docx(inside: str) -> bytes:
    body = f"<w:document xmlns:w='{WORD}'><w:p><w:r><w:t>{inside}".encode("utf-8", "replace")
    return made.packed({"[Content_Types].xml": "", "word/document.xml": body})


def epub(inside: str) -> bytes:
    return made.epub(**{"OEBPS__part 0.xhtml": inside.encode("utf-8", "replace").decode()})


CONTENTS: st.SearchStrategy[tuple[str, bytes]] = st.one_of(
    st.tuples(st.just("a.txt"), TEXTS.map(str.encode)),
    st.tuples(
        st.sampled_from(["a.csv", "a.tsv"]),
        st.lists(st.lists(TEXTS, max_size=4), max_size=6).map(as_csv),
    ),
    st.tuples(st.just("a.jsonl"), st.lists(JSON, max_size=5).map(made.jsonl)),
    st.tuples(st.just("a.json"), JSON.map(lambda v: json.dumps(v).encode())),
    st.tuples(st.just("a.html"), st.lists(TEXTS, max_size=4).map(made.html)),
    st.tuples(st.just("a.srt"), st.lists(TEXTS, max_size=4).map(made.srt)),
    st.tuples(
        st.just("a.parquet"),
        st.lists(TEXTS | st.none(), max_size=5).map(lambda rows: made.parquet({"text": rows})),
    ),
    st.tuples(
        ANY,
        st.tuples(repeated(30_000), st.sampled_from(ENCODINGS)).map(
            lambda pair: pair[0].encode(pair[1], "replace")
        ),
    ),
    st.tuples(st.just("a.docx"), repeated(1000).map(docx)),
    st.tuples(st.just("a.epub"), repeated(1000).map(epub)),
    st.tuples(st.just("a.pdf"), pdfs()),
    st.tuples(st.just("a.parquet"), CELLS.map(table_of)),
    st.tuples(ANY, st.binary(max_size=200)),
    st.tuples(ANY, st.tuples(st.sampled_from(STARTS), st.binary(max_size=300)).map(b"".join)),
    st.sampled_from(sorted(SOUND)).flatmap(
        lambda name: st.tuples(st.just(name), broken(SOUND[name]))
    ),
)


def archive(parts: list[tuple[str, tuple[str, bytes]]]) -> bytes:
    """A zip in which a name may come twice."""
    file = io.BytesIO()
    with (
        warnings.catch_warnings(action="ignore"),
        zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as out,
    ):
        for name, inside in parts:
            with contextlib.suppress(ValueError):  # what no zip can hold
                out.writestr(
                    zipfile.ZipInfo(name if name in PARTS else name + inside[0]), inside[1]
                )
    return file.getvalue()


def archives(contents: st.SearchStrategy[tuple[str, bytes]]) -> st.SearchStrategy[bytes]:
    whole = st.lists(st.tuples(NAMES | st.sampled_from(PARTS), contents), max_size=3).map(archive)
    return whole | whole.flatmap(lambda raw: lying(Sound(raw)))


FILES: st.SearchStrategy[tuple[str, bytes]] = st.one_of(
    CONTENTS,
    CONTENTS,
    CONTENTS.map(lambda one: (one[0] + ".gz", gzip.compress(one[1]))),
    st.tuples(st.sampled_from(["a.zip", "a.docx", "a.epub"]), archives(CONTENTS)),
    st.tuples(st.just("a.zip"), archives(st.tuples(st.just("b.zip"), archives(CONTENTS)))),
)


def is_text_or_sentence(file: tuple[str, bytes]) -> None:
    name, raw = file
    begun = time.process_time()
    try:
        for piece in read(name, raw):
            assert piece.text.strip() and "\0" not in piece.text
            piece.text.encode()
            assert is_plain(piece.name) and len(piece.name) <= 125
            store._counted(piece.pages, 0, lambda share, what: None)
    except ValueError as problem:
        said = str(problem)
        assert type(problem) in (ValueError, base.TooMuch) and is_plain(said) and len(said) < 500
    try:
        if sheet := columns(name, raw):
            for asked in (sheet.names[:1], sheet.names[-2:]):
                pairs.check(gather([(name, raw)], "labelled", asked).content, "labelled")
    except ValueError as problem:
        assert type(problem) in (ValueError, base.TooMuch)
    assert time.process_time() - begun < MOST_SECONDS


@SECONDS
def test_any_document(seconds: float, monkeypatch: pytest.MonkeyPatch) -> None:
    # a process for each would take minutes; the fuzzing is of what it runs
    monkeypatch.setattr(pdf, "_apart", lambda source, seconds: pdf.reading(source.raw))
    with Worker(parquet.__name__) as lasting:
        monkeypatch.setattr(parquet, "Worker", lambda module: contextlib.nullcontext(lasting))
        assert tried(FILES, is_text_or_sentence, seconds) >= 5
