"""Text out of files: every format says what another library, or a reader, says is in it; signs that cannot be
seen do not part words."""

from __future__ import annotations

import csv
import gzip
import io
import unicodedata
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import settings as bounds
from hypothesis import strategies as st

from engine.core.registry import documents as formats
from engine.text import documents
from engine.text.documents import Piece, columns, read
from engine.text.read import whole_words
from tests import made_files as made
from tests.conftest import together
from tests.made_files import SENTENCES

SOUND = made.sound()


def one(name: str, raw: bytes, *chosen: str, join: bool = True) -> Piece:
    [piece] = read(name, raw, chosen or None, join=join)
    return piece


def lines(name: str, raw: bytes, *chosen: str) -> list[str]:
    return one(name, raw, *chosen).text.splitlines()


def test_every_format_is_listed_and_reads_a_sound_file() -> None:
    assert {documents.kind(name, raw) for name, raw in SOUND.items()} == set(formats.ids())
    assert documents.formats()[-1] == "plain"
    assert len(set(documents.endings())) == len(documents.endings())
    for name, raw in SOUND.items():
        assert lines(name, raw)[0] == SENTENCES[0], name
    packs = {name for name, raw in SOUND.items() if documents.is_packed(name, raw[:1024])}
    endings = {Path(name).suffix[1:] for name in packs}
    assert endings == {"pdf", "epub", "docx", "zip", "gz", "parquet"}


OWN = '''"""Recipes: lines behind a mark."""

from engine.text.documents.base import Document, Piece, Source
from engine.text.read import read


def pieces(source: Source) -> list[Piece]:
    text, notes = read(source.raw)
    said = [line for line in text.splitlines()[1:] if line and not line.startswith("*")]
    return [Piece(source.name, "\\n".join(said) + "\\n", "own_recipe", notes)]


DOCUMENT = Document(
    "a recipe", ("rcp",), lambda raw: raw.startswith(b"RECIPE"), pieces, label="recipe"
)
'''


def test_a_format_of_ones_own_is_one_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Found by its bytes, alone and in an archive, and offered for uploading."""
    (tmp_path / "own_recipe.py").write_text(OWN, encoding="utf-8")
    monkeypatch.setenv("UNROLLED_DOCUMENTS", str(tmp_path))
    monkeypatch.setattr(documents, "formats", documents.formats.__wrapped__)
    raw = b"RECIPE\n\n* bread\nThe cat sat.\n"
    assert one("a.rcp", raw).text == "The cat sat.\n"
    assert one("a.zip", made.packed({"a.txt": raw})).kind == "own_recipe"
    assert any("it is a recipe" in note for note in one("a.pdf", raw).notes)
    assert "rcp" in documents.endings() and "recipe" in documents.labels()


@together("name", [n for n in SOUND if n not in ("a.csv", "a.tsv", "a.jsonl", "a.md")])
def test_a_file_is_read_as_what_it_is_not_as_what_it_is_called(name: str) -> None:
    """A table, subtitles and Markdown have no sign of their own; all else is known whatever it is called."""
    piece = one("wrong.pdf" if name != "a.pdf" else "wrong.txt", SOUND[name])
    assert piece.text.startswith(SENTENCES[0])
    assert piece.kind == "plain" or any("was read as one" in note for note in piece.notes)


def test_a_word_document_says_what_python_docx_says() -> None:
    import docx as word

    paragraphs = ["One.", "Two\twith a tab", "", "Ünïcødé 中文 עברית 🙂", "a < b & c"]
    raw = made.docx(paragraphs, ("left", "right"))
    other = [" ".join(p.text.split()) for p in word.Document(io.BytesIO(raw)).paragraphs]
    assert lines("a.docx", raw) == [p for p in other if p] + ["left right"]


def test_a_book_is_read_in_the_order_of_its_spine() -> None:
    piece = one("a.epub", SOUND["a.epub"])
    assert piece.text.splitlines() == list(SENTENCES)
    assert piece.notes == ("3 chapters of “A Book”",)
    locks = "<encryption><CipherReference URI='OEBPS/part 0.xhtml'/></encryption>"
    with pytest.raises(ValueError, match="locked by its seller"):
        read("a.epub", made.epub(**{"META-INF__encryption.xml": locks}))
    fonts = locks.replace("part 0.xhtml", "font.otf")
    assert one("a.epub", made.epub(**{"META-INF__encryption.xml": fonts})).text == piece.text


def test_a_page_gives_its_blocks_as_lines() -> None:
    page = (
        b"<title>no</title><script>var x = 1 < 2;</script><style>p {}</style><h1>One</h1>  two"
        b" <b>three</b>\n four<p>five<br>six<ul><li>seven<li>eight &amp;"
        b" nine</ul><table><tr><td>ten<td>eleven<tr><td>twelve</table><!-- no"
        b" --><pre>thir\nteen</pre>&#x1F642;"
    )
    found = "One|two three four|five|six|seven|eight & nine|ten eleven|twelve|thir|teen|🙂"
    assert lines("a.html", page) == found.split("|")
    russian = "<html><meta charset=windows-1251><p>Привет, мир</p></html>"
    assert lines("a.html", russian.encode("cp1251")) == ["Привет, мир"]
    assert lines("deep.html", b"<html>" + b"<div>" * 20_000 + b"deep")[-1] == "deep"


def test_the_lines_of_a_pdf_become_passages() -> None:
    long = "Once there was a cat who lived in a small house by the sea and liked to watch"
    other = "(Another) passage begins on the second page of this book and goes on for"
    first = [long, "the ships come home in the eve-", "ning.", "12"]
    piece = one("a.pdf", made.pdf(first, [other, "a line."]))
    wanted = [f"{long} the ships come home in the evening.", f"{other} a line."]
    assert piece.text.splitlines() == wanted
    assert piece.notes == (
        "2 pages; lines joined to passages",
        "1 line of running heads, feet and page numbers left out",
        "1 word broken at a line's end joined",
    )


def test_a_cell_beyond_all_bounds_and_a_subtitle_without_a_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with pytest.raises(ValueError, match="no subtitle with a time"):
        read("a.srt", b"just a text")
    # Not that there is no such column.
    monkeypatch.setattr("engine.text.documents.dialect.LONGEST", 1_000)
    raw = f'label,text\na,"{"word " * 1_000}"\n'.encode()
    for name in ("a.csv", "a.tsv"):
        with pytest.raises(ValueError, match="a row of this table has more than 1,000 characters"):
            read(name, raw, ("text",))


signs = st.characters(codec="utf-8", exclude_categories=("Cs", "Cc", "Cf"))
cells = st.text(signs, max_size=12).map(lambda s: " ".join(s.split())).filter(bool)


@bounds(max_examples=40)
@given(st.lists(st.tuples(cells, cells), min_size=2, max_size=8))
def test_cells_come_back_as_they_were_written(rows: list[tuple[str, str]]) -> None:
    texts = [f"{a} {b}" for a, b in rows]
    wanted = [(f"<{a}", f"<{t}") for (a, _), t in zip(rows, texts, strict=True)]
    file = io.StringIO()
    csv.writer(file).writerows([("first name", "second name"), *wanted])
    found = one("a.csv", file.getvalue().encode(), "second name", "first name")
    assert [(b, a) for a, b in found.rows] == wanted
    records = [{"x": a, "y": t} for a, t in wanted]
    assert list(one("a.jsonl", made.jsonl(records), "x", "y").rows) == wanted
    table = made.parquet({"x": [a for a, _ in wanted], "y": [t for _, t in wanted]})
    assert list(one("a.parquet", table, "x", "y").rows) == wanted


def test_tables_name_their_columns() -> None:
    raw = b'id;label;text\n1;good;"a film; with\nmore"\n2;bad;"it said ""no"""\n'
    sheet = columns("a.csv", raw)
    assert sheet is not None and sheet.names == ("id", "label", "text")
    assert sheet.first[0] == ("1", "good", "a film; with more")
    both = (("good", "a film; with more"), ("bad", 'it said "no"'))
    assert one("a.csv", raw, "label", "text").rows == both
    with pytest.raises(ValueError, match="“label”, “text”; say which one is the text"):
        read("a.csv", raw)
    with pytest.raises(ValueError, match="no column “texts”; there are “id”, “label”, “text”"):
        read("a.csv", raw, ("texts",))
    headless = columns("a.tsv", b"1\tone\n2\ttwo\n")
    assert headless is not None and headless.names == ("column 1", "column 2")
    assert columns("a.txt", b"1,2\n3,4\n") is None


def test_what_is_no_text_is_refused_with_a_sentence() -> None:
    raw = made.parquet({"text": ["a"], "tokens": [["a", "b"]], "sound": [b"\0"]})
    sheet = columns("a.parquet", raw)
    assert sheet is not None and sheet.nested == ("sound",)
    assert sheet.names == ("text", "tokens[]", "sound") and sheet.first == (("a", "a b", "…"),)
    with pytest.raises(ValueError, match="“sound” has bytes that are no text"):
        read("a.parquet", raw, ("sound",))
    for table, said in (
        ({"text": [], "tokens": []}, "has columns, but no rows"),
        ({"sound": [b"\0"]}, "none of its columns has texts"),
    ):
        with pytest.raises(ValueError, match=said):
            read("a.parquet", made.parquet(table))
    rows = made.jsonl([{"text": "a"}, *({"text": "b"} for _ in range(200)), {"text": {"en": "c"}}])
    found = one("a.jsonl", rows, "text")
    assert found.text.count("\n") == 201
    assert "1 cell of “text” with an object or a list left out" in found.notes
    assert one("a.jsonl", b'{"a": "b"}\n[1, 2]\n7\n', "a").notes[-1] == "2 empty rows left out"
    for bad in (b"[" * 100_000, b'{"a": 1}\n{"a": \n'):
        with pytest.raises(ValueError, match="is not JSON"):
            read("a.jsonl", bad, ("a",))


def test_control_codes_that_are_written_out_are_removed() -> None:
    assert lines("a.jsonl", b'{"text": "a\\u0000b\\ud800c\\u2028d"}') == ["abc d"]
    assert lines("a.parquet", made.parquet({"text": ["a\0b", "\x07"]})) == ["ab"]
    assert lines("a.html", b"<html>a&#1;&#xD800;b&#x81;c") == ["a\ufffdbc"]
    assert lines("a.srt", made.srt(["a&#x81;b."])) == ["ab."]


def test_archives_hold_files_of_every_format() -> None:
    inner = {f"folder/{name}": raw for name, raw in SOUND.items() if name not in ("a.md",)}
    more = {"__MACOSX/._a.txt": b"x", ".DS_Store": b"\0\0", "empty.txt": b""}
    found = read("all.zip", made.packed({**inner, **more, "picture.png": b"\x89PNG\r\n"}))
    assert [p.text.splitlines()[0] for p in found] == [SENTENCES[0]] * len(inner)
    assert found[0].name == "all.zip › folder/a.txt"
    assert "2 files of all.zip left out" in found[0].notes[0]
    assert "picture.png: this is a picture" in found[0].notes[0]
    table = gzip.compress(b"a,b\nx,one\ny,two\n") + gzip.compress(b"z,three\n")
    # gzip files one behind the other are one file
    assert lines("t.csv.gz", table, "b") == ["one", "two", "three"]
    sheet = columns("t.csv.gz", table)
    assert sheet is not None and sheet.names == ("a", "b")
    with pytest.raises(ValueError, match="tar archive"):
        read("t.tar.gz", gzip.compress(b"\0" * 257 + b"ustar" + b"\0" * 200))
    office = {"xl/workbook": "spreadsheet", "ppt/presentation": "slides", "content": "OpenDocument"}
    for sign, what in office.items():
        with pytest.raises(ValueError, match=what):
            read("office", made.packed({"[Content_Types].xml": "", f"{sign}.xml": "<x/>"}))


def test_paths_lines_that_go_together_and_a_reading_that_is_stopped(tmp_path: Path) -> None:
    line = "straightforward words fill every line until no other would fit,\n"
    wrapped = (line * 4 + "\n") * 4
    (tmp_path / "a.txt").write_text(wrapped)
    [piece] = read("a.txt", tmp_path / "a.txt")
    assert "lines of a paragraph joined to one passage" in piece.notes
    assert one("a.txt", wrapped.encode(), join=False).text == wrapped
    with pytest.raises(ValueError, match="no such file"):
        read("b.txt", tmp_path / "b.txt")

    def stop(share: float, what: str) -> None:
        raise InterruptedError

    with pytest.raises(InterruptedError):
        read("a.zip", SOUND["a.zip"], progress=stop)


def test_a_member_that_is_locked_or_a_link_is_named() -> None:
    raw = bytearray(made.packed({"a.txt": "hello", "b.txt": "there"}, zipfile.ZIP_STORED))
    raw[raw.rindex(b"PK\x01\x02") + 8] |= 1  # the bit that says b.txt is encrypted
    found = read("a.zip", bytes(raw))
    assert [p.text for p in found] == ["hello"] and "locked with a password" in found[0].notes[0]
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        link = zipfile.ZipInfo("link.txt")
        link.external_attr = 0o120777 << 16
        archive.writestr(link, "/etc/passwd")
    with pytest.raises(ValueError, match="link to another place"):
        read("a.zip", file.getvalue())


def book(pages: dict[str, str], spine: str, more: str = "") -> bytes:
    items = "".join(
        f'<item id="{name}" href="text/{name}.xhtml" media-type="application/xhtml+xml"/>'
        for name in pages
    )
    package = f"<package><manifest>{items}</manifest><spine>{spine}</spine>{more}</package>"
    return made.packed(
        {
            "META-INF/container.xml": made.CONTAINER,
            "OEBPS/book.opf": package,
            **{f"OEBPS/text/{name}.xhtml": f"<html><p>{text}" for name, text in pages.items()},
        }
    )


def test_books_are_read_in_their_order_and_encoding() -> None:
    pages = {"toc": "Contents", "one": "Chapter one.", "notes": "A note.", "two": "Chapter two."}
    spine = (
        '<itemref idref="toc"/><itemref idref="one"/><itemref idref="notes" linear="no"/>'
        '<itemref idref="two" linear="yes"/>'
    )
    guide = '<guide><reference type="toc" href="text/toc.xhtml#top"/></guide>'
    [piece] = read("a.epub", book(pages, spine, guide))
    assert piece.text.splitlines() == ["Chapter one.", "Chapter two."]
    assert piece.notes == (
        "2 chapters",
        "2 parts outside the reading order or with the contents left out",
    )
    [piece] = read("a.epub", book({"one": "All of it."}, '<itemref idref="one" linear="no"/>'))
    assert piece.text == "All of it.\n" and piece.notes == ("1 chapter",)
    raw = made.packed(
        {
            "META-INF/container.xml": made.CONTAINER,
            "OEBPS/book.opf": '<package><manifest><item id="a" href="a" media-type="text/html"/>'
            '<item id="b" href="b" media-type="text/html"/></manifest><spine><itemref idref="a"/>'
            '<itemref idref="b"/></spine></package>',
            "OEBPS/a": '<?xml version="1.0" encoding="iso-8859-1"?><html><p>“It’s” – 5 €'.encode(
                "cp1252"
            ),
            "OEBPS/b": '<?xml version="1.0" encoding="utf-16"?><html><p>naïve'.encode("utf-16"),
        }
    )
    assert read("a.epub", raw)[0].text == "“It’s” – 5 €\nnaïve\n"


TOLD = " that cannot be seen taken out (soft hyphens, zero-width spaces, marks of direction)"


@together(
    ("text", "right", "count"),
    [
        ("Eisen\u00adbahn\u00adgesell\u00adschaft", "Eisenbahngesellschaft", 3),
        ("zero\u200bwidth keep\ufefftogether no\u2060break", "zerowidth keeptogether nobreak", 3),
        ("Auf\u200clage \u200c\u00a0\u200c x\u200dy", "Auflage \u00a0 xy", 4),
        ("\u202eevil\u202c \u200eשלום\u200f \u2067אב\u2069", "evil שלום אב", 6),
        ("می\u200cخواهم", "می\u200cخواهم", 0),
        ("क्\u200dष న్\u200c", "क्\u200dष న్\u200c", 0),
        ("👩\u200d👩\u200d👧 ❤\ufe0f\u200d🔥", "👩\u200d👩\u200d👧 ❤\ufe0f\u200d🔥", 0),
        ("ភាសា\u200bខ្មែរ ไทย\u200bไทย", "ភាសា\u200bខ្មែរ ไทย\u200bไทย", 0),
        ("ไทย\u200b\u200bไทย a\u200b\u200bb", "ไทย\u200b\u200bไทย ab", 2),
    ],
)
def test_words_become_whole(text: str, right: str, count: int) -> None:
    assert whole_words(text) == (right, count)
    [piece] = read("a.txt", f"{text}\n".encode())
    assert piece.text == f"{right}\n"
    assert piece.notes == ((f"{count} signs{TOLD}",) if count else ())
    for name, raw in (("a.html", made.html([text])), ("a.docx", made.docx([text]))):
        [piece] = read(name, raw)
        assert piece.text == f"{' '.join(right.split())}\n"
        assert any(note.endswith(TOLD) for note in piece.notes) == bool(count)
    rows = ({"text": text}, {"text": "other"})
    for name, raw in (
        ("a.csv", f"text\n{text}\nother\n".encode()),
        ("a.jsonl", made.jsonl(rows)),
        ("a.parquet", made.parquet({"text": [row["text"] for row in rows]})),
    ):
        assert read(name, raw)[0].text == f"{' '.join(right.split())}\nother\n"


def test_only_signs_without_a_width_go() -> None:
    # All of Unicode: what goes is a format character (category Cf).
    every = "".join(map(chr, (*range(0x110000),))).encode("utf-8", "ignore").decode()
    gone = set(every) - set(whole_words("x".join(every))[0])
    assert gone and {unicodedata.category(sign) for sign in gone} == {"Cf"}
    assert {"\u00ad", "\u200b", "\u200c", "\u200d", "\u200f", "\ufeff"} <= gone
    for text in ("a\u200bb " * 1_000_000, "a\u200bb" * 1_200_000):
        assert whole_words(text) == (text.replace("\u200b", ""), text.count("\u200b"))
