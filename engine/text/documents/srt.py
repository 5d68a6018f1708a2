"""Subtitles: .srt files; what is said, without numbers and times.

What      number, "00:01:02,500 --> 00:01:04,000", one or more lines, a blank line; and so on
Source    SubRip, as its readers take it: <i> and {\\an8} are marks of style
Differs   What goes over several subtitles is joined, up to the end of a sentence or a new speaker's
          dash: one passage a line.
"""

from __future__ import annotations

import html
import re

from engine.text.documents.base import Document, Lines, Piece, Source, each_line, one_line
from engine.text.read import read

TIME = re.compile(
    r"[ \t]*\d{1,3}:\d\d:\d\d[,.]\d{1,3}[ \t]*-->[ \t]*\d{1,3}:\d\d:\d\d[,.]\d{1,3}[^\n]*"
)
SIGN = re.compile(rb"\s*\d+\s*\r?\n[ \t]*\d{1,3}:\d\d:\d\d[,.]\d{1,3}[ \t]*-->")
STYLE = re.compile(r"</?[a-zA-Z][^<>\n]{0,80}>|\{\\[^{}\n]{0,80}\}")
MOST_JOINED = 100  # lines of one passage, where no sentence ever ends
DASHES = ("-", "–", "—")
STOPS = (".", "!", "?", "…", "♪", "。", "！", "？", '"', "”", ")", "]", ":")


def known_by(raw: bytes) -> bool:
    return (
        SIGN.match(raw[:400].removeprefix(b"\xef\xbb\xbf").replace(b"\0", b"").lstrip(b"\xff\xfe"))
        is not None
    )


def pieces(source: Source) -> list[Piece]:
    text, notes = read(source.raw)
    # a number is held back until it is known whether a time follows, which makes it a subtitle's number
    said, held = (Lines(), "")
    waiting: list[str] = []
    count = 0

    def end() -> None:
        if waiting:
            said.add(" ".join(waiting))
            waiting.clear()

    def take(line: str) -> None:
        if not (clean := one_line(html.unescape(STYLE.sub("", line)))):
            return
        if clean.startswith(DASHES):
            end()
        waiting.append(clean)
        if clean.endswith(STOPS) or len(waiting) == MOST_JOINED:
            end()

    for n, line in enumerate(each_line(text)):
        if n % 10_000 == 0:
            source.bounds.check_time()
        if TIME.fullmatch(line.rstrip("\n")):
            count, held = count + 1, ""
            continue
        take(held)
        held = line if line.strip().isdecimal() else ""
        if not held:
            take(line)
    take(held)
    end()
    if not count:
        raise ValueError(
            "there is no subtitle with a time like 00:01:02,500 --> 00:01:04,000 in it; give it the"
            " ending .txt to read it as it is"
        )
    if not said.count:
        raise ValueError("its subtitles have no words")
    notes = (*notes, f"numbers and times of {count:,} subtitle{'s' * (count > 1)} left out")
    return [Piece(source.name, said.text(), "srt", notes)]


DOCUMENT = Document(
    "a file of subtitles", ("srt",), known_by, pieces, rank=60, by_name=True, label="subtitles"
)
