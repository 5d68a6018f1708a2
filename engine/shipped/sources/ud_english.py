"""English with parts of speech: Universal Dependencies, English Web Treebank; one sentence a line,
word/TAG word/TAG.

What      the words as they were written, with their universal tags; its own test part is kept back
Source    Silveira et al., A Gold Standard Dependency Corpus for English, 2014
Differs   A blank inside a word becomes a low line.  Words that stand for several ("don't") are left
          out, their parts are there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from engine.shipped.sources.base import Files, Source, content, lines_of


def _names(part: str) -> tuple[str, ...]:
    official = f"en_ewt-ud-{part}.conllu"
    return tuple(
        name + packed
        for name in (f"ud_ewt/{part}.conllu", f"UD_English-EWT/{official}", official)
        for packed in ("", ".xz", ".gz")
    )


def _tagged(part: str) -> Callable[[Files], str]:
    return lambda files: "".join(
        f"{sentence}\n" for sentence in sentences(lines_of(content(files[part])))
    )


def sentences(conllu: str) -> Iterator[str]:
    words = list[str]()
    for line in [*conllu.split("\n"), ""]:
        number, *columns = line.split("\t")
        if number.isdigit() and len(columns) > 2:
            words.append(f"{columns[0].replace(' ', '_')}/{columns[2]}")
        elif not line and words:
            yield " ".join(words)
            words = []


SOURCE = Source(
    "Universal Dependencies, English EWT",
    "CC BY-SA 4.0",
    "https://github.com/UniversalDependencies/UD_English-EWT",
    _tagged("train"),
    {part: _names(part) for part in ("train", "test")},
    {"test part": _tagged("test")},
)
