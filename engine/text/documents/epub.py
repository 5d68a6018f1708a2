"""E-books: the chapters of an .epub file, in reading order.

What      META-INF/container.xml names the package; its spine lists the chapters, which are web
          pages in a zip
Source    W3C, EPUB 3.3, sec. 4 (container) and 5.7 (spine); the XML parser is libxml2's, by lxml
Differs   Tables of contents are left out where the book marks them, and chapters that are not in its
          reading order (linear="no": notes, answers).  Entities are never expanded; a book that is
          locked by its seller is refused.
"""

from __future__ import annotations

import io
import posixpath
from typing import Any
from urllib.parse import unquote

from engine.language.message import _
from engine.text.documents.base import Document, Piece, Source, TooMuch
from engine.text.documents.html import Page, page
from engine.text.documents.left_out import join_left_out
from engine.text.documents.members import Members, names
from engine.text.paged import Spool

CONTAINER, LOCKS, RIGHTS = (
    "META-INF/container.xml",
    "META-INF/encryption.xml",
    "META-INF/rights.xml",
)
MOST_LIST = 10_000_000  # bytes of the list of chapters
PAGES = ("application/xhtml+xml", "text/html", "application/x-dtbook+xml")


def pieces(source: Source) -> list[Piece]:
    archive = Members(source)
    places, aside, title = _spine(archive)
    if RIGHTS in archive or (
        LOCKS in archive and any(place.encode() in archive.named(LOCKS) for place in places)
    ):
        raise ValueError(
            "this book is locked by its seller; only books without copy protection can be read"
        )
    chapters: list[Page] = []
    missing = 0
    for n, place in enumerate(places):
        source.bounds.check_time()
        source.tell(
            n / len(places), _("reading chapter {n} of {places}", n=n + 1, places=len(places))
        )
        try:
            chapter = page(archive.named(place), source.bounds.check_time)
        except TooMuch:
            raise
        except ValueError:
            missing += 1
            continue
        chapters += [chapter] if chapter.text else []
    if not chapters:
        raise ValueError(
            "there is no text in this book; its pages may be pictures, or the file is damaged"
        )
    notes = [
        _(
            "{chapters:,} {chapters|chapter|chapters}{title}",
            chapters=len(chapters),
            title=_(" of “{title}”", title=title) if title else "",
        )
    ]
    if missing:
        notes.append(
            _(
                "{missing:,} of {places:,} chapters without text, or damaged, left out",
                missing=missing,
                places=len(places),
            )
        )
    left_out = join_left_out(chapter.left_out for chapter in chapters)
    text = Spool()
    for chapter in chapters:
        for block in chapter.text.blocks():
            text.write(block)
    if aside:
        notes.append(
            _(
                "{aside:,} {aside|part|parts} outside the reading order or with the contents"
                " left out",
                aside=aside,
            )
        )
    return [Piece(source.name, text.close(), "epub", (*notes, *left_out.told()))]


def _spine(archive: Members) -> tuple[list[str], int, str]:
    """(where the chapters are, in order; how many parts of the spine are none; the title)."""
    package = next(
        (
            str(n.get("full-path", ""))
            for n in _elements(archive.named(CONTAINER))
            if _name(n) == "rootfile"
        ),
        "",
    )
    manifest: dict[str, str] = {}
    order: dict[str, bool] = {}  # and whether it is read through
    contents: set[str] = set()
    title = ""

    def place(href: object) -> str:
        found = unquote(str(href).partition("#")[0])
        return posixpath.normpath(posixpath.join(posixpath.dirname(package), found))

    for node in _elements(archive.named(package)):
        name = _name(node)
        if name == "item" and str(node.get("media-type", "")) in PAGES:
            where = manifest[str(node.get("id"))] = place(node.get("href", ""))
            if "nav" in str(node.get("properties", "")).split():
                contents.add(where)
        elif name == "itemref":
            order.setdefault(str(node.get("idref")), node.get("linear") != "no")
        elif name == "reference" and node.get("type") == "toc":
            contents.add(place(node.get("href", "")))
        elif name == "title" and not title:
            title = " ".join(str(node.text or "").split())[:120]
    listed = {manifest[id]: linear for id, linear in order.items() if id in manifest}
    places = [where for where, linear in listed.items() if linear and where not in contents]
    if not places:  # a book of one page may call it its contents
        places = list(listed)
    if not places:
        raise ValueError("this book lists no chapters; it may be damaged, or made of pictures")
    return places, len(listed) - len(places), title


def _elements(raw: bytes) -> list[Any]:
    from lxml import etree

    if len(raw) > MOST_LIST:
        raise ValueError(
            "the list of chapters of this book is far longer than a book needs; take another copy"
        )
    try:
        return [
            n
            for __, n in etree.iterparse(
                io.BytesIO(raw),
                resolve_entities=False,
                no_network=True,
                load_dtd=False,
                huge_tree=False,
            )
        ]
    except etree.LxmlError as error:
        raise ValueError("the list of chapters of this book is damaged; take a new copy") from error


def _name(node: Any) -> str:
    return str(node.tag).rpartition("}")[2]


DOCUMENT = Document(
    "an e-book",
    ("epub",),
    lambda raw: CONTAINER in names(raw),
    pieces,
    rank=30,
    packed=("epub",),
    label="EPUB",
)
