"""E-books: what a reader comes through from the first page to the last."""

from __future__ import annotations

from engine.text.documents import read
from tests import made_files as made


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


def test_what_a_book_marks_as_no_part_of_its_reading_order_is_left_out() -> None:
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


def test_a_book_of_which_nothing_else_is_left_is_read_whole() -> None:
    [piece] = read("a.epub", book({"one": "All of it."}, '<itemref idref="one" linear="no"/>'))
    assert piece.text == "All of it.\n" and piece.notes == ("1 chapter",)


def test_chapters_are_in_the_encoding_that_they_name() -> None:
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
