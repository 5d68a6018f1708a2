"""Web pages: the text of an HTML file, a block a line.

What      text between tags; a block (paragraph, heading, list item, table row ...) ends a line;
          scripts and styles are left out
Source    WHATWG, HTML, sec. 15.3 (which elements are blocks); the parser is libxml2's, by lxml
Differs   Nothing is fetched and no script runs, so what a page loads later is not there.  The
          parser reports tags as they come and keeps no tree: memory and depth stay small for any
          file.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable

from engine.text.documents.base import Document, Lines, Piece, Source, one_line
from engine.text.read import read

BLOCKS = frozenset(
    "address article aside blockquote body br caption center dd details dialog dir div dl dt"
    " fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr html legend li main"
    " menu nav ol option p pre search section summary table tbody tfoot thead title tr ul".split()
)
SILENT = frozenset(
    "script style template noscript head svg math object iframe textarea select".split()
)
CELLS = frozenset(("td", "th"))
SIGN = re.compile(
    rb"\s*(?:<\?xml[^>]*>\s*)?(?><!--.{0,2000}?-->\s*)*<(?:!doctype\s+html|html)\b",
    re.IGNORECASE | re.DOTALL,
)
CHARSET = re.compile(rb"""(?:charset|encoding)\s*=\s*["']?([\w-]{1,30})""", re.IGNORECASE)
# what a page may say it is written in
TEXTS = ("iso8859", "cp", "koi8", "shift", "euc", "gb", "big5", "mac", "tis", "hz", "johab")
CHUNK = 1 << 16


class Text:
    """What the parser tells its tags and texts to."""

    def __init__(self) -> None:
        self.lines = Lines()
        self._row: list[str] = []
        self._silent = 0

    def start(self, tag: object, attributes: object) -> None:
        name = _name(tag)
        if name in SILENT:
            self._silent += 1
        if name in BLOCKS:
            self._end_row()
        elif name in CELLS:
            self._row.append(" ")

    def end(self, tag: object) -> None:
        name = _name(tag)
        if name in SILENT:
            self._silent = max(self._silent - 1, 0)
        if name in BLOCKS:
            self._end_row()

    def data(self, data: str) -> None:
        if not self._silent:
            self._row.append(data)

    def comment(self, text: str) -> None:
        pass

    def close(self) -> Lines:
        self._end_row()
        return self.lines

    def _end_row(self) -> None:
        if row := one_line("".join(self._row)):
            self.lines.add(row)
        self._row.clear()


def _name(tag: object) -> str:
    return str(tag).rpartition("}")[2].lower()


def page(raw: bytes, check: Callable[[], None]) -> tuple[str, tuple[str, ...]]:
    """(text, notes) of a page; `check` is called now and then.  ValueError as `read` in
    engine/text/read.py."""
    from lxml import etree

    text, notes = read(_decoded(raw))
    found = Text()
    parser = etree.HTMLParser(
        target=found, encoding="utf-8", huge_tree=True, no_network=True, recover=True
    )
    # what it says of its encoding was true of the bytes, not of this
    sound = re.sub(r"\A\s*<\?xml[^>]*>", "", text).encode()
    try:
        for at in range(0, len(sound), CHUNK):
            check()
            parser.feed(sound[at : at + CHUNK])
        parser.close()
    except (etree.LxmlError, AssertionError) as error:
        if not found.close().count:
            raise ValueError(
                "this page can't be read: it has no text, or its tags make no sense"
            ) from error
        notes = (*notes, "its tags are damaged; what stands behind the damage may be missing")
    return found.close().text(), notes


def _decoded(raw: bytes) -> bytes:
    """As UTF-8, where the page names an encoding that it can be read in and is no UTF-8 itself."""
    said = CHARSET.search(raw[:2048])
    try:
        raw.decode()
        return raw
    except UnicodeDecodeError:
        pass
    try:
        codec = codecs.lookup(said[1].decode()).name if said else ""
        return raw.decode(codec).encode() if codec.startswith(TEXTS) else raw
    except (LookupError, ValueError):
        return raw


def pieces(source: Source) -> list[Piece]:
    text, notes = page(source.raw, source.bounds.check_time)
    if not text:
        raise ValueError(
            "there is no text in this page; if a script writes it, save what the browser shows as"
            " plain text"
        )
    return [Piece(source.name, text, "html", (*notes, "text taken out of the page's tags"))]


DOCUMENT = Document(
    "a web page",
    ("html", "htm", "xhtml"),
    lambda raw: SIGN.match(raw[:4096].removeprefix(b"\xef\xbb\xbf")) is not None,
    pieces,
    rank=70,
    by_name=True,
    label="web page",
)
