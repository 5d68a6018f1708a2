"""What the taggers that count share: how a tagged line is read, how a text is cut into the words
of such lines, and that one pass over them is the whole training.

What      word/TAG word/TAG ...: the last slash parts the word from its tag
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar, Protocol, Self, TypeVar

import numpy as np

from engine.language.message import refusal
from engine.models.abilities import Labels
from engine.models.base import Corpus, Progress, Weights
from engine.models.cost import Cut
from engine.text.tokenizers.base import Tokens, passages, split
from engine.text.tokenizers.words import Words

Tagged = list[tuple[str, str]]


class CountedConfig(Protocol):
    """What the shared part reads from a config; read-only, as configs are frozen."""

    __dataclass_fields__: ClassVar[dict[str, Any]]

    @property
    def vocabulary(self) -> int: ...


C = TypeVar("C", bound=CountedConfig)


class CountedTagger(Labels[C]):
    corpus = Corpus.TAGGED
    sample = (
        "the/DET old/ADJ cat/NOUN saw/VERB the/DET dog/NOUN\n"
        "a/DET dog/NOUN ran/VERB to/ADP the/DET sea/NOUN\n"
        "the/ADV more/ADV the/ADV better/ADV\n"
    )
    tokenizer: Words
    _known: dict[str, int]  # the words without the marks, by their number

    @classmethod
    def parse(cls, line: str) -> Tagged:
        """Words with their tags.  ValueError that says what was found."""
        found = [piece.rpartition("/") for piece in line.split()]
        if bad := next(("".join(part) for part in found if not (part[0] and part[2])), ""):
            raise refusal("{bad!r} is not a word, a slash and a tag", bad=bad[:40])
        return [(word, tag) for word, _, tag in found]

    @classmethod
    def read(cls, lines: Sequence[str]) -> list[Tagged]:
        found = []
        for number, line in enumerate(lines, 1):
            try:
                found.append(cls.parse(line))
            except ValueError as problem:
                raise refusal(
                    "line {number}, {line!r}: {said}; write it like {sample!r}",
                    number=number,
                    line=line[:60],
                    said=problem,
                    sample=cls.sample.splitlines()[0],
                ) from None
        return found

    @classmethod
    @abstractmethod
    def counted(cls, lines: Sequence[Tagged], config: C) -> Self:
        """The model of what is counted in these lines."""

    @classmethod
    def cut(cls, lines: Sequence[str], config: C) -> Cut:
        read = cls.read(lines)
        words = {word for line in read for word, _ in line}
        tags = {tag for line in read for _, tag in line}
        vocabulary = 3 + min(len(words), max(1, config.vocabulary - 3))
        return Cut(sum(map(len, read)), vocabulary, len(tags))

    @classmethod
    def fit(
        cls, text: str, config: C, *, seed: int, device: str = "cpu", resume: Weights | None = None
    ) -> Iterator[Progress]:
        lines, held_out = split(passages(text), seed)
        if not lines:
            raise ValueError("nothing to learn from: the text has no line")
        model = cls.counted(cls.read(lines), config)
        metrics = {f"held_out_{name}": x for name, x in model.judge(held_out).items()}
        metrics.pop("held_out_answers", None)
        yield Progress(1, 1, metrics, model, model.weights)

    def tokens(self, text: str) -> Tokens:
        """Words and signs; an ending with an apostrophe is cut off a word that is not known, where
        the ending is: do|n't."""
        found = []
        for start, stop in self.tokenizer.rule.spans(text):
            cut = self._ending(text[start:stop].replace("\N{RIGHT SINGLE QUOTATION MARK}", "'"))
            found += [(start, stop - cut), (stop - cut, stop)] if cut else [(start, stop)]
        words = [text[a:b] for a, b in found]
        ids = np.array([self.number(word) for word in words], np.int64)
        labels = tuple(self.tokenizer.vocab[2] if word == "\n" else word for word in words)
        made = Tokens(ids, labels, tuple(found), tuple(np.flatnonzero(ids == 0).tolist()))
        return made.after(self.tokenizer.boundary, self.tokenizer.vocab[self.tokenizer.boundary])

    def number(self, word: str) -> int:
        if word == "\n":
            return self.tokenizer.boundary
        return self._known.get(word.replace("\N{RIGHT SINGLE QUOTATION MARK}", "'"), 0)

    def _ending(self, word: str) -> int:
        """The length of the longest known ending with an apostrophe; 0 where the word is known."""
        at = word.find("'")
        starts = () if at < 1 or word in self._known else (at - 1, at)
        return next(
            (
                len(word) - i
                for i in starts
                if i > 0 and "'" in word[i:] and word[i:] in self._known
            ),
            0,
        )
