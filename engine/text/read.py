"""Read: any file that a person brings becomes a clean text, or one sentence that says why not.

`read` decodes and cleans, and notes what it did; `whole_words` takes out the signs without width that
make two words of one; `unwrap` makes one passage a line out of hard-wrapped paragraphs.
"""

from __future__ import annotations

import codecs
import os
import re
import stat
from collections.abc import Iterable, Iterator
from itertools import chain, pairwise
from pathlib import Path

import numpy as np

from engine.language.message import _, refusal
from engine.text.paged import each_line

MOST_BYTES = 200_000_000
CHUNK = 1 << 20  # bytes that are decoded at a time
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
_JOINS = "\u200b\u200c\u200d"  # a block ends before a letter that one of these follows
LINE_ENDS = ("\r\n", "\r", "\x0b", "\x0c", "\x85", "\u2028", "\u2029")
CONTROL = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff]")
_ASCII_CONTROL = bytes({*range(32), 127} - {*b"\t\n\x0b\x0c\r"})
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
NARROW, WIDE = 40, 100  # characters of a wrapped line
JUDGED = 1_000_000  # characters by which it is told whether paragraphs are wrapped


def read(
    source: str | Path | bytes, most_bytes: int = MOST_BYTES, *, unseen: bool = False
) -> tuple[str, tuple[str, ...]]:
    """(text, notes) of a file or of its bytes.  Lines of the text end in "\n"; a note per thing
    that was changed.

    unseen  whether signs that cannot be seen stay where they are; else as in `whole_words`

    ValueError with one sentence for the reader: not there, empty, too large, not a text.
    """
    raw = source if isinstance(source, bytes) else load(Path(source), most_bytes)
    if len(raw) > most_bytes:
        raise ValueError(_too_large(len(raw), most_bytes))
    blocks = Blocks(raw, unseen=unseen)
    text = "".join(blocks)
    return text, tuple(blocks.notes)


class Blocks:
    """The text of a file's bytes as `read` gives it, block by block: never all of it at once.

    ends      what ends a line, beside "\n"
    unseen    as in `read`
    encoding  the name of its codec, where the file tells it; else it is found by the bytes
    notes     a note per thing that was changed; all of them behind the last block
    ValueError as `read`, behind the last block too.
    """

    def __init__(
        self,
        raw: bytes,
        ends: tuple[str, ...] = LINE_ENDS,
        *,
        unseen: bool = False,
        encoding: str = "",
    ) -> None:
        if not raw:
            raise ValueError("the file is empty; there is nothing to read")
        for sign, what in BINARY:
            if raw.startswith(sign):
                raise refusal("this is {what}", what=_(what))
        self._raw, self._ends, self._unseen = raw, ends, unseen
        self._name, self._mark, self.notes = (encoding, 0, []) if encoding else _encoding(raw)
        self._bad = 0

    def __iter__(self) -> Iterator[str]:
        control = nul = size = taken = 0
        ink = False
        for found in self._lines():
            nul += found.count("\0")
            # Most texts are ASCII throughout, and then bytes do the same thirty times faster.
            text = (
                found.encode().translate(None, _ASCII_CONTROL).decode()
                if found.isascii()
                else CONTROL.sub("", found)
            )
            control += len(found) - len(text)
            size += len(text)
            if not self._unseen:
                text, count = whole_words(text)
                taken += count
            ink = ink or (bool(text) and not text.isspace())
            if text:
                yield text
        control -= nul
        if control * 10 > size or nul * 2 > size:
            raise ValueError(
                "this is not a text: too many of its characters are control codes; give a plain"
                " text file"
            )
        self.notes += _damaged(self._bad)
        for count, what in ((nul, "NUL"), (control, "control")):
            if count:
                self.notes.append(
                    _(
                        "{count:,} {what} {count|character|characters} removed",
                        count=count,
                        what=what,
                    )
                )
        self.notes += told_unseen(taken)
        if not ink:
            raise ValueError("there is only white space in the file; there is nothing to read")

    def _lines(self) -> Iterator[str]:
        """Decoded, with one kind of line end, cut behind one where there is any."""
        decoder = codecs.getincrementaldecoder(self._name)("replace")
        view = memoryview(self._raw)[self._mark :]
        rest = ""
        for at in range(0, len(view), CHUNK):
            last = at + CHUNK >= len(view)
            text = decoder.decode(bytes(view[at : at + CHUNK]), last)
            self._bad += text.count("\N{REPLACEMENT CHARACTER}")
            text = rest + text
            if held := not last and text.endswith("\r"):  # "\n" may follow
                text = text[:-1]
            if not at and "\r" in self._ends and len({*re.findall("\r\n|\r|\n", text)}) > 1:
                self.notes.append("line ends of several kinds made one")
            for end in self._ends:
                text = text.replace(end, "\n")
            stop = len(text) if last else text.rfind("\n") + 1
            if not stop:
                stop = max(0, len(text.rstrip(_JOINS)) - 1) or len(text) * (len(text) > 2 * CHUNK)
            rest = text[stop:] + "\r" * held
            yield text[:stop]
        if self._bad:
            self._bad -= min(self._bad, _written(self._raw, self._name))


def whole_words(text: str) -> tuple[str, int]:
    """(text without soft hyphens, zero-width signs and marks of direction, how many there were).
    Joiners stay where they shape letters or pictures, zero-width spaces in scripts without blanks.
    """
    if text.isascii():
        return text, 0
    before = len(text)
    for sign in _UNSEEN:
        text = text.replace(sign, "")
    if any(sign in text for sign in _JOINS):
        text = _BETWEEN.sub("", text)
    return text, before - len(text)


def told_unseen(count: int) -> list[str]:
    return (
        [
            _(
                "{count:,} {count|sign|signs} that cannot be seen taken out (soft hyphens,"
                " zero-width spaces, marks of direction)",
                count=count,
            )
        ]
        if count
        else []
    )


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
        raise refusal(
            "{path.name} can't be read: {value}", value=(error.strerror or "unknown reason").lower()
        ) from error


def _at_once(path: str, flags: int) -> int:
    """Opens a pipe without waiting for a writer."""
    return os.open(path, flags | os.O_NONBLOCK)


def _too_large(size: int, most: int, least: str = "") -> str:
    return _(
        "the file has {least}{size:,.1f} MB and at most {most:,.1f} MB are read; cut it into parts",
        least=least,
        size=size / 1000000.0,
        most=most / 1000000.0,
    )


def _encoding(raw: bytes) -> tuple[str, int, list[str]]:
    """(its name, the bytes of its mark, notes)."""
    for mark, name in BOMS:
        if raw.startswith(mark):
            note = _("decoded as {name}", name=name.rsplit("-", 1)[0])
            return name, len(mark), [] if name == "utf-8" else [note]
    name = _utf16(raw) or ("utf-8" if _is_utf8(raw) else _guess(raw))
    return name, 0, [] if name == "utf-8" else [_("decoded as {name}", name=name)]


def decodes(raw: bytes, encoding: str) -> bool:
    """Whether all of it is sound in an encoding."""
    decoder = codecs.getincrementaldecoder(encoding)()
    try:
        for at in range(0, len(raw), CHUNK):
            decoder.decode(raw[at : at + CHUNK], at + CHUNK >= len(raw))
    except UnicodeDecodeError:
        return False
    return True


def _is_utf8(raw: bytes) -> bool:
    """UTF-8 with a few broken places keeps many sound ones; in another encoding hardly any place is
    sound by chance."""
    if raw.isascii():
        return True
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    bad = sum(
        decoder.decode(raw[at : at + CHUNK], at + CHUNK >= len(raw)).count(
            "\N{REPLACEMENT CHARACTER}"
        )
        for at in range(0, len(raw), CHUNK)
    )
    if not bad or bad == _written(raw, "utf-8"):
        return True
    some = raw[: 40 * SAMPLE_BYTES].decode("utf-8", "replace")[: 10 * SAMPLE_BYTES]
    return bad * 20 <= sum(len(found[0]) for found in re.finditer("[^\x00-\x7f\ufffd]+", some))


def _damaged(bad: int) -> list[str]:
    return [_("{bad:,} damaged {bad|character|characters} shown as �", bad=bad)] if bad else []


def _written(raw: bytes, encoding: str) -> int:
    """How often the sign for what is damaged is written out in it."""
    try:
        return raw.count("\N{REPLACEMENT CHARACTER}".encode(encoding))
    except UnicodeError:
        return 0


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
    """One passage a line out of paragraphs that are broken into short lines; else unchanged."""
    return "".join(Unwrapped((text,)))


class Unwrapped:
    """A text in blocks, with one passage a line out of paragraphs that are broken into short lines;
    else unchanged.

    A paragraph is taken for wrapped when its lines are broken where the next word no longer fitted:
    verse and lists
    are not, and stay as they are.  Where no blank lines part them, a paragraph ends before an
    indented line, and after the end of a sentence behind which the next word would have fitted.

    joined  whether that is done; known from the first block on
    """

    def __init__(self, blocks: Iterable[str]) -> None:
        self._blocks = blocks
        self.joined = False

    def __iter__(self) -> Iterator[str]:
        some, size = list[str](), 0
        blocks = iter(self._blocks)
        for block in blocks:
            some.append(block)
            size += len(block)
            if size >= JUDGED:
                break
        head = "".join(some)
        some.clear()
        width, spaced = _width(head[:JUDGED])
        self.joined = width > 0
        whole = chain((head,), blocks)
        if not width:
            yield from whole
        elif spaced:
            for part in _whole_paragraphs(whole):
                yield _spaced(part, width)
        else:
            yield from _unspaced(each_line(whole), width)


def _width(text: str) -> tuple[int, bool]:
    """(how wide it is wrapped, whether blank lines part its paragraphs); 0 where it is not
    wrapped."""
    blank = len(re.findall(r"\n[ \t]*(?=\n)", text))
    if blank < SPACED * text.count("\n"):
        some = text.split("\n")
        width = int(np.percentile([len(line.rstrip()) for line in some], 95))
        full, of = _full(some, width)
        # where most lines end a sentence, each is a passage
        ended = sum(line.rstrip().endswith(SENTENCE_ENDS) for line in some)
        wrapped = len(some) >= 10 and full >= 0.6 * of and ended <= 0.5 * len(some)
        return width if wrapped and NARROW <= width <= WIDE else 0, False
    cut = [p.split("\n") for p in _paragraphs(text)]
    inner = np.array([len(line.rstrip()) for p in cut for line in p[:-1]])
    if len(inner) < 3:
        return 0, True
    width = int(np.percentile(inner, 95))
    wrapped = sum(_full(p, width)[0] for p in cut) >= 0.6 * len(inner)
    return width if wrapped and NARROW <= width <= WIDE else 0, True


def _whole_paragraphs(blocks: Iterable[str]) -> Iterator[str]:
    """The same in blocks that end between two paragraphs, or where one is too long for that, between
    two lines."""
    held = ""
    for block in blocks:
        held += block
        if len(held) < CHUNK:
            continue
        blank = max((found.start() for found in re.finditer(r"\n[ \t]*\n", held)), default=-1)
        stop = blank + 1
        if not stop and len(held) > 4 * CHUNK:
            stop = held.rfind("\n") + 1 or len(held)
        yield held[:stop]
        held = held[stop:]
    yield held


def _spaced(text: str, width: int) -> str:
    lines = []
    for paragraph in _paragraphs(text):
        cut = paragraph.split("\n")
        n, of = _full(cut, width)
        if n >= 0.6 * of:
            lines.append(" ".join(line.strip() for line in cut))
        else:
            lines += cut
    return "".join(f"{line}\n" for line in lines if line.strip())


def _unspaced(lines: Iterable[str], width: int) -> Iterator[str]:
    before, begun = "", False
    for line in lines:
        line = line.removesuffix("\n")
        ended = before.rstrip().endswith(SENTENCE_ENDS) and not _full([before, line], width)[0]
        if begun and (not line.strip() or line[0] in " \t" or ended):
            yield "\n"
            begun = False
        if part := line.strip():
            yield f" {part}" if begun else part
            begun = True
        before = line
    if begun:
        yield "\n"


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
