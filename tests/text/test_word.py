"""Word documents say what Word prints with all changes accepted."""

from __future__ import annotations

from engine.text.documents import read
from tests import made_files as made
from tests.conftest import together
from tests.text.test_hostile_uploads import refusal


def r(text: str, properties: str = "") -> str:
    given = f"<w:rPr>{properties}</w:rPr>" if properties else ""
    return f'<w:r>{given}<w:t xml:space="preserve">{text}</w:t></w:r>'


def p(*runs: str, properties: str = "") -> str:
    return f"<w:p><w:pPr>{properties}</w:pPr>{''.join(runs)}</w:p>"


def tc(*paragraphs: str) -> str:
    return f"<w:tc>{''.join(paragraphs)}</w:tc>"


def tbl(*rows: tuple[str, ...]) -> str:
    made_of = ("".join(row) for row in rows)
    return f"<w:tbl>{''.join(f'<w:tr>{row}</w:tr>' for row in made_of)}</w:tbl>"


def m(text: str) -> str:
    return f"<m:r><m:t>{text}</m:t></m:r>"


def style(kind: str, id: str, based: str = "", vanish: str = "") -> str:
    return (
        f'<w:style w:type="{kind}" w:styleId="{id}"><w:basedOn w:val="{based}"/>'
        f"<w:rPr>{vanish}</w:rPr></w:style>"
    )


STYLES = (
    style("character", "Hidden", vanish="<w:vanish/>")
    + style("character", "Too", "Hidden")
    + style("character", "Not", "Too", '<w:vanish w:val="0"/>')
    + style("paragraph", "All", vanish="<w:vanish/>")
    + style("character", "Round", "About")
    + style("character", "About", "Round")
)
BOX = f"<w:txbxContent>{p(r('boxed'))}</w:txbxContent>"
CHANGES = " left out (tracked changes)"


def as_(name: str) -> str:
    return f'<w:rStyle w:val="{name}"/>'


GONE, HIDE = "<w:rPr><w:del/></w:rPr>", "<w:vanish/>"
FORMULA = (
    f"<m:oMath>{m('f')}<m:d><m:e>{m('x')}</m:e></m:d>{m('=')}<m:sSup><m:e>{m('x')}</m:e>"
    f"<m:sup>{m('2')}</m:sup></m:sSup></m:oMath>"
)
HALF = f"<m:oMath><m:f><m:num>{m('1')}</m:num><m:den>{m('2')}</m:den></m:f></m:oMath>"
SUM = (
    '<m:oMathPara><m:oMath><m:nary><m:naryPr><m:chr m:val="∑"/></m:naryPr>'
    f"<m:sub>{m('i')}</m:sub><m:e><m:d><m:dPr><m:begChr m:val='['/><m:sepChr m:val=','/>"
    f"<m:endChr m:val=']'/></m:dPr><m:e>{m('a')}</m:e><m:e>{m('b')}</m:e></m:d></m:e>"
    "</m:nary></m:oMath></m:oMathPara>"
)
TWICE = (
    f"<w:r><mc:AlternateContent><mc:Choice>{BOX}</mc:Choice><mc:Choice>{BOX}</mc:Choice>"
    f"<mc:Fallback>{BOX}</mc:Fallback></mc:AlternateContent></w:r>"
)
FIELDS = (
    f"<w:sdt><w:sdtPr><w:showingPlcHdr/></w:sdtPr><w:sdtContent>{r('Click here.')}</w:sdtContent>"
    f"</w:sdt>{r('x ')}<w:sdt><w:sdtPr/><w:sdtContent>{r('filled in')}</w:sdtContent></w:sdt>"
)
RUBY = f"<w:r><w:ruby><w:rt>{r('とう')}</w:rt><w:rubyBase>{r('東')}</w:rubyBase></w:ruby></w:r>"
SIGNS = "".join(
    f'<w:r><w:sym w:font="{font}" w:char="{char}"/></w:r>'
    for font, char in (("Symbol", "F061"), ("Symbol", "F0B3"), ("Wingdings", "F04A"))
)
HYPHENS = f"{r('soft')}<w:r><w:softHyphen/></w:r>{r('hyphen no')}<w:r><w:noBreakHyphen/></w:r>{r('break ')}"
NOTES = '<w:r><w:footnoteReference w:id="2"/></w:r><w:r><w:commentReference/></w:r>'
MOVED = p(f"<w:moveTo>{r('Moved.')}</w:moveTo>") + p(f"<w:moveFrom>{r('Moved.')}</w:moveFrom>")
SHOWN = r("b ", '<w:vanish w:val="0"/>')
CHANGED = r("c", f"<w:rPrChange><w:rPr>{HIDE}</w:rPr></w:rPrChange>")
STYLED = [r("no", as_("Hidden")), r("no", as_("Too")), r("b ", as_("Not")), r("d", as_("Round"))]
TABLE = tbl((tc(p(r("Name"))), tc(p(r("Age")))), (tc(p(r("Ada")), p()), tc(p(r("36")))))
CELLS = tbl((tc(p(r("One.")), p(r("Two."))), tc(p(r("Three.")))))


@together(
    ("body", "lines", "note"),
    [
        (
            p(r("First.")) + MOVED + p(r("Last.")),
            ["First.", "Moved.", "Last."],
            f"1 passage deleted or moved away{CHANGES}",
        ),
        (p(r("One half "), properties=GONE) + p(r("and other.")), ["One half and other."], ""),
        (p(r("a "), r("no", HIDE), SHOWN, CHANGED), ["a b c"], "1 hidden part left out"),
        (p(r("a "), *STYLED), ["a b d"], "2 hidden parts left out"),
        (
            p(r("no"), r("seen", as_("Hidden")), properties='<w:pStyle w:val="All"/>'),
            ["seen"],
            "1 hidden part left out",
        ),
        (
            p(r("Half is "), HALF, r(", "), FORMULA) + p(SUM),
            ["Half is 1/2, f(x)=x2", "∑i[a,b]"],
            "3 formulas read as text",
        ),
        (p(r("before "), TWICE, r("after")), ["before after", "boxed"], ""),
        (p(r("Before.")) + TABLE, ["Before.", "Name Age", "Ada 36"], ""),
        (CELLS, ["One.", "Two.", "Three."], ""),
        (
            p(HYPHENS, SIGNS),
            ["softhyphen no-break α≥\ufffd"],
            "1 sign of a font of pictures shown as \ufffd",
        ),
        (p(FIELDS), ["x filled in"], ""),
        (p(r("私は"), RUBY, r("へ")), ["私は東へ"], "1 reading beside words (ruby) left out"),
        (p(r("Text"), NOTES, r(".")), ["Text."], "2 footnotes or comments left out"),
    ],
)
def test_what_is_printed_is_read(body: str, lines: list[str], note: str) -> None:
    [piece] = read("a.docx", made.word(body, STYLES))
    assert piece.text.splitlines() == lines
    count = f"{len(lines)} paragraph{'s' * (len(lines) > 1)} taken out of the document"
    assert piece.notes == ((note, count) if note else (count,))


def test_markup_at_the_wrong_place_is_text_or_a_sentence() -> None:
    for inside in (
        "<m:dPr><m:begChr m:val='('/></m:dPr>",
        "<m:nary/><m:e/><m:d/>",
        "<w:tc/><w:tr><w:tc></w:tc></w:tr>",
        "<w:sdtContent/><mc:Choice/><w:sym w:char='xyz'/><w:rPr><w:vanish/></w:rPr>",
        "<w:moveFrom><w:p/></w:moveFrom>",
    ):
        for body in (f"{inside}{p(r('kept'))}", p(f"<w:r>{inside}</w:r>", r("kept"))):
            [piece] = read("a.docx", made.word(body))
            assert piece.text.strip("\ufffd") == "kept\n"
    assert "damaged" in refusal("a.docx", made.word(p(r("kept")) + "</w:tc>"))


def test_the_document_may_lie_anywhere_in_its_package() -> None:
    kind = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
    related = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"
    space = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    raw = made.packed(
        {
            "[Content_Types].xml": f'<Types><Override PartName="/a/b.xml" ContentType="{kind}"/></Types>',
            "_rels/.rels": f'<Relationships><Relationship Id="1" Type="{related}" Target="/a/b.xml"/>'
            "</Relationships>",
            "a/b.xml": f'<w:document xmlns:w="{space}"><w:body>{p(r("Found."))}</w:body></w:document>',
        }
    )
    [piece] = read("a.docx", raw)
    assert (piece.text, piece.kind) == ("Found.\n", "docx")
