"""Web pages: the text of an HTML file, a block a line.

What      text between tags; a block (paragraph, heading, list item, table row ...) ends a line, inline
          elements do not part words, cells do; a line of `pre` stays one
Source    WHATWG, HTML, sec. 13.2.3 (how the encoding is found), 15.3 (which elements are blocks, which
          are hidden); Encoding, sec. 4.2 (what labels mean), by webencodings; the parser is libxml2's,
          by lxml
Differs   Nothing is fetched and no script runs, so what a page loads later is not there, and what a
          style sheet hides is: only an element's own attributes are known.  Text that is UTF-8
          throughout is read as UTF-8 whatever the page says.  Readings (ruby) are left out; what
          stands for a picture (alt) and what is typed or chosen in a form too.  Of what is said twice, for
          eyes and for screen readers, the latter is taken: an inline element with aria-hidden goes.
          The parser reports tags as they come and keeps no tree: memory and depth stay small for any
          file.  A paragraph of more than LONGEST characters is refused, and so are elements that lie
          more than DEEPEST deep, and more than MOST of them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from engine.language.message import _, refusal
from engine.text.documents.base import Document, Lines, Parts, Piece, Source, one_line
from engine.text.documents.left_out import LeftOut
from engine.text.paged import Spool
from engine.text.read import BOMS, Blocks, decodes, unwrap, whole_words

BLOCKS = frozenset(
    "address article aside blockquote body br caption center dd details dialog dir div dl dt"
    " fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr html legend li main"
    " menu nav ol option p pre search section summary table tbody tfoot thead title tr ul".split()
)
SILENT = frozenset(
    "script style template noscript head svg object iframe canvas audio video textarea select"
    " datalist annotation annotation-xml".split()
)
READINGS = frozenset(("rt", "rp", "rtc"))
CELLS = frozenset(("td", "th"))
UNSEEN = re.compile(
    r"(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse))\b", re.IGNORECASE
)
PAGE_BREAKS = ("pagebreak", "doc-pagebreak")  # the number of a printed page, in an e-book
SIGN = re.compile(
    rb"\s*(?:<\?xml[^>]*>\s*)?(?><!--.{0,2000}?-->\s*)*<(?:!doctype\s+html|html)\b",
    re.IGNORECASE | re.DOTALL,
)
COMMENT = re.compile(rb"<!--.*?(?:-->|\Z)", re.DOTALL)
DECLARED = re.compile(rb"""\s*<\?xml[^>]*\sencoding\s*=\s*["']([^"'>]{1,40})["']""")
META = re.compile(rb"<meta\b([^>]{1,1000})>", re.IGNORECASE)
ATTRIBUTE = re.compile(rb"""([\w-]{1,30})\s*=\s*("[^"]*"|'[^']*'|[^\s"'>]+)""")
CHARSET = re.compile(rb"""charset\s*=\s*["']?\s*([^\s"';]{1,40})""", re.IGNORECASE)
MOST_HEAD = 1 << 16  # bytes in which the encoding is looked for
CHUNK = 1 << 16
MOST = 12_000_000  # elements: a minute's work
DEEPEST = 1_000_000  # elements that are open at a time
LONG = 1 << 20  # characters of `pre` that wait for a line's end
XML = re.compile(r"\A\s*<\?xml[^>]*>")
PARAGRAPH_END = re.compile(r"</p\s*>", re.IGNORECASE)
LONGEST_TAG = 50_000_000  # characters without the end of a tag, such as those of a picture in it
OPENED = re.compile(r"<[a-zA-Z/!?]")
LONGEST_END = 1_000  # characters of one of these two
# what an element is; of open ones the first five are kept
SHOWN, READING, BLOCK, LINES, FRACTION = 1, 2, 4, 8, 16
CELL, QUIET, FORMULA, BASE, BOX = 32, 64, 128, 256, 512
KEPT = SHOWN | READING | BLOCK | LINES | FRACTION


@dataclass(frozen=True, slots=True)
class Page:
    """`text`: a block a line."""

    text: Spool
    notes: tuple[str, ...]
    left_out: LeftOut


class Text:
    """What the parser tells its tags and texts to."""

    def __init__(self) -> None:
        self.lines = Lines()
        self.left_out = LeftOut()
        self._row = Parts()
        self._open = bytearray((SHOWN,))  # what each open element is
        self._pre = self._count = 0

    def start(self, tag: object, attributes: Mapping[str, str]) -> None:
        kind, around = _kind(tag), self._open[-1]
        self._count += 1
        if self._count > MOST:
            raise refusal(
                "it has more than {most:,.0f} million elements; cut it into parts",
                most=MOST / 1000000.0,
            )
        if len(self._open) > DEEPEST:
            raise refusal(
                "its elements lie more than {deepest:,.0f} million deep in each other, as those of"
                " no page do",
                deepest=DEEPEST / 1000000.0,
            )
        shown = around & SHOWN
        if kind & BASE and around & READING:  # a reading that was not closed ends here
            shown = SHOWN
        elif shown and (attributes or kind & BOX) and _hidden(kind, attributes):
            shown = 0
            self.left_out.hidden += 1
        if kind & (READING | QUIET) or not shown:
            self.left_out.readings += bool((shown or around & READING) and _name(tag) == "rt")
            self._open.append(kind & READING)
            return
        self._open.append(kind & KEPT | SHOWN)
        if kind & (BLOCK | CELL | FORMULA):
            if kind & BLOCK:
                self._end_row()
                self._pre += bool(kind & LINES)
            elif kind & CELL:
                self._row.add(" ")
            else:
                self.left_out.formulas += 1

    def end(self, tag: object) -> None:
        what = self._open.pop() if len(self._open) > 1 else SHOWN
        if what & SHOWN:
            if what & BLOCK:
                self._end_row()
                self._pre -= bool(what & LINES)
            if self._open[-1] & FRACTION:  # between its two parts
                self._row.add("/")
                self._open[-1] &= ~FRACTION

    def data(self, data: str) -> None:
        if self._open[-1] & SHOWN:
            self._row.add(data)
            if self._pre and self._row.size > LONG:
                self._end_lines()

    def close(self) -> Lines:
        self._end_row()
        return self.lines

    def _end_lines(self) -> None:
        """Those of a long `pre` that are whole."""
        text = self._row.take()
        stop = text.rfind("\n\n") + 1 or text.rfind("\n") + 1
        self._add(text[:stop])
        self._row.add(text[stop:])

    def _end_row(self) -> None:
        self._add(self._row.take())

    def _add(self, text: str) -> None:
        if not text:
            return
        for line in unwrap(text).split("\n") if self._pre else (text,):
            whole, gone = whole_words(line)
            self.left_out.unseen += gone
            if row := one_line(whole):
                self.lines.add(row)


def _name(tag: object) -> str:
    return str(tag).rpartition("}")[2].lower()


@lru_cache(1000)
def _kind(tag: object) -> int:
    name = _name(tag)
    return (
        READING * (name in READINGS)
        | BLOCK * (name in BLOCKS)
        | LINES * (name == "pre")
        | FRACTION * (name == "mfrac")
        | CELL * (name in CELLS)
        | QUIET * (name in SILENT)
        | FORMULA * (name == "math")
        | BASE * (name == "rb")
        | BOX * (name == "dialog")
    )


def _hidden(kind: int, attributes: Mapping[str, str]) -> bool:
    """Whether its own attributes say that it is not shown, or shown a second time."""
    return bool(
        attributes.get("hidden", "until-found").lower() != "until-found"
        or UNSEEN.search(attributes.get("style", "")) is not None
        or (kind & BOX and "open" not in attributes)
        or (attributes.get("aria-hidden") == "true" and not kind & (BLOCK | CELL))
        or attributes.get("epub:type") in PAGE_BREAKS
        or attributes.get("role") in PAGE_BREAKS
    )


def page(raw: bytes, check: Callable[[], None]) -> Page:
    """`check` is called now and then.  ValueError as `read` in engine/text/read.py."""
    from lxml import etree

    encoding = _declared(raw)
    text = Blocks(raw, unseen=True, encoding=_codec(encoding))
    notes = [_("decoded as {encoding}, as the page says", encoding=encoding)] if encoding else []
    found = Text()
    parser = etree.HTMLParser(
        target=found, encoding="utf-8", huge_tree=True, no_network=True, recover=True
    )
    damaged = []
    try:
        for block in _sound(text):
            sound = block.encode()
            for at in range(0, len(sound), CHUNK):
                check()
                parser.feed(sound[at : at + CHUNK])
        parser.close()
    except (etree.LxmlError, AssertionError) as error:
        if not found.close().count:
            raise ValueError(
                "this page can't be read: it has no text, or its tags make no sense"
            ) from error
        damaged = ["its tags are damaged; what stands behind the damage may be missing"]
    return Page(found.close().text(), (*notes, *text.notes, *damaged), found.left_out)


def _sound(blocks: Iterable[str]) -> Iterator[str]:
    """As the parser takes it for what it is."""
    held, first, size = "", True, 0
    for block in blocks:
        end = block.rfind(">")
        if size and end < 0:
            size += len(block)
        else:
            begun = OPENED.search(block, max(end, 0))
            size = len(block) - begun.start() if begun else 0
        if size > LONGEST_TAG:
            raise refusal(
                "a tag of it is longer than {longest:,.0f} million characters; take a new copy",
                longest=LONGEST_TAG / 1000000.0,
            )
        text = held + block
        # a tag that may go on in the next block waits for it
        last = text.rfind("<")
        stop = (
            last
            if last >= 0 and ">" not in text[last:] and len(text) - last < LONGEST_END
            else None
        )
        held = "" if stop is None else text[stop:]
        text = text[:stop]
        if first and text.strip():
            # what it says of its encoding was true of the bytes, not of this
            text, first = XML.sub("", text), False
        # of one that closes no paragraph the standard makes an empty one; the parser passes it by
        yield PARAGRAPH_END.sub(r"\g<0><br>", text)
    yield held


def _declared(raw: bytes) -> str:
    """The encoding that a page names, where it is needed: none where the bytes have a mark, or are
    UTF-8."""
    from webencodings import lookup

    if raw.startswith(tuple(mark for mark, __ in BOMS)):
        return ""
    head = COMMENT.sub(
        b"", re.split(rb"<body\b", raw[:MOST_HEAD], maxsplit=1, flags=re.IGNORECASE)[0]
    )
    found = DECLARED.match(head)
    labels = [found[1]] if found else []
    for tag in META.finditer(head):
        said = {name.lower(): value.strip(b"\"'") for name, value in ATTRIBUTE.findall(tag[1])}
        if b"charset" in said:
            labels.append(said[b"charset"])
        elif said.get(b"http-equiv", b"").lower() == b"content-type" and (
            named := CHARSET.search(said.get(b"content", b""))
        ):
            labels.append(named[1])
    known = (lookup(label.decode("latin-1")) for label in labels)
    encoding = next((one for one in known if one and one.name != "replacement"), None)
    # a page that can say so in ASCII is no UTF-16; UTF-8 that is damaged is seen by `read`
    if encoding is None or encoding.name.startswith(("utf-", "x-user")):
        return ""
    sevenbit = encoding.name == "iso-2022-jp" and b"\x1b" in raw
    return encoding.name if sevenbit or not decodes(raw, "utf-8") else ""


def _codec(name: str) -> str:
    """What Python calls an encoding of the standard."""
    from webencodings import lookup

    if name == "gbk":  # whose four-byte codes Python's codec of that name lacks
        return "gb18030"
    return str(lookup(name).codec_info.name) if name else ""


def pieces(source: Source) -> list[Piece]:
    found = page(source.raw, source.bounds.check_time)
    if not found.text:
        raise ValueError(
            "there is no text in this page; if a script writes it, save what the browser shows as"
            " plain text"
        )
    notes = (*found.notes, *found.left_out.told(), "text taken out of the page's tags")
    return [Piece(source.name, found.text, "html", notes)]


DOCUMENT = Document(
    "a web page",
    ("html", "htm", "xhtml"),
    lambda raw: SIGN.match(raw[:4096].removeprefix(b"\xef\xbb\xbf")) is not None,
    pieces,
    rank=70,
    by_name=True,
    label="web page",
)
