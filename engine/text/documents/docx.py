"""Word documents: the paragraphs of a .docx file.

What      a zip of XML; the text stands in w:t elements of w:p paragraphs of the part that
          _rels/.rels names the document
Source    ECMA-376, Office Open XML File Formats, part 1, sec. 17.3; the parser is libxml2's, by
          lxml
Differs   Deleted words of tracked changes, headers, footnotes and comments are left out; a table
          gives one line a paragraph.  Entities are never expanded and nothing outside the file is
          looked at.
"""

from __future__ import annotations

import io

from engine.text.documents.base import Document, Lines, Piece, Source, one_line
from engine.text.documents.members import Members, names
from engine.text.read import read

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
STRICT = "{http://purl.oclc.org/ooxml/wordprocessingml/main}"
RELATIONS, TARGET = "_rels/.rels", "/officeDocument"
FALLBACK = (  # says again what stands beside it
    "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
)
SIGN = "[Content_Types].xml"
SIGNS = {"tab": " ", "br": " ", "cr": " ", "noBreakHyphen": "-"}
CHUNK = 1 << 16
MOST_LIST = 1_000_000  # bytes of the list of parts
BESIDE = ("word/footnotes.xml", "word/endnotes.xml", "word/comments.xml")


def known_by(raw: bytes) -> bool:
    listed = names(raw)
    return SIGN in listed and any(name.startswith("word/") for name in listed)


class Paragraphs:
    """What the parser tells its tags and texts to; it keeps no tree."""

    def __init__(self) -> None:
        self.lines = Lines()
        self._row: list[str] = []
        self._open: list[str] = []
        self._again = 0  # inside a fallback

    def start(self, tag: str, attributes: object) -> None:
        name = tag.removeprefix(W).removeprefix(STRICT)
        if name == "p":  # it may stand in another one, in a text box
            self._end()
        elif name in SIGNS and self._open[-1:] == ["r"] and not self._again:
            self._row.append(SIGNS[name])
        self._again += tag == FALLBACK
        self._open.append(name)

    def end(self, tag: str) -> None:
        self._again -= tag == FALLBACK
        if self._open.pop() == "p":
            self._end()

    def data(self, data: str) -> None:
        if self._open[-1:] == ["t"] and not self._again:
            self._row.append(data)

    def close(self) -> Lines:
        self._end()
        return self.lines

    def _end(self) -> None:
        if row := one_line("".join(self._row)):
            self.lines.add(row)
        self._row.clear()


def pieces(source: Source) -> list[Piece]:
    archive = Members(source)
    found = _paragraphs(archive.named(_place(archive)), source)
    if not found.count:
        raise ValueError(
            "there is no text in this document; if it shows scanned pages, save their text with a"
            " program that reads pictures"
        )
    text, notes = read(found.text().encode("utf-8", "replace"))
    if any(name in archive for name in BESIDE):
        notes = (*notes, "footnotes and comments left out")
    return [
        Piece(
            source.name,
            text,
            "docx",
            (
                *notes,
                f"{found.count:,} paragraph{'s' * (found.count > 1)} taken out of the document",
            ),
        )
    ]


def _place(archive: Members) -> str:
    """Where in the zip the document itself is."""
    from lxml import etree

    if RELATIONS in archive:
        listed = archive.named(RELATIONS)[:MOST_LIST]
        try:
            for _, node in etree.iterparse(
                io.BytesIO(listed), resolve_entities=False, no_network=True, load_dtd=False
            ):
                if str(node.get("Type", "")).endswith(TARGET):
                    return str(node.get("Target", "")).lstrip("/")
        except etree.LxmlError as error:
            raise ValueError(
                "this Word document is damaged; open it in a word processor and save it again"
            ) from error
    return "word/document.xml"


def _paragraphs(raw: bytes, source: Source) -> Lines:
    from lxml import etree

    found = Paragraphs()
    parser = etree.XMLParser(
        target=found, resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False
    )
    try:
        for at in range(0, len(raw), CHUNK):
            source.bounds.check_time()
            parser.feed(raw[at : at + CHUNK])
        parser.close()
    except (etree.LxmlError, IndexError) as error:
        raise ValueError(
            "this Word document is damaged or has entities of its own; open it in a word processor"
            " and save it again"
        ) from error
    return found.close()


DOCUMENT = Document(
    "a Word document", ("docx",), known_by, pieces, rank=20, packed=("docx",), label="Word"
)
