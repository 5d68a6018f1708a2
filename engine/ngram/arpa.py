r"""ARPA files: the text form in which toolkits for counting models exchange them.

What      \data\, one line "ngram m=how many" per order, then per order lines of log10 p(hw), the
          tokens of hw, and log10 gamma(hw), what hw leaves to shorter contexts when it is a
          context; \end\
Source    Paul & Baker, The Design for the Wall Street Journal-based CSR Corpus, 1992 (Doug Paul's
          format);
          as SRILM's ngram-format(5) and Heafield, KenLM: Faster and Smaller Language Model Queries,
          2011, read it; the notice before \data\: Clarkson & Rosenfeld, Statistical Language
          Modeling Using the CMU-Cambridge Toolkit, 1997
Shapes    V = token ids, R = lines of order 1, G = n-grams of one order, L = tokens of an n-gram
Differs   log10 0 is -99.  White space inside a token, and <s> or </s> where it is a token and no
          mark, are written as \u and four hexadecimal digits; a backslash too where it would be
          read so.  The mark between sentences is <s> and </s>.
          Order 1 is written with an empty order 2, without which KenLM does not read it.  A file
          has no counts: when it is read, each n-gram counts as seen once.
          A file may be packed; what stands before \data\, blank lines and more than one blank
          are passed over, as SRILM does it.  <UNK> is <unk>, as in KenLM.  As in KenLM, <s> and
          </s> must be listed, and as many n-grams as \data\ says.
"""

from __future__ import annotations

import codecs
import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import chain, islice, repeat
from pathlib import Path
from typing import BinaryIO, NoReturn

import numpy as np

from engine.language.message import _, refusal
from engine.ngram.backoff import BackOff, listed
from engine.ngram.counts import Counts, Grams, offsets
from engine.ngram.smoothed import Smoothed
from engine.storage.files import writing
from engine.storage.packed import open_file

START, END, UNKNOWN, CAPITALS = "<s>", "</s>", "<unk>", b"<UNK>"
ZERO = -99.0
BLOCK = 20_000  # lines at a time
LONGEST_LINE = 100_000  # bytes
MOST_BEFORE, MOST_BLANK = 10_000, 200_000  # lines before \data\, blank ones among n-grams
# bytes of a token and of an n-gram while they are read, and of all of them
TOKEN, NGRAM, ID, MOST_MEMORY = 190, 60, 24, 900_000_000
BLANKS = b" \t\r\n"  # other white space is none to these toolkits
BETWEEN = re.compile(rb"[^ \t\r\n]+")
COMMA = re.compile(rb"[-+]?\d+,\d+")
CODED = re.compile(r"[\s\0\ud800-\udfff]|\\(?=u[0-9a-f]{4})")
CODE = re.compile(r"\\u([0-9a-f]{4})")


def escape(token: str) -> str:
    """A token as it stands in a file."""
    if token in (START, END):
        return rf"\u003c{token[1:]}"
    return CODED.sub(lambda m: f"\\u{ord(m.group()):04x}", token)


def unescape(written: str) -> str:
    return CODE.sub(lambda m: chr(int(m.group(1), 16)), written)


def write(path: Path, model: Smoothed, vocab: Sequence[str]) -> None:
    """Write a model, or leave what was there.  ValueError where it has no ARPA form."""
    with writing(path) as file:
        file.writelines(block.encode() for block in blocks(model, vocab))


def blocks(model: Smoothed, vocab: Sequence[str]) -> Iterator[str]:
    """The file, some lines at a time."""
    p = listed(model)
    last, first = _written(model, vocab)
    rows = len(last) + (model.never is None)  # <s> has a line, whether it has an id or not
    sizes = [rows, *(len(grams) for grams in model.counts.orders[1:])]
    yield "\\data\\\n" + "".join(
        f"ngram {m}={size}\n" for m, size in enumerate(sizes if len(sizes) > 1 else [*sizes, 0], 1)
    )
    yield from _unigrams(model, p[0], last)
    text_P, ended_V = first, " " + last
    for m, grams in enumerate(model.counts.orders[1:], 2):
        yield f"\n\\{m}-grams:\n"
        context_G, kept = grams.context_G, []
        for a in range(0, len(grams), BLOCK):
            text_G = text_P[context_G[a : a + BLOCK]] + ended_V[grams.word_G[a : a + BLOCK]]
            columns = [_log10(p[m - 1][a : a + BLOCK]).tolist(), text_G.tolist()]
            if m < model.order:
                kept.append(text_G)
                columns.append(_log10(model.gamma[m][a : a + BLOCK]).tolist())
            form = "%.7f\t%s\t%.7f\n" if m < model.order else "%.7f\t%s\n"
            yield "".join(map(form.__mod__, zip(*columns, strict=True)))
        text_P = np.concatenate(kept) if kept else text_P[:0]
    yield ("\n\\2-grams:\n" if model.order == 1 else "") + "\n\\end\\\n"


def _written(model: Smoothed, vocab: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
    """(V,) the tokens as the last and as the first one of an n-gram."""
    if len(vocab) != model.counts.size:
        raise refusal("the model has {model.counts.size} tokens, the vocabulary {n}", n=len(vocab))
    last = np.array([escape(token) for token in vocab], dtype=object)
    last[model.counts.boundary] = END
    if model.never is not None:
        last[model.never] = START
    if len(set(last.tolist())) < len(last):
        raise refusal(
            "two tokens of the vocabulary are both written {twice}; an ARPA file tells tokens"
            " apart by their text",
            twice=next(t for i, t in enumerate(last.tolist()) if t in set(last[:i].tolist())),
        )
    first = last.copy()
    first[model.counts.boundary] = START
    return last, first


def _unigrams(model: Smoothed, p_V: np.ndarray, last: np.ndarray) -> Iterator[str]:
    """Order 1.  The boundary as a context is the weight of <s>, whose line stands at its id, or
    before that of </s>."""
    boundary, never = model.counts.boundary, model.never
    gamma_V = (model.gamma[1] if model.order > 1 else np.ones(len(p_V))).copy()
    of_start, gamma_V[boundary] = gamma_V[boundary], 1
    if never is None:
        at = boundary
        p_R, text_R, gamma_R = (
            np.insert(p_V, at, 0),
            np.insert(last, at, START),
            np.insert(gamma_V, at, of_start),
        )
    else:
        at = never
        p_R, text_R, gamma_R = p_V.copy(), last, gamma_V
        p_R[at], gamma_R[at] = 0, of_start
    yield "\n\\1-grams:\n"
    for a in range(0, len(p_R), BLOCK):
        columns = (
            _log10(p_R[a : a + BLOCK]),
            text_R[a : a + BLOCK],
            _log10(gamma_R[a : a + BLOCK]),
        )
        yield "".join(
            map(
                "%.7f\t%s\t%.7f\n".__mod__,
                zip(*(column.tolist() for column in columns), strict=True),
            )
        )


def _log10(value: np.ndarray) -> np.ndarray:
    return np.log10(np.maximum(value, 10**ZERO))


def read(path: Path) -> tuple[Smoothed, tuple[str, ...]]:
    """(model, vocabulary) of a file; <s> has an id that is never predicted, </s> is the boundary.

    ValueError that names the line where the file is not as it should be.
    """
    with open_file(path) as file:
        return _Reader(file, path.name).model()


class _Reader:
    """`number` is that of the last line read; `first` that of the first n-gram of an order, and
    `blank` how many of these come before each blank line; `id` the tokens of order 1 as they are
    written, and `size` their bytes."""

    def __init__(self, file: BinaryIO, name: str) -> None:
        self.file, self.name, self.number = file, name, 0
        self.lines = iter(partial(file.readline, LONGEST_LINE), b"")
        self.first, self.blank, self.size = 0, list[int](), 0
        self.id: dict[bytes, int] = {}

    def at(self, ngram: int) -> int:
        """The number of the line of an n-gram of the order that is read."""
        return self.first + ngram + bisect_right(self.blank, ngram)

    def wrong(self, said: str, number: int | None = None) -> NoReturn:
        number = self.number if number is None else number
        raise refusal("{self.name}, line {number}: {said}", number=number, said=_(said))

    def line(self) -> bytes:
        """The next line that is not blank, without the blanks around it."""
        for line in islice(self.lines, MOST_BLANK):
            self.number += 1
            if found := line.strip(BLANKS):
                return found
        return self.wrong("the file ends before \\end\\; it is not whole")

    def model(self) -> tuple[Smoothed, tuple[str, ...]]:
        sizes, line = self.sizes()
        orders: list[Grams] = []
        alpha: list[np.ndarray] = []
        gamma = [np.zeros(1)]
        vocab: tuple[str, ...] = ()
        for m, size in enumerate(sizes, 1):
            if line != b"\\%d-grams:" % m:
                self.wrong(
                    rf"\{m}-grams: is expected here, not {_shown(line)}; it may list more than"
                    r" \data\ says"
                )
            ids_Gm, alpha_G, gamma_G = self.ngrams(m, size)
            if m == 1:
                vocab = self.vocabulary(ids_Gm[:, 0])
                context_G, word_G = np.zeros(size, np.int64), np.arange(size)
                start, end = self.id[START.encode()], self.id[END.encode()]
                alpha_G[start], gamma_G[end], gamma_G[start] = 0, gamma_G[start], 1
            else:
                context_G, word_G = self.places(Counts(orders, end), ids_Gm, start)
                from_G = np.lexsort((word_G, context_G))
                context_G, word_G, alpha_G, gamma_G = (
                    x[from_G] for x in (context_G, word_G, alpha_G, gamma_G)
                )
                twice = np.flatnonzero((np.diff(context_G) == 0) & (np.diff(word_G) == 0))
                if len(twice):
                    self.wrong(
                        "these tokens are listed for the second time",
                        self.at(int(from_G[twice[0] + 1])),
                    )
            first_P = offsets(np.bincount(context_G, minlength=len(orders[-1]) if orders else 1))
            seen_G = np.ones(size, np.int32)
            if m == 1:
                seen_G[start] = 0
            orders.append(Grams(len(vocab), word_G.astype(np.int32), seen_G, first_P))
            alpha.append(alpha_G)
            gamma.append(gamma_G)
            line = self.line()
        if line != b"\\end\\":
            self.wrong(
                rf"\end\ is expected here, not {_shown(line)}; there may be more n-grams than"
                r" \data\ says"
            )
        return (
            Smoothed(
                BackOff(), Counts(orders, end), {}, start, list(zip(alpha, gamma[:-1], strict=True))
            ),
            vocab,
        )

    def sizes(self) -> tuple[list[int], bytes]:
        r"""(how many n-grams of each order, the line after \data\ and these)."""
        start = self.file.peek(3)[:3]  # type: ignore[attr-defined]
        if start == codecs.BOM_UTF8:
            self.file.read(3)
        head = b""
        for line in islice(self.lines, MOST_BEFORE):
            self.number += 1
            if line.strip(BLANKS) == b"\\data\\":
                break
            head = head or line.strip(BLANKS)
        else:
            self.wrong(_(r"this is no ARPA file: \data\ is expected, not {it}", it=_shown(head)), 1)
        sizes: list[int] = []
        while found := re.fullmatch(rb"ngram\s+(\d{1,9})\s*=\s*(\d{1,18})", line := self.line()):
            if int(found[1]) != len(sizes) + 1:
                place = "the number of {m}-grams is expected here, not that of {n}-grams"
                self.wrong(_(place, m=len(sizes) + 1, n=int(found[1])))
            sizes.append(int(found[2]))
        if not sizes:
            self.wrong(_(r'"ngram 1=..." is expected after \data\, not {it}', it=_shown(line)))
        need = TOKEN * sizes[0] + sum((NGRAM + ID * m) * n for m, n in enumerate(sizes, 1))
        if need > MOST_MEMORY:
            large = (
                "it lists {n:,} n-grams, for which {need:,.1f} GB of memory would be needed, and at"
                " most {most:.1f} are taken; prune the model first"
            )
            self.wrong(_(large, n=sum(sizes), need=need / 1e9, most=MOST_MEMORY / 1e9))
        return sizes, line

    def ngrams(self, m: int, size: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(G, m) ids, (G,) probabilities, (G,) weights of an order, as they are listed; `id` is
        filled by order 1."""
        ids, p, gamma = [np.zeros((0, m), np.int64)], [np.zeros(0)], [np.zeros(0)]
        done, self.first, self.blank = 0, self.number + 1, []
        while done < size:
            block = _fields(list(islice(self.lines, min(BLOCK, size - done))), m + 2)
            if not block:
                self.wrong(_("the file ends among the {m}-grams; it is not whole", m=m))
            self.number += len(block)
            fields = [found for found in block if found]
            if len(fields) < len(block):
                self.blank += [
                    done + i - n
                    for n, i in enumerate(i for i, found in enumerate(block) if not found)
                ]
                if len(self.blank) > MOST_BLANK:
                    blank = "more than {most:,} lines are blank; take a new copy"
                    self.wrong(_(blank, most=MOST_BLANK))
            if not set(map(len, fields)) <= {m + 1, m + 2}:
                bad = next(i for i, found in enumerate(fields) if not m + 1 <= len(found) <= m + 2)
                fewer = (
                    "a number, {m} tokens and perhaps a number are expected; {size:,} {m}-grams are"
                    " announced, {before:,} stand before this line"
                )
                self.wrong(_(fewer, m=m, size=size, before=done + bad), self.at(done + bad))
            tokens = chain.from_iterable([found[1 : m + 1] for found in fields])
            if m == 1:
                found_ids = [self.id.setdefault(token, len(self.id)) for token in tokens]
                self.size += sum(len(found[1]) for found in fields)
                if self.size > MOST_MEMORY // 4:
                    self.wrong("its tokens are so long that they take too much memory")
            else:
                found_ids = list(map(self.id.get, tokens, repeat(-1)))
            ids.append(np.array(found_ids, np.int64).reshape(-1, m))
            p.append(self.numbers([found[0] for found in fields], 0.0, done))
            last = [found[-1] if len(found) > m + 1 else b"0" for found in fields]
            gamma.append(self.numbers(last, -ZERO, done))
            done += len(fields)
        return np.concatenate(ids), np.concatenate(p), np.concatenate(gamma)

    def numbers(self, written: list[bytes], most: float, done: int) -> np.ndarray:
        """10 to the power of each; 0 for -99 and less.  `done`: n-grams before these."""
        try:
            log_G = np.array(list(map(float, written)))
        except ValueError:
            log_G = np.array([_number(number) for number in written])
        bad = np.flatnonzero(~(log_G <= most))
        if len(bad):
            shown = _shown(written[bad[0]])
            said = "a base-10 logarithm of at most {most:g} is expected, not {shown}"
            if COMMA.fullmatch(written[bad[0]]):
                said = (
                    "{shown} has a decimal comma, and ARPA files have a point there; write the"
                    " file again with LC_NUMERIC=C, or replace the commas between digits by points"
                )
            self.wrong(_(said, shown=shown, most=most), self.at(done + int(bad[0])))
        return np.where(log_G > ZERO, 10.0**log_G, 0)

    def vocabulary(self, id_V: np.ndarray) -> tuple[str, ...]:
        """The tokens as they are read.  Bytes that are no UTF-8 are shown as \\xe9, which keeps
        tokens apart that differ in them."""
        twice = np.flatnonzero(id_V != np.arange(len(id_V)))
        if len(twice):
            self.wrong("this token is listed for the second time", self.at(int(twice[0])))
        for mark in (START, END):
            if mark.encode() not in self.id:
                none = "there is no {mark} among the 1-grams; a sentence could not begin and end"
                self.wrong(_(none, mark=mark))
        vocab = [unescape(token.decode("utf-8", "backslashreplace")) for token in self.id]
        if (unknown := self.id.get(CAPITALS)) is not None:
            if self.id.setdefault(UNKNOWN.encode(), unknown) != unknown:
                self.wrong("<UNK> and <unk> are both listed, and they are the same token")
            vocab[unknown] = UNKNOWN
        return tuple(vocab)

    def places(
        self, counts: Counts, ids_Gm: np.ndarray, start: int
    ) -> tuple[np.ndarray, np.ndarray]:
        """(context, last token) of each n-gram."""
        order, end = ids_Gm.shape[1], counts.boundary
        for bad_Gm, said in (
            (ids_Gm < 0, "a token is not among the 1-grams"),
            (ids_Gm[:, :-1] == end, _("{mark} can only stand last", mark=END)),
            (ids_Gm[:, 1:] == start, _("{mark} can only stand first", mark=START)),
        ):
            if (bad_G := bad_Gm.any(1)).any():
                self.wrong(said, self.at(int(bad_G.argmax())))
        context_G = np.where(ids_Gm[:, 0] == start, end, ids_Gm[:, 0])
        for m in range(2, order):
            context_G = counts.find(m, context_G, ids_Gm[:, m - 1])
        if (context_G < 0).any():
            self.wrong(
                _("its first {n} tokens are not listed as an n-gram", n=order - 1),
                self.at(int((context_G < 0).argmax())),
            )
        return context_G, ids_Gm[:, -1]


def _fields(lines: list[bytes], most: int) -> list[list[bytes]]:
    """What stands between blanks, of each line no more than shows that it is wrong."""
    joined = b"".join(lines)
    if b"\x0b" in joined or b"\x0c" in joined:
        return [BETWEEN.findall(line)[: most + 1] for line in lines]
    return [line.split(None, most) for line in lines]


def _number(written: bytes) -> float:
    try:
        return float(written)
    except ValueError:
        return np.nan


def _shown(line: bytes) -> str:
    return repr(line[:40].decode("utf-8", "replace"))
