"""Read: any file that a person brings becomes a clean text, or one sentence that says why not.

`read` decodes and cleans, and notes what it did; `whole_words` takes out the signs without width that
make two words of one; `unwrap` makes one passage a line out of hard-wrapped paragraphs.
"""

from __future__ import annotations

import codecs
import os
import re
import stat
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np

MOST_BYTES = 200_000_000
SAMPLE_BYTES = 65_536  # what the guess of an encoding looks at

BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16, whose mark it begins with
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
BINARY = (
    (b"PK\x03\x04", "a zip archive or an office document; save it as plain text"),
    (b"\x1f\x8b", "a gzip archive; unpack it first"),
    (b"\xfd7zXZ\x00", "an xz archive; unpack it first"),
    (b"BZh", "a bzip2 archive; unpack it first"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive; unpack it first"),
    (b"%PDF-", "a PDF; save its text as plain text"),
    (b"{\\rtf", "a rich text document; save it as plain text"),
    (b"\xd0\xcf\x11\xe0", "an office document; save it as plain text"),
    (b"\x89PNG", "a picture"),
    (b"\xff\xd8\xff", "a picture"),
    (b"GIF8", "a picture"),
    (b"SQLite format 3\x00", "a database"),
    (b"\x7fELF", "a program"),
)

# What only says where a word may be broken, or which way it is written (Unicode 17.0, ch. 23.2 and 23.3).
_UNSEEN = (
    *("\u00ad", "\u061c", "\u200e", "\u200f"),
    *map(chr, (*range(0x202A, 0x202F), *range(0x2060, 0x2065), *range(0x2066, 0x2070), 0xFEFF)),
)
# What parts or shapes letters in some scripts: a zero-width space is the blank of those that write none, joiners
# choose the form of a letter, or make one picture of several.
_NO_BLANKS = (
    "\u0e00-\u0fff\u1000-\u109f\u1780-\u17ff\u1950-\u19df\u1a20-\u1aaf\ua9e0-\ua9ff\uaa60-\uaadf"
)
_SHAPED = (
    "\u0600-\u109f\u1780-\u18af\u1900-\u1cff\u2190-\u2bff\ua800-\uabff\ufb50-\ufdff\ufe00-\ufe0f"
    "\ufe70-\ufefe\U00010a00-\U00011fff\U0001f000-\U0001faff"
)
_BETWEEN = re.compile(
    f"(?<![{_NO_BLANKS}])\u200b(?![{_NO_BLANKS}])|(?<![{_SHAPED}])[\u200c\u200d](?![{_SHAPED}])"
)
_PART = 1 << 20  # characters of which they are taken out at a time
_LINE_ENDS = ("\r\n", "\r", "\x0b", "\x0c", "\x85", "\u2028", "\u2029")
CONTROL = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff]")
_ASCII_CONTROL = bytes({*range(32), 127} - {*b"\t\n"})
SPACED = 0.02  # of all line ends are blank lines; with fewer the paragraphs stand without them
SENTENCE_ENDS = (
    ".",
    "!",
    "?",
    ":",
    '"',
    "'",
    ")",
    "*",
    "_",
    "-",
    "\N{EM DASH}",
    "\N{RIGHT DOUBLE QUOTATION MARK}",
    "\N{RIGHT SINGLE QUOTATION MARK}",
)
JUDGED = 1_000_000  # characters by which it is told whether paragraphs are wrapped


def read(
    source: str | Path | bytes, most_bytes: int = MOST_BYTES, *, unseen: bool = False
) -> tuple[str, tuple[str, ...]]:
    """(text, notes) of a file or of its bytes.  Lines of the text end in "\\n"; a note per thing
    that was changed.

    unseen  whether signs that cannot be seen stay where they are; else as in `whole_words`

    ValueError with one sentence for the reader: not there, empty, too large, not a text.
    """
    raw = source if isinstance(source, bytes) else load(Path(source), most_bytes)
    if len(raw) > most_bytes:
        raise ValueError(_too_large(len(raw), most_bytes))
    if not raw:
        raise ValueError("the file is empty; there is nothing to read")
    for sign, what in BINARY:
        if raw.startswith(sign):
            raise ValueError(f"this is {what}")
    text, notes = _decode(raw)
    if "\r" in text and len({*re.findall("\r\n|\r|\n", text[:JUDGED].rstrip("\r"))}) > 1:
        notes.append("line ends of several kinds made one")
    for end in _LINE_ENDS:
        text = text.replace(end, "\n")
    nul, control = text.count("\0"), len(text)
    # Most texts are ASCII throughout, and then bytes do the same thirty times faster.
    text = (
        text.encode().translate(None, _ASCII_CONTROL).decode()
        if text.isascii()
        else CONTROL.sub("", text)
    )
    control -= len(text)
    if (control - nul) * 10 > len(text) or nul * 2 > len(text):
        raise ValueError(
            "this is not a text: too many of its characters are control codes; give a plain text"
            " file"
        )
    for count, what in ((nul, "NUL"), (control - nul, "control")):
        if count:
            notes.append(f"{count:,} {what} character{'s' * (count > 1)} removed")
    if not unseen:
        text, count = whole_words(text)
        notes += told_unseen(count)
    if not text.strip():
        raise ValueError("there is only white space in the file; there is nothing to read")
    return text, tuple(notes)


def whole_words(text: str) -> tuple[str, int]:
    """(text without soft hyphens, zero-width signs and marks of direction, how many there were).
    Joiners stay where they shape letters or pictures, zero-width spaces in scripts without blanks.
    """
    if text.isascii():
        return text, 0
    before = len(text)
    for sign in _UNSEEN:
        text = text.replace(sign, "")
    if any(sign in text for sign in "\u200b\u200c\u200d"):
        text = "".join(_BETWEEN.sub("", part) for part in _parts(text))
    return text, before - len(text)


def told_unseen(count: int) -> list[str]:
    return (
        [
            f"{count:,} sign{'s' * (count > 1)} that cannot be seen taken out (soft hyphens, zero-width"
            " spaces, marks of direction)"
        ]
        if count
        else []
    )


def _parts(text: str) -> Iterator[str]:
    """About _PART characters each, cut behind white space where there is some."""
    at, blank = 0, re.compile(r"\s")
    while at < len(text):
        found = blank.search(text, at + _PART, at + 2 * _PART)
        stop = found.end() if found else at + 2 * _PART
        yield text[at:stop]
        at = stop


def load(path: Path, most_bytes: int = MOST_BYTES) -> bytes:
    """The bytes of a file, or of a pipe or device that somebody writes to.  ValueError with one
    sentence: not there, too large."""
    try:
        about = path.stat()
        if about.st_size > most_bytes:
            raise ValueError(_too_large(about.st_size, most_bytes))
        pipe = stat.S_ISFIFO(about.st_mode)
        with open(path, "rb", opener=_at_once if pipe else None) as file:
            if pipe:
                os.set_blocking(file.fileno(), True)
            raw = file.read(most_bytes + 1)  # a device may have no end
        if len(raw) > most_bytes:
            raise ValueError(_too_large(len(raw), most_bytes, "more than "))
        if pipe and not raw:
            raise ValueError("this is a pipe that nobody writes to; give a file")
        return raw
    except OSError as error:
        raise ValueError(
            f"{path.name} can't be read: {(error.strerror or 'unknown reason').lower()}"
        ) from error


def _at_once(path: str, flags: int) -> int:
    """Opens a pipe without waiting for a writer."""
    return os.open(path, flags | os.O_NONBLOCK)


def _too_large(size: int, most: int, least: str = "") -> str:
    return (
        f"the file has {least}{size / 1e6:,.1f} MB and at most {most / 1e6:,.1f} MB are read; cut it into"
        " parts"
    )


def _decode(raw: bytes) -> tuple[str, list[str]]:
    for mark, name in BOMS:
        if raw.startswith(mark):
            text, bad = _lenient(raw[len(mark) :], name)
            return text, (
                [] if name == "utf-8" else [f"decoded as {name.rsplit('-', 1)[0]}"]
            ) + _damaged(bad)
    wide = _utf16(raw)
    if wide:
        text, bad = _lenient(raw, wide)
        return text, [f"decoded as {wide}", *_damaged(bad)]
    text, bad = _lenient(raw, "utf-8")
    # UTF-8 with a few broken places keeps many sound ones; in another encoding hardly any place is
    # sound by chance.
    sound = (
        sum(map(len, re.findall("[^\x00-\x7f\ufffd]+", text[: 10 * SAMPLE_BYTES]))) if bad else 0
    )
    if bad * 20 <= sound or not bad:
        return text, _damaged(bad)
    name = _guess(raw)
    text, bad = _lenient(raw, name)
    return text, [f"decoded as {name}", *_damaged(bad)]


def _lenient(raw: bytes, encoding: str) -> tuple[str, int]:
    """The text and how many places of it could not be decoded."""
    try:
        return raw.decode(encoding), 0
    except UnicodeDecodeError:
        text = raw.decode(encoding, errors="replace")
        return text, text.count("\N{REPLACEMENT CHARACTER}")


def _damaged(bad: int) -> list[str]:
    return (
        [f"{bad:,} damaged character{'s' * (bad > 1)} shown as \N{REPLACEMENT CHARACTER}"]
        if bad
        else []
    )


def _utf16(raw: bytes) -> str:
    """UTF-16 without a mark: in Latin text every other byte is 0."""
    sample = np.frombuffer(raw[:SAMPLE_BYTES], np.uint8)
    if len(sample) < 4 or len(raw) % 2:
        return ""
    even, odd = (sample[::2] == 0).mean(), (sample[1::2] == 0).mean()
    if odd > 0.4 and even < 0.1:
        return "utf-16-le"
    return "utf-16-be" if even > 0.4 and odd < 0.1 else ""


def _guess(raw: bytes) -> str:
    """The likeliest 8-bit or Asian encoding.  Western text that several fit is cp1252, the
    commonest of them."""
    from charset_normalizer import from_bytes

    # The part with the first sign outside ASCII tells most.
    first = next(
        (i for i in range(0, len(raw), SAMPLE_BYTES) if not raw[i : i + SAMPLE_BYTES].isascii()), 0
    )
    found = from_bytes(raw[first : first + SAMPLE_BYTES])
    best = found.best()
    if best is None:
        return "cp1252"
    # Short texts fit many code pages equally well, and then the commonest one is the better guess.
    western = [m for m in found if "cp1252" in (m.encoding, *m.could_be_from_charset)]
    if western and western[0].chaos <= best.chaos and western[0].coherence >= best.coherence:
        return "cp1252"
    if "cp1252" in best.could_be_from_charset:
        return "cp1252"
    return best.encoding


def unwrap(text: str) -> str:
    """One passage a line out of paragraphs that are broken into short lines; else unchanged.

    A paragraph is taken for wrapped when its lines are broken where the next word no longer fitted:
    verse and lists
    are not, and stay as they are.  Where no blank lines part them, a paragraph ends before an
    indented line, and after the end of a sentence behind which the next word would have fitted.
    """
    blank = len(re.findall(r"\n[ \t]*(?=\n)", text[:JUDGED]))
    if blank < SPACED * text[:JUDGED].count("\n"):
        return _unspaced(text)
    some = [p.split("\n") for p in _paragraphs(text[:JUDGED])]
    inner = np.array([len(line.rstrip()) for p in some for line in p[:-1]])
    if len(inner) < 3:
        return text
    width = int(np.percentile(inner, 95))
    if not 40 <= width <= 100 or sum(_full(p, width)[0] for p in some) < 0.6 * len(inner):
        return text
    lines = []
    for paragraph in _paragraphs(text):
        cut = paragraph.split("\n")
        n, of = _full(cut, width)
        if n >= 0.6 * of:
            lines.append(" ".join(line.strip() for line in cut))
        else:
            lines += cut
    return "\n".join(line for line in lines if line.strip()) + "\n"


def _unspaced(text: str) -> str:
    cut = text.split("\n")
    some = text[:JUDGED].split("\n")
    width = int(np.percentile([len(line.rstrip()) for line in some], 95))
    full, of = _full(some, width)
    # where most lines end a sentence, each is a passage
    ended = sum(line.rstrip().endswith(SENTENCE_ENDS) for line in some)
    if len(some) < 10 or not 40 <= width <= 100 or full < 0.6 * of or ended > 0.5 * len(some):
        return text
    lines, parts = [], [cut[0].strip()]
    for line, after in pairwise(cut):
        ended = line.rstrip().endswith(SENTENCE_ENDS) and not _full([line, after], width)[0]
        if not after.strip() or after[0] in " \t" or ended:
            lines.append(" ".join(parts))
            parts = []
        parts.append(after.strip())
    return "\n".join(line for line in [*lines, " ".join(parts)] if line.strip()) + "\n"


def _paragraphs(text: str) -> Iterator[str]:
    """What stands between blank lines."""
    at = 0
    for blank in re.finditer(r"\n(?:[ \t]*\n)+", text):
        if blank.start() > at:
            yield text[at : blank.start()]
        at = blank.end()
    if text[at:].strip("\n"):
        yield text[at:].strip("\n")


def _full(paragraph: list[str], width: int) -> tuple[int, int]:
    """(line breaks where the next word no longer fitted, all line breaks inside the paragraph)."""
    fits = [
        len(line.rstrip()) + 1 + len(after.split(maxsplit=1)[0]) <= width - 2
        for line, after in pairwise(paragraph)
        if after.strip()
    ]
    return len(fits) - sum(fits), len(fits)
