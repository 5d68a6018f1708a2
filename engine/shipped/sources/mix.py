"""Wikipedia and novels mixed: 36 million characters of articles, 28 million of novels in stretches
of 4,000, shuffled.

What      a paragraph of an article, or a line of a novel as it was printed, a line; quotation marks
          and blanks as in the parts
Source    those of its parts
Differs   All novels are in it: a model that learned from the mix has seen pieces of each of them.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator

from engine.shipped.sources import novels, simple_wikipedia
from engine.shipped.sources.base import Files, Source, lines_of, members
from engine.shipped.sources.simple_wikipedia import straightened

STRETCH = 4_000
ARTICLES, NOVELS = 36_000_000, 28_000_000


def learn(files: Files) -> str:
    rng = random.Random(simple_wikipedia.SEED)
    articles = simple_wikipedia.articles(files, rng)
    stretches = [
        s
        for _, raw in members(files["novels"])
        for s in _stretches(lines_of(raw).replace("\N{ZERO WIDTH NO-BREAK SPACE}", ""))
    ]
    rng.shuffle(stretches)
    both = [*first(articles, ARTICLES), *first(stretches, NOVELS)]
    rng.shuffle(both)
    return "".join(f"{part}\n" for part in both)


def _stretches(text: str) -> Iterator[str]:
    """A novel in pieces of a little more than STRETCH characters; what is left at its end is left
    out."""
    lines, size = list[str](), 0
    for line in filter(None, map(str.strip, text.split("\n"))):
        lines.append(line)
        size += len(line)
        if size > STRETCH:
            yield "\n".join(lines)
            lines, size = [], 0


def first(texts: Iterable[str], characters: int) -> Iterator[str]:
    for text in map(straightened, texts):
        yield text
        characters -= len(text)
        if characters < 0:
            return


SOURCE = Source(
    "English novels and Simple English Wikipedia",
    f"novels: {novels.SOURCE.licence}; articles: {simple_wikipedia.SOURCE.licence}",
    novels.SOURCE.link,
    learn,
    {**simple_wikipedia.FILES, **novels.FILES},
)
