"""Words: runs of letters and digits with their marks; every other sign is a token of its own; white
space only separates.

What      the vocabulary is the `size` commonest words of the training text (ties: alphabetical
          order);
          every other word is read as <unk>
Source    Jurafsky & Martin, Speech and Language Processing, 3rd ed., sec. 2.4 and 3.1 (sentence
          marks, <unk>); where words end: engine/text/segmentation.py
Shapes    V = vocabulary: <unk> (0), <s> (1), </s> (2), then words, commonest first
Differs   A line is a sentence: the line end is read as </s>.  Where words end differs from the
          standard as told in segmentation.py.
"""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from itertools import repeat
from typing import Any, ClassVar, Self

import numpy as np

from engine.text.segmentation import PLAIN_TOKEN, TOKENS, Rule, close_up, is_plain
from engine.text.tokenizers.base import Tokenizer, Tokens

UNKNOWN, START, END = "<unk>", "<s>", "</s>"
RULE = "uax29"  # by what its words were cut: says a tokenizer that was learned since
BLOCK = 1 << 16  # words that are numbered at a time
# How words were cut before there was segmentation.py: with the marks of a few scripts only.  A model
# of such words still reads them so.
_MARKS = (
    "\u0300-\u036f\u0483-\u0487\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0900-\u0903\u093a-\u094f"
    "\u200c\u200d\ufe0e\ufe0f\U0001f3fb-\U0001f3ff"
)
EARLIER = Rule(
    PLAIN_TOKEN,
    re.compile(
        rf"\n|[^\W_][^\W_{_MARKS}]*(?:[{_MARKS}]+[^\W_{_MARKS}]*)*(?:['\u2019][^\W_]+)*"
        rf"|[^\w\s{_MARKS}](?:[{_MARKS}]+[^\w\s]?)*|[_{_MARKS}]"
    ),
)


class Words(Tokenizer):
    id: ClassVar[str] = "words"
    title, short, rank = "Words", "words", 40
    says = "words and single signs; in scripts without spaces, single characters; the commonest are known"
    unknown = 0
    boundary = 2
    rule: Rule = TOKENS

    def __init__(self, words: Iterable[str], lowercase: bool = False) -> None:
        self.vocab = (UNKNOWN, START, END, *words)
        self.lowercase = lowercase
        self._id = {w: i for i, w in enumerate(self.vocab) if i > 2} | {"\n": 2}

    @classmethod
    def fit(cls, lines: Iterable[str], size: int, lowercase: bool = False) -> Self:
        return cls.learn(lines, size, lowercase)[0]

    @classmethod
    def learn(
        cls, lines: Iterable[str], size: int, lowercase: bool = False
    ) -> tuple[Self, np.ndarray]:
        seen: defaultdict[str, int] = defaultdict()
        seen.default_factory = seen.__len__  # a new word gets the next number
        stream_N = _numbered(
            _cuts(cls.rule, lines, lowercase), lambda words: map(seen.__getitem__, words)
        )
        made = cls(
            cls._chosen(
                Counter(dict(zip(seen, np.bincount(stream_N).tolist(), strict=True))), size
            ),
            lowercase,
        )
        return made, np.array([made._id.get(word, 0) for word in seen], np.int32)[stream_N]

    @classmethod
    def _chosen(cls, counts: Counter[str], size: int) -> list[str]:
        """The commonest words, without the marks."""
        for mark in ("\n", UNKNOWN, START, END):
            counts.pop(mark, None)
        return sorted(counts, key=lambda w: (-counts[w], w))[: max(1, size - 3)]

    def encode(self, text: str) -> Tokens:
        spans = self.rule.spans(text)
        words = [text[start:stop] for start, stop in spans]
        ids = np.array(
            [self._id.get(w.lower() if self.lowercase else w, 0) for w in words], np.int64
        )
        labels = tuple(END if w == "\n" else w for w in words)
        return Tokens(ids, labels, tuple(spans), tuple(np.flatnonzero(ids == 0).tolist()))

    def decode(self, ids: Iterable[int]) -> str:
        words = ("\n" if i == 2 else self.vocab[i] for i in ids if i != 1)
        text = re.sub(r" ?\n ?", "\n", " ".join(words))
        return close_up(text) if self.rule is TOKENS else text

    def ids(self, lines: Iterable[str]) -> list[np.ndarray]:
        get = self._id.get
        return [
            np.array([get(w, 0) for w in words], np.int64)
            for words in _cuts(self.rule, lines, self.lowercase)
        ]

    def stream(self, lines: Iterable[str]) -> np.ndarray:
        get, unknown = self._id.get, repeat(0)
        return _numbered(
            _cuts(self.rule, lines, self.lowercase), lambda words: map(get, words, unknown)
        ).astype(np.int64)

    @staticmethod
    def smaller(about: dict[str, Any], size: int) -> dict[str, Any]:
        """The commonest words."""
        return about | {"words": about["words"][: max(1, size - 3)]}

    def state(self) -> bytes:
        rule = {"rule": RULE} if self.rule is TOKENS else {}
        return json.dumps({"lowercase": self.lowercase, "words": self.vocab[3:]} | rule).encode()

    @classmethod
    def from_state(cls, state: bytes) -> Self:
        found = json.loads(state)
        made = cls(found["words"], found["lowercase"])
        if cls.rule is TOKENS and "rule" not in found and not all(map(is_plain, made.vocab)):
            made.rule = EARLIER
        return made


def _cuts(rule: Rule, lines: Iterable[str], lowercase: bool) -> Iterator[list[str]]:
    return (
        (list(map(str.lower, rule.findall(line))) for line in lines)
        if lowercase
        else map(rule.findall, lines)
    )


def _numbered(
    cuts: Iterable[list[str]], number: Callable[[list[str]], Iterable[int]]
) -> np.ndarray:
    """Lines of words in one row of numbers, int32, a line end before each line and one at the
    end."""
    parts, words = [], []
    for cut in cuts:
        words.append("\n")
        words += cut
        if len(words) >= BLOCK:
            parts.append(np.fromiter(number(words), np.int32, len(words)))
            words = []
    words.append("\n")
    parts.append(np.fromiter(number(words), np.int32, len(words)))
    return np.concatenate(parts)


def start_of(tokenizer: Tokenizer) -> tuple[int, str]:
    """(id, label) of the start mark: <s> where there is one, else the line end."""
    id = tokenizer.vocab.index(START) if isinstance(tokenizer, Words) else tokenizer.boundary
    return id, tokenizer.vocab[id]


def never_of(tokenizer: Tokenizer) -> int | None:
    """The id that is never predicted."""
    start, _ = start_of(tokenizer)
    return None if start == tokenizer.boundary else start


TOKENIZER = Words
