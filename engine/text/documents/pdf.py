"""PDF: the text of a PDF's pages, in the order in which the file draws it.

What      characters with their places -> lines (pypdf) -> passages: a line that is short and ends a
          sentence ends its passage
Source    ISO 32000-2, Portable Document Format, sec. 9.10 (extraction of text); pypdf
Differs   Works in a process of its own, with bounds on time and memory: a PDF is a program, and a
          hostile one can run for ever.  Words broken at a line's end are joined, page numbers alone
          on a line left out.  Nothing reads the letters in scanned pictures.

    python -m engine.text.documents.pdf        a worker: a PDF -> [text of each page]
"""

from __future__ import annotations

import io
import json
import re
import time
from collections.abc import Callable

import numpy as np

from engine.jobs import process
from engine.jobs.worker import Ended, Failed, Report, Worker, serve
from engine.text.documents.base import MOST_SECONDS, Document, Piece, Source
from engine.text.read import MOST_BYTES, read

MOST_MEMORY = 2_000_000_000
LOCKED = "this PDF is protected with a password; save a copy without one"
DAMAGED = (
    "this PDF is damaged; open it in a reader of PDFs and save it again, or save its text as plain"
    " text"
)
SCANNED = (
    "there is no text in this PDF, only pictures of it; recognise its letters (OCR) with another"
    " program first"
)
SHORT = 0.8  # of the usual width: such a line may end a passage
STOPS = (".", "!", "?", "…", ":", '"', "”", "’", "»", ")")


def texts(raw: bytes, tell: Callable[[int, int], None] = lambda page, of: None) -> list[str]:
    """The text of each page.  ValueError with one sentence."""
    import logging

    from pypdf import PdfReader
    from pypdf.errors import DependencyError, FileNotDecryptedError

    logging.getLogger("pypdf").setLevel(logging.CRITICAL)  # it warns of every small fault of a file
    found: list[str] = []
    total = damaged = 0
    try:
        reader = PdfReader(io.BytesIO(raw))
        if reader.is_encrypted and not reader.decrypt(""):
            raise ValueError(LOCKED)
        pages = len(reader.pages)
    except (DependencyError, FileNotDecryptedError) as error:
        # a lock of a kind for which more libraries would be needed
        raise ValueError(LOCKED) from error
    except Exception as error:
        raise ValueError(str(error) if str(error) == LOCKED else DAMAGED) from error
    for n in range(pages):
        try:
            found.append(reader.pages[n].extract_text())
        except Exception:  # whatever a damaged page does: the others may be sound
            found.append("")
            damaged += 1
        total += len(found[-1])
        if total > MOST_BYTES:
            raise ValueError(
                f"it has more than {MOST_BYTES / 1e6:,.0f} million characters; cut it into parts"
            )
        tell(n + 1, pages)
    if pages and damaged == pages:
        raise ValueError(DAMAGED)
    return found


def passages(pages: list[str]) -> tuple[list[str], int]:
    """(passages, words that were joined again)."""
    rows = [[line.strip() for line in page.strip().split("\n")] for page in pages]
    rows = [
        [line for k, line in enumerate(page) if not (line.isdecimal() and k in (0, len(page) - 1))]
        for page in rows
    ]
    widths = [len(line) for page in rows for line in page if line]
    width = int(np.percentile(widths, 90)) if widths else 0
    found: list[str] = []
    waiting: list[str] = []  # what is read of a passage: a table without full stops is one long one
    joined = 0

    def end() -> None:
        if waiting:
            found.append("".join(waiting).strip())
            waiting.clear()

    for line in (line for page in rows for line in page):
        if not line:
            if waiting and waiting[-1].endswith(STOPS):
                end()
            continue
        if waiting and re.fullmatch(r"[^\W\d_]-", waiting[-1][-2:]) and line[0].islower():
            waiting[-1], joined = waiting[-1][:-1], joined + 1
            waiting.append(line)
        else:
            waiting.append(f" {line}")
        if len(line) < SHORT * width and line.endswith(STOPS):
            end()
    end()
    return found, joined


def pieces(source: Source) -> list[Piece]:
    seconds = max(min(MOST_SECONDS, source.bounds.until - time.monotonic()), 1.0)
    pages = _apart(source, seconds)
    empty = sum(not page.strip() for page in pages)
    if empty == len(pages):
        raise ValueError(SCANNED)
    found, joined = passages(pages)
    text, notes = read("\n".join(found).encode("utf-8", "replace"))
    more = [f"{len(pages):,} page{'s' * (len(pages) > 1)}; lines joined to passages"]
    if empty:
        more.append(f"{empty:,} of the pages have no text")
    if joined:
        more.append(f"{joined:,} word{'s' * (joined > 1)} broken at a line's end joined")
    return [Piece(source.name, f"{text.strip()}\n", "pdf", (*notes, *more))]


def _apart(source: Source, seconds: float) -> list[str]:
    """`texts` in another process, which is ended when its time is over."""

    def report(part: bytes) -> None:
        page, of = json.loads(part)
        source.tell(page / of, f"reading page {page:,} of {of:,}")

    try:
        with Worker("engine.text.documents.pdf") as worker:
            found: list[str] = json.loads(worker.ask(source.raw, seconds, report))
    except TimeoutError as error:
        raise ValueError(
            f"this PDF takes longer than {seconds:.0f} seconds to read; cut it into parts"
        ) from error
    except Failed as error:
        raise ValueError(str(error)) from error
    except Ended as error:
        raise ValueError(DAMAGED) from error
    return found


def answer(request: bytes, report: Report) -> bytes:
    """A PDF -> its pages as JSON; reports [page, of]."""
    process.limit_memory(MOST_MEMORY)
    told = time.monotonic()

    def tell(page: int, of: int) -> None:
        nonlocal told
        if time.monotonic() - told > 0.2:
            told = time.monotonic()
            report(json.dumps([page, of]).encode())

    try:
        return json.dumps(texts(request, tell)).encode()
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
