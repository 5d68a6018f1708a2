"""Subtitles: what is said, without numbers, times and styles.

What      SubRip (.srt), WebVTT (.vtt), SubStation Alpha (.ass, .ssa), MicroDVD (.sub) and the lyrics of
          songs (.lrc); which of them a file is, its first lines say
          number, "00:01:02,500 --> 00:01:04,000", one or more lines, a blank line; and so on
Source    SubRip, as its readers take it: <i>, {\\an8} and \\N are marks of style; W3C, WebVTT, sec. 4
          (syntax) and 6 (parser); libass, ASS File Format Guide
Differs   What goes over several subtitles is joined, up to the end of a sentence, a new speaker or a
          speaker's dash: one passage a line.  The names of speakers (<v Ann>, the column Name) are
          left out, as are comments, drawings and readings (ruby).  Captions that roll, so that each
          line is shown two or three times, say it once.  A line of more than LONGEST characters
          is refused.
"""

from __future__ import annotations

import html
import re
from array import array
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, islice

import numpy as np

from engine.language.message import _, refusal
from engine.text.documents.base import Document, Lines, Piece, Source, one_line
from engine.text.paged import LongLine, Spool, each_line
from engine.text.read import Blocks

CLOCK = r"((?:\d{1,4}:)?\d{1,3}:\d{1,2}(?:[.,:]\d{1,4})?)"
TIMES = re.compile(rf"[ \t]*{CLOCK}[ \t]*--?>[ \t]*{CLOCK}(?:[ \t][^\n]*)?")
SIGN = re.compile(
    rb"\s*(?:(?:\d+\s*\r?\n)?[ \t]*(?:\d+:)?\d+:\d\d[,.]\d{1,3}[ \t]*-->|WEBVTT(?:\s|$)"
    rb"|\[Script Info\]|\{\d+\}\{\d*\})"
)
EVENTS = re.compile(r"\s*\[(?:script info|v4\+? styles|events)\]", re.IGNORECASE)
FORMAT = "Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text"
DRAWING = re.compile(
    r"\{[^{}]{0,200}\\p[1-9][^{}]{0,200}\}.*?(?:\{[^{}]{0,200}\\p0[^{}]{0,200}\}|\Z)"
)
OVERRIDE = re.compile(r"\{[^{}]*\}")
FRAMES = re.compile(r"[ \t]*\{(\d{1,9})\}\{(\d{0,9})\}(.*)")
SUNG = re.compile(r"[ \t]*\[(\d{1,4}:\d{1,2}(?:[.:]\d{1,3})?)\]")
STYLE = re.compile(
    r"<rt>[^<\n]{0,80}</rt>|</?[a-zA-Z][^<>\n]{0,200}>|<[\d:.]{4,20}>|\{\\[^{}\n]{0,80}\}"
    r"|\{[a-zA-Z]:[^{}\n]{0,80}\}"
)
BREAK = re.compile(r"\\[Nh]")
VOICE = re.compile(r"<v(?:\.[^\s<>]{0,80})?[ \t]+([^<>\n]{1,80})>")
MOST_JOINED = 100  # lines of one passage, where no sentence ever ends; of a block that has no end
LONGEST = 1_000_000  # characters of a line
LONG = 100_000  # behind which no other line is joined
SAMPLE = 2_000  # cues by which it is told whether they roll
NEXT = 0.05  # seconds after which a caption still follows at once
DASHES = ("-", "–", "—")
STOPS = (".", "!", "?", "…", "♪", "。", "！", "？", '"', "”", ")", "]", ":")


@dataclass(slots=True)
class Cue:
    """What is shown at a time; none where it goes on with what is before.  `whole`: it is a passage."""

    lines: list[str]
    start: float | None = None
    stop: float | None = None
    whole: bool = False


def known_by(raw: bytes) -> bool:
    return (
        SIGN.match(raw[:400].removeprefix(b"\xef\xbb\xbf").replace(b"\0", b"").lstrip(b"\xff\xfe"))
        is not None
    )


def subrip(lines: Iterable[str]) -> Iterator[Cue]:
    """A number is held back until it is known whether a time follows, which makes it a subtitle's
    number."""
    cue, held = Cue([]), ""
    for line in lines:
        if found := TIMES.fullmatch(line):
            yield cue
            cue, held = Cue([], _seconds(found[1]), _seconds(found[2])), ""
            continue
        cue.lines += [held] if held else []
        held = line if line.strip().isdecimal() else ""
        cue.lines += [line] if not held and line.strip() else []
        if len(cue.lines) > MOST_JOINED or sum(map(len, cue.lines)) > LONGEST:
            yield cue
            cue = Cue([])
    cue.lines += [held] if held else []
    yield cue


def webvtt(lines: Iterable[str]) -> Iterator[Cue]:
    """Blocks between empty lines: those without a time are the head, a comment or a style."""

    def shown() -> Iterator[str]:
        held, quiet, first = "", False, True
        for line in chain(lines, ("",)):
            if not line:
                if held and not quiet:
                    yield held
                held, quiet, first = "", False, True
            elif TIMES.fullmatch(line):  # what stands before it is its name
                held, quiet, first = "", False, False
                yield line
            elif first:
                held, first = line, False
                quiet = line.split(maxsplit=1)[:1] in (["WEBVTT"], ["NOTE"], ["STYLE"], ["REGION"])
            elif not quiet:
                if held:
                    yield held
                held = ""
                yield line

    return subrip(shown())


def substation(text: Spool, check: Callable[[], None]) -> Callable[[], Iterator[Cue]]:
    """Events in the order of their times, which need not be that of the file."""
    names = _names(FORMAT)
    whole = bytearray()
    for raw in text.raw():
        whole += raw
    starts, places, at = array("d"), array("q"), 0

    def line_at(at: int) -> tuple[str, int]:
        stop = whole.find(b"\n", at) + 1 or len(whole)
        return whole[at:stop].decode(), stop

    while at < len(whole):
        line, stop = line_at(at)
        kind, __, said = line.partition(":")
        kind = kind.strip().lower()
        if kind == "format" and "text" in _names(said):
            names = _names(said)
        elif kind == "dialogue":
            starts.append(_seconds(_cell(said, names, "start")))
            places.append(at)
            if len(places) % 10_000 == 0:
                check()
        at = stop
    order = np.argsort(np.array(starts), kind="stable")

    def shown() -> Iterator[Cue]:
        for n in order:
            said = line_at(places[n])[0].partition(":")[2]
            words = OVERRIDE.sub("", DRAWING.sub("", _cell(said, names, "text")))
            yield Cue(re.split(r"\\[Nn]", words), starts[n], _seconds(_cell(said, names, "end")))

    return shown


def _names(said: str) -> dict[str, int]:
    return {name.strip().lower(): n for n, name in enumerate(said.split(","))}


def _cell(said: str, names: dict[str, int], name: str) -> str:
    """The last one may have commas in it."""
    at = names.get(name, len(names))
    cells = said.split(",", min(at + 1, len(names) - 1))
    return cells[at].strip() if at < len(cells) else ""


def microdvd(lines: Iterable[str]) -> Iterator[Cue]:
    for n, line in enumerate(lines):
        if found := FRAMES.fullmatch(line):
            if n == 0 and re.fullmatch(r"[\d.,\s]{1,9}", found[3]):  # frames a second
                continue
            yield Cue(found[3].split("|"), float(found[1]), float(found[2] or found[1]))


def lyrics(lines: Iterable[str]) -> Iterator[Cue]:
    for line in lines:
        start, at = None, 0
        while found := SUNG.match(line, at):
            start, at = _seconds(found[1]), found.end()
        if start is not None:
            yield Cue([line[at:]], start, whole=True)


def _seconds(clock: str) -> float:
    """0 where it is none."""
    try:
        whole = clock.strip().replace(",", ".").split(":")
        return sum(float(part) * 60**n for n, part in enumerate(reversed(whole)))
    except ValueError:
        return 0.0


def _read(text: Spool, source: Source) -> Callable[[], Iterator[Cue]]:
    """The cues of a file, from the first, as often as asked."""

    def lines() -> Iterator[str]:
        for line in each_line(text.blocks(), LONGEST):
            if len(line) > LONGEST:
                raise LongLine
            yield line.rstrip("\n")

    first = next((line.lstrip() for line in lines() if line.strip()), "")
    if first[:6] == "WEBVTT":
        return lambda: webvtt(lines())
    if EVENTS.match(first) or source.ending in ("ass", "ssa"):
        for __ in lines():  # none is too long
            pass
        return substation(text, source.bounds.check_time)
    if FRAMES.match(first[:100]):
        return lambda: microdvd(lines())
    if source.ending == "lrc":
        return lambda: lyrics(lines())
    return lambda: subrip(lines())


def _clean(cue: Cue) -> list[str]:
    found = (html.unescape(STYLE.sub("", BREAK.sub(" ", line))) for line in cue.lines)
    return [line for line in map(one_line, found) if line]


def _fresh(before: list[str], lines: list[str]) -> list[str]:
    """What the caption before did not show: its last lines stand on top of this one, or its last
    line has grown."""
    for n in range(min(len(before), len(lines)), 0, -1):
        if before[-n:] == lines[:n]:
            return lines[n:]
    if before and lines and lines[0].startswith(f"{before[-1]} "):
        return [lines[0][len(before[-1]) + 1 :], *lines[1:]]
    return lines


def _follows(cue: Cue, before: Cue) -> bool:
    """At once, or while the one before is still shown."""
    if cue.start is None or before.stop is None:
        return False
    return cue.start <= before.stop + NEXT


def _roll(cues: Iterable[Cue]) -> bool:
    """Whether most captions repeat what the one before them shows."""
    pairs = again = 0
    before, shown = Cue([]), [""]
    for cue in cues:
        if said := _clean(cue):
            pairs += 1
            again += _follows(cue, before) and _fresh(shown, said) != said
            before, shown = cue, said
    return again * 2 > pairs - 1 > 0


def pieces(source: Source) -> list[Piece]:
    try:
        return _pieces(source)
    except LongLine as error:
        raise refusal(
            "a line of it has more than {LONGEST:,} characters, as no subtitle has; give it the"
            " ending .txt to read it as it is"
        ) from error


def _pieces(source: Source) -> list[Piece]:
    blocks = Blocks(source.raw)
    text = Spool()
    for block in blocks:
        text.write(block)
    cues = _read(text.close(), source)
    rolls = _roll(islice(cues(), SAMPLE))
    said = Lines()
    waiting: list[str] = []
    before, shown, speaker = Cue([]), [""], ""
    count = 0

    def end() -> None:
        if waiting:
            said.add(" ".join(waiting))
            waiting.clear()

    for n, cue in enumerate(cues()):
        if n % 10_000 == 0:
            source.bounds.check_time()
        lines = _clean(cue)
        if cue.start is not None:
            count += 1
            if (cue.start, cue.stop, lines) == (before.start, before.stop, shown):
                continue  # a shadow or an outline of it
        fresh = _fresh(shown, lines) if rolls and _follows(cue, before) else lines
        before, shown = cue, lines or shown
        named = next((found[1] for found in map(VOICE.search, cue.lines) if found), speaker)
        if named != speaker:
            end()
            speaker = named
        for line in fresh:
            if line.startswith(DASHES):
                end()
            waiting.append(line)
            if line.endswith(STOPS) or len(waiting) == MOST_JOINED or len(line) > LONG:
                end()
        if cue.whole:
            end()
    end()
    if not count:
        raise ValueError(
            "there is no subtitle with a time like 00:01:02,500 --> 00:01:04,000 in it; give it the"
            " ending .txt to read it as it is"
        )
    if not said.count:
        raise ValueError("its subtitles have no words")
    notes = (
        *blocks.notes,
        _("numbers and times of {count:,} {count|subtitle|subtitles} left out", count=count),
    )
    if rolls:
        notes = (*notes, "lines that its captions repeat while they roll taken once")
    return [Piece(source.name, said.text(), "subtitles", notes)]


DOCUMENT = Document(
    "a file of subtitles",
    ("srt", "vtt", "ass", "ssa", "sub", "lrc"),
    known_by,
    pieces,
    rank=60,
    by_name=True,
    label="subtitles",
)
