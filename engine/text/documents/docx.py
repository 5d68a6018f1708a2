"""Word documents: the paragraphs of a .docx file.

What      a zip of XML; the text stands in w:t elements of w:p paragraphs of the part that
          _rels/.rels names the document.  A row of a table is one line, unless a cell of it has
          several paragraphs; a text box comes behind the paragraph in which it is anchored
Source    ECMA-376, Office Open XML File Formats, part 1, sec. 17.3 (text), 17.3.2.41 and 17.7.3
          (hidden text), 17.13.5 (tracked changes), 22.1 (mathematics); part 3, sec. 10 (alternate
          content); the parser is libxml2's, by lxml
Differs   What is read is what is printed with all changes accepted: deleted words, the place that a
          moved passage came from, hidden text, readings (ruby) and the prompt of an empty field are
          left out, as are headers, footnotes and comments.  Formulas are read from left to right, a
          fraction as 1/2, without what raises or lowers a sign.  Numbers of lists are not in the file.
          Entities are never expanded and nothing outside the file is looked at.
"""

from __future__ import annotations

import io
import posixpath
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from engine.language.message import _
from engine.text.documents.base import Document, Lines, Parts, Piece, Source, one_line
from engine.text.documents.left_out import LeftOut
from engine.text.documents.members import Members, names
from engine.text.read import whole_words

W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
SHORT = {  # of a namespace; Word's own has none
    W: "",
    "http://purl.oclc.org/ooxml/wordprocessingml/main": "",
    "http://schemas.openxmlformats.org/officeDocument/2006/math": "m:",
    "http://purl.oclc.org/ooxml/officeDocument/math": "m:",
    "http://schemas.openxmlformats.org/markup-compatibility/2006": "mc:",
}
RELATIONS, DOCUMENT_PART, STYLES_PART = "_rels/.rels", "/officeDocument", "/styles"
SIGN, MAIN = "[Content_Types].xml", b"wordprocessingml.document.main+xml"
SIGNS = {"tab": " ", "ptab": " ", "br": " ", "cr": " ", "noBreakHyphen": "-"}
GONE = ("del", "moveFrom")
BESIDE = ("footnoteReference", "endnoteReference", "commentReference")
BRACKETS = ("m:begChr", "m:endChr", "m:sepChr")
NO = ("0", "false", "off")
# The font Symbol by codes as Word writes them (Adobe, Symbol Encoding, from 0x20 and from 0xA0)
SYMBOLS = {
    f"F0{first + n:02X}": sign
    for first, signs in (
        (
            0x20,
            " !∀#∃%&∋()∗+,−./0123456789:;<=>?≅ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_‾αβχδεφγηιϕκλμνο"
            "πθρστυϖωξψζ{|}∼",
        ),
        (
            0xA0,
            "€ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…⏐⎯↵ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓◊〈®©™∑⎛⎜⎝⎡⎢⎣⎧⎨⎩⎪"
            "\N{REPLACEMENT CHARACTER}〉∫⌠⎮⌡⎞⎟⎠⎤⎥⎦⎫⎬⎭",
        ),
    )
    for n, sign in enumerate(signs)
}
CHANGED = "PrChange"  # properties as they were before
KNOWN = frozenset(
    (
        *"p r t tr tc pPr rPr rt sdtPr sdtContent showingPlcHdr vanish pStyle rStyle sym".split(),
        *"style basedOn mc:AlternateContent mc:Choice mc:Fallback".split(),
        *(*SIGNS, *GONE, *BESIDE),
    )
)
CHUNK = 1 << 16
MOST_LIST = 1_000_000  # bytes of a list of parts
MOST_STYLES = 20_000_000  # bytes


def known_by(raw: bytes) -> bool:
    listed = names(raw)
    if SIGN not in listed or any(name.startswith("word/") for name in listed):
        return SIGN in listed
    try:  # the document may lie elsewhere
        return MAIN in Members(Source("", raw)).named(SIGN)
    except ValueError:
        return False


@dataclass(slots=True)
class Paragraph:
    """An open one.  `hides`: whether its style does; `after`: the lines of what is anchored in it."""

    row: Parts = field(default_factory=Parts)
    after: list[str] = field(default_factory=list)
    hides: bool = False
    goes_on: bool = False  # its end was deleted
    hidden: bool = False  # of the run that is read
    style: str = ""
    said: bool | None = None
    counted: bool = False

    def run(self) -> None:
        """The next one begins."""
        self.style, self.said, self.hidden, self.counted = "", None, self.hides, False


@dataclass(slots=True)
class Formula:
    """An open part of one that draws signs by itself: brackets, a sum."""

    signs: list[str]
    parts: int = 0


class Paragraphs:
    """What the parser tells its tags and texts to; it keeps no tree.

    hiding  of each style, whether it hides; None: it does not say
    """

    def __init__(self, hiding: Mapping[str, bool]) -> None:
        self.lines = Lines()
        self.left_out = LeftOut()
        self.changes = self.beside = self.unknown = 0
        self._hiding = hiding
        self._open: list[str] = []
        self._skipped = 0  # elements open in one that is left out
        self._paragraphs: list[Paragraph] = []
        self._rows: list[list[list[str]]] = []  # of the open tables: the lines of each cell
        self._into: list[list[str]] = []  # where lines go: a cell, or what is anchored
        self._waiting = (0, Parts())  # a paragraph whose end was deleted
        self._chosen: list[bool] = []  # of the open alternate contents, whether one was taken
        self._prompt = False
        self._formulas: list[Formula] = []

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        if self._skipped:
            self._skipped += 1
            return
        name, around = _name(tag), self._open[-1] if self._open else ""
        if not name or name == "t":
            self._open.append(name)
            return
        if self._goes(name, around):
            self._skipped = 1
            return
        value = _value(attributes) if attributes else ""
        if name == "p":
            self._begin()
        elif name == "tr":
            self._rows.append([])
        elif name == "tc":
            self._into.append([])
        elif name == "mc:AlternateContent":
            self._chosen.append(False)
        elif name.startswith("m:"):
            self._formula(name, around, value)
        elif name in ("sdtPr", "showingPlcHdr"):
            self._prompt = name == "showingPlcHdr" and value not in NO
        elif name in BESIDE:
            self.beside += 1
        elif self._paragraphs:
            self._mark(name, around, value, attributes)
        self._open.append(name)

    def end(self, tag: str) -> None:
        if self._skipped:
            self._skipped -= 1
            return
        name = self._open.pop()
        if not name or name == "t":
            return
        if name == "p":
            self._end()
        elif name == "tc":
            self._give_up_waiting()
            cell = self._into.pop()
            if self._rows:
                self._rows[-1].append(cell)
            else:  # in no row
                for line in cell:
                    self._add(line)
        elif name == "tr" and self._rows:
            cells = self._rows.pop()
            whole = all(len(cell) <= 1 for cell in cells)
            lines = [line for cell in cells for line in cell]
            for line in [" ".join(lines)] if whole and lines else lines:
                self._add(line)
        elif name == "mc:AlternateContent":
            self._chosen.pop()
        elif name in ("m:d", "m:nary"):
            formula = self._formulas.pop()
            if name == "m:d" and formula.parts:
                self._write(formula.signs[1])
        elif name in ("rPr", "m:rPr") and self._open[-1:] in (["r"], ["m:r"]) and self._paragraphs:
            self._hide(self._paragraphs[-1])

    def data(self, data: str) -> None:
        if not self._skipped and self._open[-1:] in (["t"], ["m:t"]):
            self._write(data)

    def close(self) -> Lines:
        self._give_up_waiting()
        return self.lines

    def _goes(self, name: str, around: str) -> bool:
        """Whether an element is left out with all that is in it."""
        if name in GONE and around != "rPr":
            self.changes += 1
        elif name in ("mc:Choice", "mc:Fallback") and self._chosen:
            again, self._chosen[-1] = self._chosen[-1], True
            return again
        elif name == "rt":
            self.left_out.readings += 1
        elif name == "sdtContent" and self._prompt:
            self._prompt = False
        else:
            return name.endswith(CHANGED)
        return True

    def _mark(self, name: str, around: str, value: str, attributes: Mapping[str, str]) -> None:
        """What stands in a paragraph beside its text."""
        one = self._paragraphs[-1]
        if around == "rPr" and self._open[-2:-1] == ["pPr"]:
            one.goes_on |= name in GONE
        elif around == "rPr":
            if name == "vanish":
                one.said = value not in NO
            elif name == "rStyle":
                one.style = value
        elif name == "pStyle":
            one.hides = self._hiding.get(value, False)
        elif name == "r":
            one.run()
        elif around == "r" and name in SIGNS:
            self._write(SIGNS[name])
        elif around == "r" and name == "sym":
            said = {key.rpartition("}")[2]: said for key, said in attributes.items()}
            sign = SYMBOLS.get(said.get("char", "").upper()) if said.get("font") == "Symbol" else ""
            self.unknown += not sign
            self._write(sign or "\N{REPLACEMENT CHARACTER}")

    def _hide(self, one: Paragraph) -> None:
        """By what its properties say; styles of paragraph and letters undo each other."""
        one.hidden = (
            one.hides != self._hiding.get(one.style, False) if one.said is None else one.said
        )

    def _formula(self, name: str, around: str, value: str) -> None:
        one = self._formulas[-1] if self._formulas else Formula([""] * 3)
        if name == "m:oMath":
            self.left_out.formulas += 1
        elif name == "m:r" and self._paragraphs:
            self._paragraphs[-1].run()
        elif name in ("m:d", "m:nary"):
            self._formulas.append(Formula(["(", ")", "|"] if name == "m:d" else ["∫"]))
        elif around == "m:dPr" and name in BRACKETS:
            one.signs[BRACKETS.index(name)] = value
        elif around == "m:naryPr" and name == "m:chr":
            one.signs[0] = value
        elif around == "m:d" and name == "m:e":
            self._write(one.signs[2 if one.parts else 0])
            one.parts += 1
        elif around == "m:nary" and name != "m:naryPr":
            self._write("" if one.parts else one.signs[0])
            one.parts += 1
        elif name == "m:den":
            self._write("/")
        elif name == "m:e" and around in ("m:rad", "m:mr", "m:eqArr"):
            self._write("√" if around == "m:rad" else " ")

    def _write(self, text: str) -> None:
        if not self._paragraphs:
            return
        one = self._paragraphs[-1]
        if not one.hidden:
            one.row.add(text)
        elif text.strip() and not one.counted:
            one.counted = True
            self.left_out.hidden += 1

    def _begin(self) -> None:
        level, row = self._waiting
        if level != len(self._into):
            self._give_up_waiting()
            row = Parts()
        self._waiting = (0, Parts())
        self._paragraphs.append(Paragraph(row, hides=self._hiding.get("", False)))
        self._into.append(self._paragraphs[-1].after)

    def _end(self) -> None:
        one = self._paragraphs.pop()
        self._into.pop()
        if one.goes_on:
            self._waiting = (len(self._into), one.row)
        else:
            self._add(one.row.take())
        for line in one.after:
            self._add(line)

    def _give_up_waiting(self) -> None:
        """Nothing comes to go on with."""
        level, row = self._waiting
        self._waiting = (0, Parts())
        if row.size:
            self._add(row.take(), level)

    def _add(self, text: str, level: int | None = None) -> None:
        whole, gone = whole_words(text)
        self.left_out.unseen += gone
        if line := one_line(whole):
            into = self._into[: len(self._into) if level is None else level]
            into[-1].append(line) if into else self.lines.add(line)


@lru_cache(1000)
def _name(tag: str) -> str:
    """With its short namespace; empty where it means nothing here."""
    space, __, name = tag.lstrip("{").rpartition("}")
    short = f"{SHORT.get(space, 'x:')}{name}"
    return short if short in KNOWN or short.startswith("m:") or short.endswith(CHANGED) else ""


def _value(attributes: Mapping[str, str]) -> str:
    return next((said for key, said in attributes.items() if key.endswith("}val")), "")


def pieces(source: Source) -> list[Piece]:
    archive = Members(source)
    place = _related(archive, RELATIONS, DOCUMENT_PART) or "word/document.xml"
    hiding = _hiding(archive, place)
    found = _paragraphs(archive.named(place), Paragraphs(hiding), source)
    lines = found.close()
    if not lines.count:
        raise ValueError(
            "there is no text in this document; if it shows scanned pages, save their text with a"
            " program that reads pictures"
        )
    more = found.left_out.told()
    if n := found.changes:
        more.append(
            _("{n:,} {n|passage|passages} deleted or moved away left out (tracked changes)", n=n)
        )
    if n := found.beside:
        more.append(_("{n:,} {n|footnote|footnotes} or {n|comment|comments} left out", n=n))
    if n := found.unknown:
        more.append(_("{n:,} {n|sign|signs} of a font of pictures shown as �", n=n))
    n = lines.count
    more.append(_("{n:,} {n|paragraph|paragraphs} taken out of the document", n=n))
    return [Piece(source.name, lines.text(), "docx", tuple(more))]


def _related(archive: Members, relations: str, kind: str) -> str:
    """Where in the zip a part is, by the list of what belongs to what; empty where it is not said."""
    from lxml import etree

    if relations not in archive:
        return ""
    listed = archive.named(relations)[:MOST_LIST]
    try:
        for __, node in etree.iterparse(
            io.BytesIO(listed), resolve_entities=False, no_network=True, load_dtd=False
        ):
            if str(node.get("Type", "")).endswith(kind):
                target, base = str(node.get("Target", "")), posixpath.dirname(relations)
                if target.startswith("/"):
                    return target.lstrip("/")
                return posixpath.normpath(posixpath.join(posixpath.dirname(base), target))
    except etree.LxmlError as error:
        raise ValueError(
            "this Word document is damaged; open it in a word processor and save it again"
        ) from error
    return ""


def _hiding(archive: Members, place: str) -> dict[str, bool]:
    """The styles that hide text, or say that they do not; under "" what a paragraph without one
    has.  A style takes what it does not say from the one that it is based on."""
    from lxml import etree

    folder, name = posixpath.split(place)
    where = _related(archive, f"{folder}/_rels/{name}.rels", STYLES_PART)
    if where not in archive or len(raw := archive.named(where)) > MOST_STYLES:
        return {}
    said: dict[str, bool | None] = {}
    based: dict[str, str] = {}
    usual = ""
    try:
        for __, node in etree.iterparse(
            io.BytesIO(raw), resolve_entities=False, no_network=True, load_dtd=False
        ):
            if not isinstance(node.tag, str) or _name(node.tag) != "style":
                continue
            known = {key.rpartition("}")[2]: str(value) for key, value in node.items()}
            id = known.get("styleId", "")
            if known.get("type") == "paragraph" and known.get("default", "0") not in NO:
                usual = id
            said[id] = None
            for inner in node.iterdescendants():
                kind = _name(inner.tag) if isinstance(inner.tag, str) else ""
                if kind == "basedOn":
                    based[id] = _value(inner.attrib)
                elif kind == "vanish" and _name(inner.getparent().tag) == "rPr":
                    said[id] = _value(inner.attrib) not in NO
            node.clear()
    except etree.LxmlError:
        return {}
    found = {}
    for id in said:
        at, seen = id, set()
        while said.get(at) is None and at in based and at not in seen:
            seen.add(at)
            at = based[at]
        found[id] = bool(said.get(at))
    return {**found, "": found.get(usual, False)}


def _paragraphs(raw: bytes, found: Paragraphs, source: Source) -> Paragraphs:
    from lxml import etree

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
    return found


DOCUMENT = Document(
    "a Word document", ("docx",), known_by, pieces, rank=20, packed=("docx",), label="Word"
)
