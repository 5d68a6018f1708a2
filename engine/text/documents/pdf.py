"""PDF: the text of a PDF's pages, in the order in which a person reads them.

What      letters with their places (engine/text/documents/pdf_letters.py) -> lines, column after column,
          without running heads (pdf_layout.py) -> passages with whole words (pdf_passages.py)
Source    ISO 32000-2, Portable Document Format, sec. 9.10 (extraction of text); PDFium
Differs   Works in a process of its own, with bounds on time and memory: a PDF is a program, and a
          hostile one can run for ever.  Nothing reads the letters in scanned pictures.

    python -m engine.text.documents.pdf        a worker: a PDF -> its text, and what was done
"""

from __future__ import annotations

import json
import time
import unicodedata
from collections.abc import Callable
from dataclasses import asdict, dataclass

from engine.jobs import process
from engine.jobs.worker import Ended, Failed, Report, Worker, serve
from engine.language.message import _, refusal
from engine.text.documents.base import MOST_SECONDS, Document, Piece, Source, one_line
from engine.text.documents.pdf_layout import lines
from engine.text.documents.pdf_letters import Segment, segments
from engine.text.documents.pdf_passages import passages
from engine.text.read import MOST_BYTES, read, told_unseen, whole_words

MOST_MEMORY = 700_000_000
LOCKED = "this PDF is protected with a password; save a copy without one"
DAMAGED = (
    "this PDF is damaged; open it in a reader of PDFs and save it again, or save its text as plain"
    " text"
)
ENDED = (
    "this PDF is damaged, or needs more memory than reading one should; open it in a reader of PDFs"
    " and save it again, or save its text as plain text"
)
SCANNED = (
    "there is no text in this PDF, only pictures of it; recognise its letters (OCR) with another"
    " program first"
)
LIGATURES = {
    ord(sign): unicodedata.normalize("NFKC", sign) for sign in map(chr, range(0xFB00, 0xFB07))
}


@dataclass(frozen=True, slots=True)
class Reading:
    """text  one passage a line; the numbers: pages and those without text, rows that were running heads,
    words that were broken (without and with their hyphen) or held one too many, words whose letters
    stood apart, letters outside the pages, ligatures, signs that cannot be seen"""

    text: str
    pages: int
    empty: int = 0
    heads: int = 0
    joined: int = 0
    kept: int = 0
    inside: int = 0
    spaced: int = 0
    outside: int = 0
    ligatures: int = 0
    unseen: int = 0


def reading(raw: bytes, tell: Callable[[int, int], None] = lambda page, of: None) -> Reading:
    """ValueError with one sentence."""
    from pypdfium2 import PdfDocument, PdfiumError
    from pypdfium2 import raw as pdfium

    try:
        document = PdfDocument(raw)
    except PdfiumError as error:
        locked = pdfium.FPDF_GetLastError() in (pdfium.FPDF_ERR_PASSWORD, pdfium.FPDF_ERR_SECURITY)
        raise ValueError(LOCKED if locked else DAMAGED) from error
    pages: list[list[Segment]] = []
    total = damaged = outside = 0
    for n in range(len(document)):
        try:
            page = document[n]
            found, left = segments(page)
            page.close()
        except PdfiumError:  # the other pages may be sound
            found, left = [], 0
            damaged += 1
        pages.append(found)
        outside += left
        total += sum(len(one.text) for one in found)
        if total > MOST_BYTES:
            raise refusal(
                "it has more than {most:,.0f} million characters; cut it into parts",
                most=MOST_BYTES / 1000000.0,
            )
        tell(n + 1, len(document))
    if damaged == len(pages):
        raise ValueError(DAMAGED)
    found_lines, heads = lines(pages)
    made = passages(found_lines)
    ligatures = unseen = 0
    for n, text in enumerate(made.found):
        whole, gone = whole_words(text)
        ligatures += sum(map(whole.count, map(chr, LIGATURES))) if not whole.isascii() else 0
        unseen += gone
        made.found[n] = one_line(whole.translate(LIGATURES))
    return Reading(
        "\n".join(made.found),
        len(pages),
        sum(not page for page in pages),
        heads,
        made.joined,
        made.kept,
        made.inside,
        sum(one.spaced for page in pages for one in page),
        outside,
        ligatures,
        unseen,
    )


def pieces(source: Source) -> list[Piece]:
    seconds = max(min(MOST_SECONDS, source.bounds.until - time.monotonic()), 1.0)
    found = _apart(source, seconds)
    if not found.text.strip():
        raise ValueError(SCANNED)
    text, notes = read(found.text.encode("utf-8", "replace"))
    return [Piece(source.name, f"{text.strip()}\n", "pdf", (*notes, *_told(found)))]


def _told(found: Reading) -> list[str]:
    n = found.pages
    told = [_("{n:,} {n|page|pages}; lines joined to passages", n=n)]
    if n := found.empty:
        told.append(_("{n:,} of the pages have no text", n=n))
    if n := found.heads:
        told.append(_("{n:,} {n|line|lines} of running heads, feet and page numbers left out", n=n))
    if n := found.joined + found.kept:
        told.append(_("{n:,} {n|word|words} broken at a line's end joined", n=n))
        if found.kept:
            told[-1] += _(", {kept:,} of them with the hyphen", kept=found.kept)
    if n := found.inside:
        told.append(_("{n:,} {n|word|words} with a hyphen of another line break joined", n=n))
    if n := found.spaced:
        told.append(_("{n:,} {n|word|words} of letters set apart joined", n=n))
    if n := found.ligatures:
        told.append(_("{n:,} {n|ligature|ligatures} written as letters", n=n))
    if n := found.outside:
        told.append(_("{n:,} {n|letter|letters} outside the pages left out", n=n))
    return told + told_unseen(found.unseen)


def _apart(source: Source, seconds: float) -> Reading:
    """`reading` in another process, which is ended when its time is over."""

    def report(part: bytes) -> None:
        page, of = json.loads(part)
        source.tell(page / of, _("reading page {page:,} of {of:,}", page=page, of=of))

    try:
        with Worker("engine.text.documents.pdf") as worker:
            return Reading(**json.loads(worker.ask(source.raw, seconds, report)))
    except TimeoutError as error:
        raise refusal(
            "this PDF takes longer than {seconds:.0f} seconds to read; cut it into parts"
        ) from error
    except Failed as error:
        raise ValueError(str(error)) from error
    except Ended as error:
        raise ValueError(ENDED) from error


def answer(request: bytes, report: Report) -> bytes:
    """A PDF -> its reading as JSON; reports [page, of]."""
    process.limit_memory(MOST_MEMORY)
    told = time.monotonic()

    def tell(page: int, of: int) -> None:
        nonlocal told
        if time.monotonic() - told > 0.2:
            told = time.monotonic()
            report(json.dumps([page, of]).encode())

    try:
        return json.dumps(asdict(reading(request, tell))).encode()
    except MemoryError as error:
        raise ValueError(
            "this PDF needs too much memory to read; save its text as plain text"
        ) from error


DOCUMENT = Document(
    "a PDF",
    ("pdf",),
    lambda raw: b"%PDF-" in raw[:1024] and not raw.startswith((b"PK\x03\x04", b"\x1f\x8b")),
    pieces,
    rank=10,
    packed=("pdf",),
    label="PDF",
)

if __name__ == "__main__":
    serve(answer)
