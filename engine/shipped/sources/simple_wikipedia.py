"""Simple English Wikipedia: its articles of more than 200 characters, in an order drawn by chance.

What      a paragraph a line; curly quotation marks made straight, runs of blanks one blank
Source    Wikipedia contributors, Simple English Wikipedia, dump of 2018 as plain text with a blank
          line between articles
Differs   Lines of one character are left out.
"""

from __future__ import annotations

import random
import re
from collections.abc import Mapping

from engine.shipped.sources.base import Files, Source, content, lines_of
from engine.shipped.sources.novels import STRAIGHT, replaced

SEED, LEAST = 7, 200
FILES: Mapping[str, tuple[str, ...]] = {
    "wikipedia": ("simplewiki.txt.xz", "simplewiki.txt.gz", "simplewiki.txt")
}


def articles(files: Files, rng: random.Random) -> list[str]:
    """As they are, in the order that `rng` draws."""
    found = [
        article
        for article in lines_of(content(files["wikipedia"])).split("\n\n")
        if len(article) > LEAST
    ]
    rng.shuffle(found)
    return found


def straightened(text: str) -> str:
    text = re.sub(r"[ \t]+", " ", replaced(text, STRAIGHT))
    return "\n".join(line.strip() for line in text.split("\n") if len(line.strip()) > 1)


def learn(files: Files) -> str:
    return "".join(f"{straightened(article)}\n" for article in articles(files, random.Random(SEED)))


SOURCE = Source(
    "Simple English Wikipedia", "CC BY-SA 3.0", "https://simple.wikipedia.org", learn, FILES
)
