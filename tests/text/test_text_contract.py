"""Tokenizers: what every file of engine/text promises, for any text; `read`, for any file; and a long text in
windows."""

from __future__ import annotations

import json
import textwrap
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from engine.core.registry import tokenizers
from engine.text.read import read, unwrap
from engine.text.tokenizers.base import Tokenizer, passages, split
from engine.text.tokenizers.words import Words
from engine.text.windows import coverage, find_inside, windows
from tests.conftest import together

LINES = [
    "The king's men can't read; the queen's can.",
    "Cafe\u0301 na\u00efve \u2013 \u201cquoted\u201d d\u00e9j\u00e0 vu, 3.14 and snake_case!",
    "\u05e9\u05dc\u05d5\u05dd \u05e2\u05d5\u05dc\u05dd \u0645\u0631\u062d\u0628\u0627 \u0628\u0643",
    "\U0001f600 \U0001f468\u200d\U0001f469\u200d\U0001f467 \U0001f44d\U0001f3fd \u65e5\u672c",
    "tab\there, no-break\u00a0space,  two spaces ",
]
ALL = tokenizers.ids()
EXACT = [id for id in ALL if id in ("bpe", "bytes", "charbpe", "chars", "unigram")]
# Any character that a text box can send, and more often those that break things.
ODD = st.sampled_from("\r\n\t _'\u2019\u0301\u200d\ufe0f\u202e\0\x1cae\U0001f468\ud83d")
ANY = st.text(st.one_of(st.characters(), ODD), max_size=60)
KNOWN = st.lists(st.sampled_from([*"".join(LINES), "\n"]), max_size=60).map("".join)


def fitted(id: str) -> Tokenizer:
    if id not in _FITTED:
        _FITTED[id] = tokenizers.get(id).fit(LINES, 400)
    return _FITTED[id]


_FITTED: dict[str, Tokenizer] = {}
quick = settings(max_examples=60, deadline=None)


@pytest.mark.parametrize("id", ALL)
class TestContract:
    @quick
    @given(text=ANY, start=st.integers(0, 60), stop=st.integers(0, 60))
    @example(text="", start=0, stop=1)
    @example(text="\ud83d", start=0, stop=1)
    @example(text="a\r\nb\u2028c\x85d", start=1, stop=4)
    def test_pieces_know_where_they_lie(self, id: str, text: str, start: int, stop: int) -> None:
        """In order, over all but blanks; the unknown keep their spelling; line ends are the
        boundary; a part is a part."""
        tokenizer = fitted(id)
        tokens = tokenizer.encode(text)
        assert len(tokens) == len(tokens.ids) == len(tokens.labels) == len(tokens.spans)
        assert tokens.ids.dtype == np.int64
        assert ((tokens.ids >= 0) & (tokens.ids < len(tokenizer.vocab))).all()
        covered, at = np.zeros(len(text), bool), (0, 0)
        for a, b in tokens.spans:
            assert 0 <= a < b <= len(text)
            assert (a, b) >= at  # in order; pieces of one character share its span
            covered[a:b], at = True, (a, b)
        assert all(covered[i] or c.isspace() for i, c in enumerate(text))
        assert all(isinstance(label, str) and label for label in tokens.labels)
        assert tokens.unknown == tuple(np.flatnonzero(tokens.ids == tokenizer.unknown))
        assert all(tokens.labels[i] == text[slice(*tokens.spans[i])] for i in tokens.unknown)
        ends = np.flatnonzero(tokens.ids == tokenizer.boundary)
        assert [tokens.spans[t][0] for t in ends] == [i for i, c in enumerate(text) if c == "\n"]
        part = tokens[start:stop]
        assert part.ids.tolist() == tokens.ids[start:stop].tolist()
        assert part.labels == tokens.labels[start:stop]
        assert [u + start for u in part.unknown] == [u for u in tokens.unknown if start <= u < stop]

    @quick
    @given(text=ANY)
    def test_line_by_line_and_read_again_it_gives_the_same_ids(self, id: str, text: str) -> None:
        tokenizer, lines = fitted(id), text.split("\n")
        for line, ids in zip(lines, tokenizer.ids(lines), strict=True):
            assert ids.dtype == np.int64
            assert ids.tolist() == tokenizer.encode(line).ids.tolist()
        json.loads(tokenizer.state().decode("utf-8"))
        again = type(tokenizer).from_state(tokenizer.state())
        assert again.vocab == tokenizer.vocab and again.boundary == tokenizer.boundary
        assert again.encode(text).ids.tolist() == tokenizer.encode(text).ids.tolist()

    def test_stream_has_a_mark_before_each_line_and_one_at_the_end(self, id: str) -> None:
        tokenizer = fitted(id)
        named = [i for i, piece in enumerate(tokenizer.vocab) if piece in ("<unk>", "[UNK]")]
        assert named == ([tokenizer.unknown] if tokenizer.unknown >= 0 else [])
        begun = tokenizer.encode("the zebra").after(tokenizer.boundary, "|")
        assert (begun.labels[0], begun.spans[0], begun.ids[0]) == ("|", (0, 0), tokenizer.boundary)
        assert 0 not in begun.unknown
        stream_N = tokenizer.stream(LINES)
        assert stream_N.dtype == np.int64
        marks = np.flatnonzero(stream_N == tokenizer.boundary)
        assert len(marks) == len(LINES) + 1 and marks[0] == 0 and marks[-1] == len(stream_N) - 1
        for line, start, stop in zip(LINES, marks, marks[1:]):
            assert stream_N[start + 1 : stop].tolist() == tokenizer.encode(line).ids.tolist()
        assert tokenizer.stream([]).tolist() == [tokenizer.boundary]

    @settings(max_examples=30, deadline=None)
    @given(lines=st.lists(ANY, max_size=4))
    def test_learns_from_any_lines(self, id: str, lines: list[str]) -> None:
        tokenizer = tokenizers.get(id).fit(lines, 50)
        assert len(tokenizer.vocab) <= max(50, 257 if id in ("bpe", "bytes") else 0)
        assert len(set(tokenizer.vocab)) == len(tokenizer.vocab) or id == "bpe"
        again = type(tokenizer).from_state(tokenizer.state())
        assert again.vocab == tokenizer.vocab
        # the library goes through words in another order each time
        if id not in ("bpe", "unigram"):
            assert tokenizers.get(id).fit(lines, 50).vocab == tokenizer.vocab


@pytest.mark.parametrize("id", EXACT)
@quick
@given(text=KNOWN)
@example(text="\n".join(LINES))
def test_round_trip(id: str, text: str) -> None:
    tokenizer = fitted(id)
    tokens = tokenizer.encode(text)  # letters of the text can join to a character that is not known
    lost = {tokens.spans[i] for i in tokens.unknown if id == "chars"}
    kept = ("\ufffd" if (a, b) in lost else text[a:b] for a, b in dict.fromkeys(tokens.spans))
    assert tokenizer.decode(tokens.ids) == ("".join(kept) if lost else text)
    assert not lost or text != "\n".join(LINES)


BYTES = st.one_of(st.characters(codec="utf-8"), st.sampled_from("\r\n\0\u0301\u200d\U0001f468"))


@quick
@given(text=st.text(BYTES))
def test_bpe_keeps_any_text(text: str) -> None:
    tokenizer = fitted("bpe")
    assert tokenizer.decode(tokenizer.encode(text).ids) == text


@quick
@given(text=ANY)
@example(text="\u0130stanbul \u00c5\u030a")
def test_lower_case_is_the_same_on_both_paths(text: str) -> None:
    tokenizer = Words.fit([*LINES, text], 400, lowercase=True)
    for line in text.split("\n"):
        assert tokenizer.ids([line])[0].tolist() == tokenizer.encode(line).ids.tolist()


def test_split_holds_out_about_one_in_twenty_for_good() -> None:
    lines = [f"line {i}" for i in range(2000)]
    kept, held_out = split(lines, 1)
    assert sorted(kept + held_out) == sorted(lines) and 60 <= len(held_out) <= 140
    assert split(lines, 1) == (kept, held_out)
    assert split(["one"]) == (["one"], []) and split(["one", "two"]) == (["one"], ["two"])
    assert sum(map(len, split(lines, 1, most_characters=50)[1])) <= 50
    assert passages("a\n \n\nb\n") == ["a", "b"]


FRENCH = "D\u00e9j\u00e0 vu: le gar\u00e7on na\u00eff a mang\u00e9, \u201cvoil\u00e0\u201d."
DAMAGED, CP1252 = "1 damaged character shown as \ufffd", "decoded as cp1252"
RUSSIAN = "\u041f\u0440\u0438\u0432\u0435\u0442, \u043a\u0430\u043a \u0434\u0435\u043b\u0430? " * 8


@together(
    ("raw", "text", "notes"),
    [
        (b"plain\n", "plain\n", ()),
        (FRENCH.encode(), FRENCH, ()),
        (b"\xef\xbb\xbf" + FRENCH.encode(), FRENCH, ()),
        (FRENCH.encode("utf-16"), FRENCH, ("decoded as utf-16",)),
        (b"\xfe\xff" + FRENCH.encode("utf-16-be"), FRENCH, ("decoded as utf-16",)),
        (FRENCH.encode("utf-32"), FRENCH, ("decoded as utf-32",)),
        (FRENCH.encode("utf-16-le"), FRENCH, ("decoded as utf-16-le",)),
        (FRENCH.encode("utf-16-be"), FRENCH, ("decoded as utf-16-be",)),
        (FRENCH.encode("cp1252"), FRENCH, (CP1252,)),
        (RUSSIAN.encode("cp1251"), RUSSIAN, ("decoded as cp1251",)),
        (b"a\r\nb\rc\nd\x0ce", "a\nb\nc\nd\ne", ("line ends of several kinds made one",)),
        (b"one\0two\0 three\0", "onetwo three", ("3 NUL characters removed",)),
        (b"bell\x07 and a text", "bell and a text", ("1 control character removed",)),
        (FRENCH.encode() * 9 + b"\xff", FRENCH * 9 + "\ufffd", (DAMAGED,)),
        (b"caf\xe9 \0 ol\xe9", "caf\u00e9  ol\u00e9", (CP1252, "1 NUL character removed")),
    ],
)
def test_read_decodes_and_says_so(raw: bytes, text: str, notes: tuple[str, ...]) -> None:
    assert read(raw) == (text, notes)


@together(
    ("raw", "says"),
    [
        (b"", "empty"),
        (b" \r\n\t", "only white space"),
        (b"\xef\xbb\xbf", "only white space"),
        (b"PK\x03\x04rest", "zip archive"),
        (b"%PDF-1.7 ...", "PDF"),
        (b"\x89PNG\r\n\x1a\n", "picture"),
        (bytes(range(256)) * 4, "not a text"),
        (b"\0" * 100, "not a text"),
        (b"x" * 11, "0.0 MB"),
    ],
)
def test_read_refuses_with_a_sentence(raw: bytes, says: str) -> None:
    with pytest.raises(ValueError, match=says) as error:
        read(raw, most_bytes=10 if says == "0.0 MB" else 10_000)
    assert "\n" not in str(error.value)


def test_read_takes_a_path(tmp_path: Path) -> None:
    file = tmp_path / "a b.txt"
    file.write_bytes(b"hello")
    assert read(file) == read(str(file)) == ("hello", ())
    with pytest.raises(ValueError, match=r"^gone\.txt can't be read: no such file"):
        read(tmp_path / "gone.txt")
    with pytest.raises(ValueError, match="can't be read"):
        read(tmp_path)
    with pytest.raises(ValueError, match="at most"):
        read(file, most_bytes=4)


def test_unwrap_joins_hard_wrapped_paragraphs_only() -> None:
    rng = np.random.default_rng(0)
    words: Any = "it was the best of times and also an age of some considerable foolishness".split()
    prose = [" ".join(rng.choice(words, 90)) for _ in range(4)]
    wrapped = "\n\n".join(textwrap.fill(p, 72) for p in prose)
    verse = "Roses are red,\nviolets are blue,\nlines that stay short\nare meant to be, too."
    assert unwrap(wrapped) == "\n".join(prose) + "\n"
    assert unwrap(f"{wrapped}\n\n{verse}\n") == "\n".join([*prose, verse]) + "\n"
    # as a page of a book: no blank lines
    unspaced = "\n".join(textwrap.fill(f"{p} and so it ended.", 72) for p in prose)
    ends = unwrap(unspaced).splitlines()
    assert sum(p.endswith("and so it ended.") for p in ends) == len(ends) > 1
    assert " ".join(ends) == " ".join(f"{p} and so it ended." for p in prose)
    indented = "\n".join(textwrap.fill(p, 72, initial_indent="   ") for p in prose)
    assert unwrap(indented) == "\n".join(prose) + "\n"
    one = "Sentence {:03} of a list of sentences, one a line, is as long as the others are.\n"
    sentences = "".join(one.format(i) for i in range(100))
    for text in ("", "one\ntwo\n", f"{verse}\n" * 20, sentences, "\n\n".join(prose)):
        assert unwrap(text) == text


T56 = {
    510: [(0, 510)],
    511: [(0, 510), (256, 511)],
    768: [(0, 510), (256, 766), (512, 768)],
    1000: [(0, 510), (256, 766), (512, 1000), (768, 1000)],
    1024: [(0, 510), (256, 766), (512, 1022), (768, 1024)],
}


@together("length", T56)
def test_the_usual_loop(length: int) -> None:
    found = windows(length, 510, 256, to_the_end=True)
    assert found == T56[length]
    assert find_inside(found) == [False] * (len(found) - 1) + [length == 1000]


def test_no_window_reads_nothing_new_and_only_a_long_stride_leaves_gaps() -> None:
    for length in range(40):
        for body in range(1, 12):
            for stride in range(1, 15):
                found = windows(length, body, stride)
                assert not any(find_inside(found))
                read_T = coverage(found, length)
                by_hand = [sum(a <= t < b for a, b in found) for t in range(length)]
                assert read_T.tolist() == by_hand
                if stride <= body:
                    assert length == 0 or (read_T.min() >= 1 and found[-1][1] == length)
                assert found == windows(length, body, stride, True)[: len(found)]
    assert windows(20, 4, 7) == [(0, 4), (7, 11), (14, 18)]
    np.testing.assert_array_equal(
        np.flatnonzero(coverage(windows(20, 4, 7), 20) == 0), [4, 5, 6, 11, 12, 13, 18, 19]
    )
    for body, stride in ((0, 1), (1, 0)):
        with pytest.raises(ValueError, match="at least one token"):
            windows(5, body, stride)
