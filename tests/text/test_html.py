"""Web pages say what a browser shows: Chromium's innerText agrees with each line here, but for what the
docstring of engine/text/documents/html.py names."""

from __future__ import annotations

import time

import pytest

from engine.text import read as reader
from engine.text.documents import Piece, html, read
from tests import made_files as made
from tests.conftest import together

TAGS = "text taken out of the page's tags"


def page(body: str, name: str = "a.html") -> Piece:
    [piece] = read(name, f"<!DOCTYPE html><html><body>{body}</body></html>".encode())
    return piece


@together(
    ("body", "lines", "note"),
    [
        (
            '<p>Seen. <span hidden>no</span><b style="color:red; DISPLAY : none">no</b>End.</p>'
            '<div style="visibility:hidden">no</div><div hidden="until-found">found</div>',
            ["Seen. End.", "found"],
            "3 hidden parts left out",
        ),
        (
            "<p>One <span hidden>no<div>no</div></span>line.<dialog>no</dialog>",
            ["One line."],
            "2 hidden parts left out",
        ),
        (
            '<p><i aria-hidden="true">expand_more</i>More</p><div aria-hidden="true">Behind</div>',
            ["More", "Behind"],
            "1 hidden part left out",
        ),
        (
            '<p>A sentence over <span epub:type="pagebreak">12</span>two pages.'
            ' <span role="doc-pagebreak">13</span></p>',
            ["A sentence over two pages."],
            "2 hidden parts left out",
        ),
        (
            "<p>その<ruby>言葉<rp>（</rp><rt>ことば</rt><rp>）</rp></ruby>が<ruby>表<rt>ひょう</rt>示"
            "<rt>じ</rt></ruby>された。</p>",
            ["その言葉が表示された。"],
            "3 readings beside words (ruby) left out",
        ),
        (
            "<p>Half is <math><mfrac><mn>1</mn><mn>2</mn></mfrac></math>, <math><semantics><mrow>"
            "<mi>x</mi><mo>=</mo><mn>3</mn></mrow><annotation>x=3</annotation></semantics></math>.",
            ["Half is 1/2, x=3."],
            "2 formulas read as text",
        ),
        (
            "<p>Eisen&shy;bahn&shy;gesell&shy;schaft zero&#x200B;width keep&#xFEFF;together</p>",
            ["Eisenbahngesellschaft zerowidth keeptogether"],
            "5 signs that cannot be seen taken out (soft hyphens, zero-width spaces, marks of"
            " direction)",
        ),
        ("<label>Name</label> <select><option>no</select><video>no</video>", ["Name"], ""),
        (
            "<pre>The sun went down,\n  the air was cold.\n\nA new stanza.</pre>",
            ["The sun went down,", "the air was cold.", "A new stanza."],
            "",
        ),
    ],
)
def test_what_is_not_shown_is_not_read(body: str, lines: list[str], note: str) -> None:
    piece = page(body)
    assert piece.text.splitlines() == lines
    assert piece.notes == ((note, TAGS) if note else (TAGS,))
    book = made.packed(
        {
            "META-INF/container.xml": made.CONTAINER,
            "OEBPS/book.opf": '<package><manifest><item id="a" href="a" media-type="text/html"/>'
            '</manifest><spine><itemref idref="a"/></spine></package>',
            "OEBPS/a": body,
        }
    )
    [piece] = read("a.epub", book)
    assert piece.text.splitlines() == lines
    assert piece.notes == (("1 chapter", note) if note else ("1 chapter",))


SJIS = "<META CONTENT='text/html;charset=Shift_JIS' HTTP-EQUIV=content-type>"
ASCII = '<meta http-equiv="Content-Type" content="text/html; charset=us-ascii">'
NAMED = "<meta name=description content='charset=koi8-r'><meta charset=windows-1251>"


@together(
    ("said", "encoding", "text"),
    [
        ('<meta charset="iso-8859-1">', "cp1252", "“It’s” – 5 €…"),
        ("<meta charset=latin1>", "cp1252", "She said “good morning” – and didn’t wait…"),
        (ASCII, "cp1252", "“caf\xe9” – 5 €"),
        (SJIS, "cp932", "①髙島屋～"),
        ("<meta charset=x-sjis>", "cp932", "∥－～①㈱"),
        ("<meta charset=gb2312>", "gb18030", "朱镕基说㐂"),
        ("<meta charset=iso-2022-jp>", "iso-2022-jp", "日本語"),
        ('<meta charset="iso-8859-8-i">', "iso8859-8", "שלום"),
        ("<!-- <meta charset=koi8-r> --><meta charset=windows-1251>", "cp1251", "Привет"),
        (NAMED, "cp1251", "Привет"),
        (f"<script>{'x' * 3000}</script><meta charset=windows-1251>", "cp1251", "Да"),
        ("<meta charset=utf-16>", "utf-8", "naïve – “q”"),
        ('<meta charset="iso-8859-1">', "utf-8-sig", "naïve – “q”"),
        ('<meta charset="iso-8859-1">', "utf-16", "naïve – “q”"),
    ],
)
def test_encodings_are_those_of_the_standard(said: str, encoding: str, text: str) -> None:
    [piece] = read("a.html", f"<html><head>{said}</head><p>{text}</p></html>".encode(encoding))
    assert piece.text == f"{text}\n"
    named = any(note.endswith("as the page says") for note in piece.notes)
    assert named == (not encoding.startswith("utf"))


def test_the_declaration_of_a_page_in_xml_counts_too() -> None:
    raw = (
        '<?xml version="1.0" encoding="ISO-8859-2"?><html><head><title/></head><p>Dvořák</p></html>'
    )
    assert read("a.xhtml", raw.encode("iso8859-2"))[0].text == "Dvořák\n"


def test_signs_of_nothing_take_no_time() -> None:
    begun = time.process_time()
    for raw in ("<!--" * 16_000, '<meta a="' * 7_000, "<p style='" + " " * 1_000_000 + "'>a"):
        try:
            read("a.html", f"<html>{raw}<p>é".encode("cp1252"))
        except ValueError as problem:
            assert "no text in this page" in str(problem)
    assert time.process_time() - begun < 3


def test_where_a_page_is_cut_into_blocks_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    raw = (
        '\n <?xml version="1.0"\n encoding="latin1"?>\n<html><head><meta\n charset="iso-8859-1"></head>'
        "<body>\n<p>One</p\n>x</P\n\n>two <b\n>three</b\n> 5 \x80\n</p><pre>a\nb\n\nc</pre>\xe9 1 < 2\n<"
    ).encode("latin-1")
    [whole] = read("a.html", raw)
    assert whole.text == "One\nx\ntwo three 5 €\na\nb\nc\né 1 < 2 <\n"
    assert "decoded as windows-1252, as the page says" in whole.notes
    for size in range(1, 30):
        monkeypatch.setattr(reader, "CHUNK", size)
        [cut] = read("a.html", raw)
        assert (cut.text, cut.notes) == (whole.text, whole.notes), size


def test_a_page_of_endlessly_many_elements_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    page = b"<html><body><p>one<p>two<p>three"
    monkeypatch.setattr(html, "MOST", 5)
    assert read("a.html", page)[0].text == "one\ntwo\nthree\n"
    monkeypatch.setattr(html, "MOST", 4)
    with pytest.raises(ValueError, match="million elements; cut it into parts"):
        read("a.html", page)
