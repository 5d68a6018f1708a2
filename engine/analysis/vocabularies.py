"""Two vocabularies: the words of each, and a list of pieces that cuts any word.

What      a word is cut into the longest pieces of a list that fit,
          from the left, and is unknown as a whole where that fails
Source    Wu et al., Google's Neural Machine Translation System, 2016, sec. 4.1; by the `tokenizers`
          library
Shapes    a vocabulary is a set of words or pieces
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from engine.text.segmentation import Rule

UNKNOWN = "[UNK]"
TEN = tuple("The chat est on le mat ##is ##t ##sur ##tap".split())
CUT = Rule(r"\w+(?:[’'-]\w+)*|[^\w\s]", r"[\w\u200c\u200d]+(?:[’'-][\w\u200c\u200d]+)*|(?!\s)\X")


def types(text: str) -> set[str]:
    """The different words and signs of a text, in lower case."""
    return {word.lower() for word in CUT.findall(text)}


def pieces(words: Iterable[str], listed: Sequence[str]) -> list[list[str]]:
    """Each word cut by greedy longest match; [[UNK]] where no pieces fit all of it.  A piece that
    begins with ## goes on with a word."""
    from tokenizers import models

    numbers = {piece: n for n, piece in enumerate(dict.fromkeys((*listed, UNKNOWN)))}
    model = models.WordPiece(numbers, unk_token=UNKNOWN, max_input_chars_per_word=100)
    return [[token.value for token in model.tokenize(word)] for word in words]
