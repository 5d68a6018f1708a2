"""Small sound files of every format that is read, made by other libraries or by hand."""

from __future__ import annotations

import gzip
import io
import json
import zipfile
from collections.abc import Mapping, Sequence
from typing import Any

SENTENCES = (
    "The old cat sat by the sea.",
    "Naïve café, “quoted”: 3 < 4 & 5 > 2.",
    "It said nothing.",
)
CONTAINER = (
    '<?xml version="1.0"?><container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"'
    ' version="1.0"><rootfiles><rootfile full-path="OEBPS/book.opf"'
    ' media-type="application/oebps-package+xml"/></rootfiles></container>'
)


def escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def docx(paragraphs: Sequence[str] = SENTENCES, cells: Sequence[str] = ()) -> bytes:
    import docx as word

    made = word.Document()
    for paragraph in paragraphs:
        made.add_paragraph(paragraph)
    if cells:
        for cell, text in zip(made.add_table(1, len(cells)).rows[0].cells, cells, strict=True):
            cell.text = text
    file = io.BytesIO()
    made.save(file)
    return file.getvalue()


def word(body: str, styles: str = "") -> bytes:
    """A Word document of which the markup is given, with its styles."""
    spaces = (
        'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
        ' xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"'
        ' xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"'
    )
    related = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    part, styles_ = (
        "word/document2.xml",
        f'<x><y Type="{related}/styles" Target="styles2.xml"/></x>',
    )
    begin = f'<x><y Type="{related}/officeDocument" Target="{part}"/></x>'
    files = {"[Content_Types].xml": "<x/>", "_rels/.rels": begin}
    files |= {"word/_rels/document2.xml.rels": styles_}
    files[part] = f"<w:document {spaces}><w:body>{body}</w:body></w:document>"
    return packed(files | {"word/styles2.xml": f"<w:styles {spaces}>{styles}</w:styles>"})


def packed(files: Mapping[str, bytes | str], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(name), content, method)
    return file.getvalue()


def epub(chapters: Sequence[str] = SENTENCES, **more: str) -> bytes:
    """The chapters are listed in the package in reverse: only the spine has their order."""
    numbers = range(len(chapters))
    items = "".join(
        f'<item id="c{n}" href="part%20{n}.xhtml" media-type="application/xhtml+xml"/>'
        for n in reversed(numbers)
    )
    spine = "".join(f'<itemref idref="c{n}"/>' for n in numbers)
    package = (
        '<?xml version="1.0"?><package xmlns="http://www.idpf.org/2007/opf"'
        ' xmlns:dc="http://purl.org/dc/elements/1.1/"><metadata><dc:title>A'
        f" Book</dc:title></metadata><manifest>{items}</manifest><spine>{spine}</spine></package>"
    )
    files = {"mimetype": "application/epub+zip", "META-INF/container.xml": CONTAINER}
    files["OEBPS/book.opf"] = package
    for n, text in enumerate(chapters):
        body = f"<head><title>not this</title></head><body><p>{escaped(text)}</p></body>"
        files[f"OEBPS/part {n}.xhtml"] = (
            '<?xml version="1.0" encoding="utf-8"?><html'
            f' xmlns="http://www.w3.org/1999/xhtml">{body}</html>'
        )
    return packed({**files, **{name.replace("__", "/"): text for name, text in more.items()}})


def pdf(*pages: Sequence[str]) -> bytes:
    """One page for each list of lines."""
    texts = (" ".join(f"({escaped_pdf(line)}) Tj T*" for line in lines) for lines in pages)
    return drawn_pdf(*(f"BT /F1 12 Tf 14 TL 50 700 Td {text} ET" for text in texts))


def placed_pdf(*pages: Sequence[tuple[float, float, str]], size: float = 10) -> bytes:
    """Texts with where they begin, from the left and from below; one may begin with its size, as in "8|a note"."""
    return drawn_pdf(*("\n".join(placed(*one[:3], size) for one in page) for page in pages))


def placed(x: float, y: float, text: str, size: float = 10) -> str:
    given, mark, rest = text.partition("|")
    size, text = (float(given), rest) if mark else (size, text)
    return f"BT /F1 {size} Tf {x} {y} Td ({escaped_pdf(text)}) Tj ET"


def escaped_pdf(text: str) -> str:
    return text.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")


def drawn_pdf(*pages: str, more: str = "") -> bytes:
    """One page for each text of operators (ISO 32000-2, annex H); signs 1 to 5: fi, fl, ff, ffi, ffl; more: entries."""
    kids = " ".join(f"{4 + 2 * n} 0 R" for n in range(len(pages)))
    objects = [
        "<</Type/Catalog/Pages 2 0 R>>",
        f"<</Type/Pages/Kids[{kids}]/Count {len(pages)}>>",
        "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding<</BaseEncoding/WinAnsiEncoding"
        "/Differences[1/fi/fl/ff/ffi/ffl]>>>>",
    ]
    for n, drawn in enumerate(pages):
        objects += [
            (
                f"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents {5 + 2 * n} 0"
                f" R/Resources<</Font<</F1 3 0 R>>>>{more}>>"
            ),
            f"<</Length {len(drawn.encode('cp1252', 'replace'))}>>stream\n{drawn}\nendstream",
        ]
    raw, places = b"%PDF-1.4\n", []
    for n, body in enumerate(objects, 1):
        places.append(len(raw))
        raw += f"{n} 0 obj\n{body}\nendobj\n".encode("cp1252", "replace")
    table = "".join(f"{place:010d} 00000 n \n" for place in places)
    end = (
        f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}trailer<</Size"
        f" {len(objects) + 1}/Root 1 0 R>>\nstartxref\n{len(raw)}\n%%EOF\n"
    )
    return raw + end.encode()


def locked_pdf() -> bytes:
    import pypdf

    writer = pypdf.PdfWriter()
    writer.append(io.BytesIO(pdf(["secret"])))
    writer.encrypt("a password", algorithm="RC4-128")
    file = io.BytesIO()
    writer.write(file)
    return file.getvalue()


def parquet(columns: Mapping[str, Sequence[Any]]) -> bytes:
    import pyarrow as pa
    from pyarrow import parquet as format

    file = io.BytesIO()
    format.write_table(pa.table(dict(columns)), file)
    return file.getvalue()


def jsonl(rows: Sequence[object]) -> bytes:
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def html(paragraphs: Sequence[str] = SENTENCES) -> bytes:
    body = "".join(f"<p>{escaped(p)}</p>" for p in paragraphs)
    page = f"<!DOCTYPE html><html><head><title>no</title></head><body>{body}</body></html>"
    return page.encode()


def srt(said: Sequence[str] = SENTENCES) -> bytes:
    return "\n".join(
        f"{n}\n00:00:{n:02d},000 --> 00:00:{n:02d},900\n{text}\n" for n, text in enumerate(said, 1)
    ).encode()


def sound() -> dict[str, bytes]:
    """A file of every format, by its name; each says SENTENCES[0] in its first line."""
    one = SENTENCES[0].encode()
    lines = "\n".join(SENTENCES).encode()
    table = b"text\n" + one + b"\nother\n"
    made = {"a.txt": lines, "a.md": lines, "a.html": html(), "a.docx": docx(), "a.epub": epub()}
    made |= {"a.pdf": pdf([SENTENCES[0]]), "a.srt": srt(), "a.csv": table, "a.tsv": table}
    made |= {"a.jsonl": jsonl([{"text": SENTENCES[0]}]), "a.parquet": parquet({"text": SENTENCES})}
    return made | {"a.zip": packed({"in/a.txt": one}), "a.txt.gz": gzip.compress(one)}
